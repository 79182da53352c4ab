import { withCommonMetadata } from './common-metadata'
import { identifiedIn, nodeIn } from './document-reader'
import type { LoadedObject } from './load'
import type { ObjectRef } from './manifest'
import { isList, isMap, isScalar, type Node } from './nodes'
import { inputsOf, noInput, type SetInputs } from './set-inputs'
import { type Input, SetTemplates, Unfilled } from './set-templates'

const group = 'fluxcd.controlplane.io'

/** No more objects and values are made of one ResourceSet, with the sets in it, and no deeper ones. */
const most = { objects: 2_000, values: 200_000, depth: 4 }

/** A part of a ResourceSet whose objects are not all known. */
export interface UnknownPart {
  readonly cause: 'set-inputs' | 'set-template'
  readonly node: Node
  readonly reason: string
}

/** The objects that a ResourceSet makes, as far as it says them itself. */
export interface MadeBySet {
  readonly objects: readonly LoadedObject[]
  readonly unknown: readonly UnknownPart[]
}

/** Whether an object is a ResourceSet of Flux Operator, which makes others. */
export function isResourceSet({ group: its, kind }: ObjectRef): boolean {
  return its === group && kind === 'ResourceSet'
}

/**
 * The objects of a ResourceSet: its resources, once for each of its inputs.
 * Source: https://github.com/controlplaneio-fluxcd/flux-operator, internal/builder/resourceset.go
 */
export function madeBySet(
  set: LoadedObject,
  depth = 1,
  left = { objects: most.objects, values: most.values },
): MadeBySet {
  const making = new Making(set, depth, left)
  making.all()
  return { objects: making.objects, unknown: making.unknown }
}

class Making {
  readonly objects: LoadedObject[] = []
  readonly unknown: UnknownPart[] = []
  private readonly keys = new Set<string>()
  private readonly templates: SetTemplates
  private readonly spec: Node | undefined
  private readonly inputs: SetInputs
  private readonly common: Node | undefined

  constructor(
    private readonly set: LoadedObject,
    private readonly depth: number,
    /** What the sets around it leave. */
    private readonly left: { objects: number; values: number },
  ) {
    this.templates = new SetTemplates((alias) => set.resolve(alias), left)
    this.spec = this.under(set.node, 'spec')
    this.common = this.under(this.spec, 'commonMetadata')
    this.inputs = inputsOf(set, this.spec, this.templates)
  }

  all(): void {
    for (const holder of [this.spec, ...this.listed(this.spec, 'steps')]) {
      for (const resource of this.listed(holder, 'resources'))
        this.part(resource, (input) => [this.templates.filled(resource, input)])
      const template = this.under(holder, 'resourcesTemplate')
      if (isScalar(template) && typeof template.value === 'string') {
        const { value } = template
        this.part(template, (input) => this.templates.documents(value, input, template))
      }
    }
  }

  /** Makes the objects of one resource or template. */
  private part(node: Node, make: (input: Input) => readonly Node[]): void {
    const isOpen = this.templates.isIn(node)
    if (isOpen && this.inputs.unknown)
      this.unknown.push({
        cause: 'set-inputs',
        node: this.inputs.unknown,
        reason: 'inputs of its inputsFrom are unknown here',
      })
    // Without a template, all inputs make the same object.
    const { inputs: all } = this.inputs
    const inputs = isOpen ? all : [all[0] ?? noInput]
    try {
      for (const input of inputs) for (const made of make(input)) this.add(made, node, input)
    } catch (error) {
      if (!(error instanceof Unfilled)) throw error
      this.unknown.push({ cause: 'set-template', node: error.node, reason: error.message })
    }
  }

  private add(made: Node, part: Node, { node: input }: Input): void {
    const { resolve } = this.templates
    const whole = isMap(this.common) ? withCommonMetadata(made, this.common, resolve) : made
    const found = identifiedIn(whole, resolve)
    if (found.length === 0) throw new Unfilled(part, 'an object of it has no apiVersion, kind or name')
    for (const { ref, apiVersion, node } of found) {
      const value = this.templates.plain(node)
      if ((input || isScalar(part)) && isDisabled(value)) continue
      // The first of a name is taken.
      const key = JSON.stringify([ref.group, ref.kind, ref.namespace, ref.name])
      if (this.keys.has(key)) continue
      this.keys.add(key)
      if (this.left.objects-- === 0) throw new Unfilled(part, `it makes more than ${most.objects} objects`)
      const object: LoadedObject = {
        ...this.set,
        ref,
        apiVersion,
        node,
        content: JSON.stringify(value),
        region: this.set.regionOf(node),
        duplicateKeys: [],
        resolve,
      }
      this.objects.push(object)
      if (isResourceSet(ref)) this.addMadeBy(object, part)
    }
  }

  private addMadeBy(inner: LoadedObject, part: Node): void {
    if (this.depth === most.depth) throw new Unfilled(part, `sets in it are more than ${most.depth} levels deep`)
    const { objects, unknown } = madeBySet(inner, this.depth + 1, this.left)
    this.objects.push(...objects)
    this.unknown.push(...unknown)
  }

  private under(parent: Node | undefined, key: string): Node | undefined {
    return nodeIn(parent, key, this.templates.resolve)
  }

  private listed(parent: Node | undefined, key: string): readonly Node[] {
    const list = this.under(parent, key)
    return isList(list) ? list.items : []
  }
}

/** An object that the operator leaves out, unless it is a resource of a set without inputs. */
function isDisabled(value: unknown): boolean {
  return Object(Object(Object(value).metadata).annotations)[`${group}/reconcile`] === 'disabled'
}
