import { isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { fillWholeTemplate } from '../template/go-template'
import { angles } from '../template/go-template-syntax'
import { type Functions, NotFilled } from '../template/template-functions'
import { identifiedIn, readYaml } from './document-reader'
import { splitDocuments } from './documents'
import type { LoadedObject } from './load'
import type { ObjectRef } from './manifest'
import { findPair, isMerge, pairsOf, type Resolve } from './map-pairs'

const group = 'fluxcd.controlplane.io'

/** More objects or values than these are not made of one ResourceSet. */
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
 * The objects of a ResourceSet: its resources, once for each of its inputs. Each value has the place of its template, or
 * that of the input where it is nothing else.
 * Source: https://github.com/controlplaneio-fluxcd/flux-operator, internal/builder/resourceset.go
 */
export function madeBySet(set: LoadedObject, depth = 1, counts = { objects: 0, values: 0 }): MadeBySet {
  const making = new Making(set, depth, counts)
  making.all()
  return { objects: making.objects, unknown: making.unknown }
}

/** A text of a resource that cannot be filled in. */
class Unfilled extends NotFilled {
  constructor(
    readonly node: Node,
    message: string,
  ) {
    super(message)
  }
}

/** Values for the templates; without a node, a set has no inputs at all. */
interface Input {
  readonly node: Node | undefined
  readonly value: unknown
}

class Making {
  readonly objects: LoadedObject[] = []
  readonly unknown: UnknownPart[] = []
  private readonly keys = new Set<string>()
  private readonly resolvers: Resolve[]
  private readonly resolve: Resolve = (alias) => {
    for (const one of this.resolvers) {
      const target = one(alias)
      if (target) return target
    }
    return undefined
  }
  constructor(
    private readonly set: LoadedObject,
    private readonly depth: number,
    /** Those of the outermost set, with all that are made in it. */
    private readonly counts: { objects: number; values: number },
  ) {
    this.resolvers = [(alias) => set.resolve(alias)]
  }

  all(): void {
    const spec = this.under(this.set.node, 'spec')
    const inputsFrom = this.under(spec, 'inputsFrom')
    const { apiVersion, ref } = this.set
    const provider = { apiVersion, kind: ref.kind, name: ref.name, namespace: ref.namespace }
    const own = this.listed(spec, 'inputs').map(
      (node): Input => ({ node, value: { ...Object(this.plain(node)), provider } }),
    )
    const elsewhere = isSeq(inputsFrom) && inputsFrom.items.length > 0 ? inputsFrom : undefined
    const inputs = own.length > 0 || elsewhere ? own : [{ node: undefined, value: undefined }]
    const common = this.under(spec, 'commonMetadata')
    const holders = [spec, ...this.listed(spec, 'steps')]
    for (const holder of holders) {
      for (const resource of this.listed(holder, 'resources'))
        this.part(resource, elsewhere, this.holdsMark(resource) ? inputs : inputs.slice(0, 1), common, (input) => [
          this.filled(resource, input),
        ])
      const template = this.under(holder, 'resourcesTemplate')
      if (isScalar(template) && typeof template.value === 'string') {
        const { value } = template
        this.part(template, elsewhere, inputs, common, (input) => this.documents(value, input, template))
      }
    }
  }

  /** Makes the objects of one resource or template. */
  private part(
    node: Node,
    elsewhere: Node | undefined,
    inputs: readonly Input[],
    common: Node | undefined,
    make: (input: Input) => readonly Node[],
  ): void {
    const isOpen = this.holdsMark(node)
    if (isOpen && elsewhere)
      this.unknown.push({ cause: 'set-inputs', node: elsewhere, reason: 'inputs of its inputsFrom are unknown here' })
    // Without a template, all inputs make the same object.
    const given = isOpen || inputs.length > 0 ? inputs : [{ node: undefined, value: undefined }]
    try {
      for (const input of given) for (const made of make(input)) this.add(made, common)
    } catch (error) {
      if (!(error instanceof NotFilled)) throw error
      const reason = error.message || 'its resourcesTemplate cannot be filled in'
      this.unknown.push({ cause: 'set-template', node: error instanceof Unfilled ? error.node : node, reason })
    }
  }

  private add(made: Node, common: Node | undefined): void {
    const node = isMap(common) ? this.withMetadata(made, common) : made
    for (const { ref, apiVersion, node: one } of identifiedIn(node, this.resolve)) {
      const value = this.plain(one)
      if (disabled(value)) continue
      // The first of a name is taken.
      const key = JSON.stringify([ref.group, ref.kind, ref.namespace, ref.name])
      if (this.keys.has(key)) continue
      this.keys.add(key)
      if (++this.counts.objects > most.objects) throw new NotFilled(`it makes more than ${most.objects} objects`)
      const object = {
        ...this.set,
        ref,
        apiVersion,
        node: one,
        content: JSON.stringify(value),
        region: this.set.regionOf(one),
        duplicateKeys: [],
        resolve: this.resolve,
      }
      this.objects.push(object)
      if (isResourceSet(ref)) this.addMadeBy(object)
    }
  }

  private addMadeBy(inner: LoadedObject): void {
    if (this.depth === most.depth) throw new NotFilled(`sets in it are more than ${most.depth} levels deep`)
    const { objects, unknown } = madeBySet(inner, this.depth + 1, this.counts)
    this.objects.push(...objects)
    this.unknown.push(...unknown)
  }

  /** The documents that a template comes to, all at its place. */
  private documents(written: string, input: Input, at: Node): Node[] {
    const whole = this.text(written, input)
    if (whole === undefined) throw new NotFilled()
    return splitDocuments(whole).flatMap(({ text, offset }) => {
      const start = /^---[^\n]*\n?/.exec(text)?.[0].length ?? 0
      const node = this.parsed(text, at, offset === 0 && start === 0 ? 0 : start)
      return isMap(node) ? [node] : []
    })
  }

  private parsed(text: string, at: Node, start = 0): Node {
    const read = readYaml(text, start)
    if (!('contents' in read)) throw new NotFilled('reason' in read ? read.reason : 'its result is no YAML')
    const { contents, resolve } = read
    this.resolvers.push(resolve)
    return contents ? placedAt(contents, at) : placedAt(new Scalar(null), at)
  }

  private text(written: string, { value }: Input): string | undefined {
    return fillWholeTemplate(written, undefined, { ...functions, inputs: () => value }, angles)
  }

  /** A resource with an input in it. */
  private filled(node: Node, input: Input): Node {
    if (++this.counts.values > most.values) throw new NotFilled('it is too large')
    if (isAlias(node)) {
      const target = this.resolve(node)
      return target ? this.filled(target, input) : node
    }
    if (isScalar(node)) return this.scalar(node, input)
    if (isSeq(node)) {
      const list = like(node, new YAMLSeq())
      list.items = node.items.map((item) => this.filled(item as Node, input))
      return list
    }
    if (!isMap(node)) return node
    const map = like(node, new YAMLMap())
    map.items = node.items.map((pair) => {
      const key = isMerge(pair) || !isScalar(pair.key) ? pair.key : this.scalar(pair.key, input)
      return new Pair(key, pair.value ? this.filled(pair.value as Node, input) : pair.value)
    })
    return map
  }

  private scalar(node: Scalar, input: Input): Node {
    const { value } = node
    if (typeof value !== 'string' || !isMarked(value)) return node
    const text = this.text(value, input)
    if (text === undefined) throw new Unfilled(node, `\`${value.slice(0, 100)}\` cannot be filled in`)
    const at = this.inputAt(value, input) ?? node
    // The resource is written as YAML before it is filled in, where most of such texts need no quotes.
    return needsQuotes.test(value) ? like(at, new Scalar(text)) : this.parsed(text, at)
  }

  /** The place of the input that a text is made of. */
  private inputAt(written: string, { node }: Input): Node | undefined {
    const [, path = ''] = /^<<-?\s*inputs\.([\w.]+)\s*(?:\|\s*\w+\s*)?-?>>$/.exec(written) ?? []
    const found = path === '' ? undefined : path.split('.').reduce((at, key) => this.under(at, key), node)
    return isScalar(found) ? found : undefined
  }

  /** An object with the labels and annotations that all of a set get. */
  private withMetadata(node: Node, common: Node): Node {
    if (!isMap(node)) return node
    const metadata = this.under(node, 'metadata')
    const fields = ['labels', 'annotations'].flatMap((field) => {
      const more = this.under(common, field)
      return isMap(more) ? [new Pair(new Scalar(field), this.laidOver(this.under(metadata, field), more))] : []
    })
    const names = fields.map(({ key }) => String(key.value))
    const whole = like(metadata ?? common, new YAMLMap())
    whole.items = [...this.without(metadata, names), ...fields]
    const made = like(node, new YAMLMap())
    made.items = [...this.without(node, ['metadata']), new Pair(new Scalar('metadata'), whole)]
    return made
  }

  private laidOver(below: Node | undefined, above: YAMLMap): YAMLMap {
    const map = like(above, new YAMLMap())
    map.items = [...this.without(below, [...pairsOf(above, this.resolve).keys()]), ...above.items]
    return map
  }

  private without(map: Node | undefined, names: readonly string[]): Pair[] {
    if (!isMap(map)) return []
    return [...pairsOf(map, this.resolve)].flatMap(([name, pair]) => (names.includes(name) ? [] : [pair]))
  }

  private holdsMark(node: unknown): boolean {
    if (isAlias(node)) return this.holdsMark(this.resolve(node))
    if (isMap(node)) return node.items.some(({ key, value }) => this.holdsMark(key) || this.holdsMark(value))
    if (isSeq(node)) return node.items.some((item) => this.holdsMark(item))
    return isScalar(node) && typeof node.value === 'string' && isMarked(node.value)
  }

  private under(parent: Node | undefined, key: string): Node | undefined {
    const value = isMap(parent) ? findPair(parent, key, this.resolve)?.value : undefined
    return (isAlias(value) ? this.resolve(value) : (value ?? undefined)) as Node | undefined
  }

  private listed(parent: Node | undefined, key: string): Node[] {
    const list = this.under(parent, key)
    return isSeq(list) ? (list.items as Node[]) : []
  }

  private plain(node: unknown): unknown {
    if (isAlias(node)) return this.plain(this.resolve(node))
    if (isSeq(node)) return node.items.map((item) => this.plain(item))
    if (isScalar(node)) return node.value
    if (!isMap(node)) return undefined
    return Object.fromEntries([...pairsOf(node, this.resolve)].map(([key, { value }]) => [key, this.plain(value)]))
  }
}

/** The functions that all other templates do not have. */
const functions: Functions = {
  // https://github.com/gosimple/slug, for texts that it does not transliterate or cut.
  slugify: (one) =>
    typeof one === 'string' && /^[A-Za-z0-9\s./:-]{0,63}$/.test(one)
      ? one
          .toLowerCase()
          .replace(/[^a-z0-9]+/g, '-')
          .replace(/^-|-$/g, '')
      : undefined,
}

function isMarked(text: string): boolean {
  return text.includes('<<') && text.includes('>>')
}

/** Texts that YAML does not take without quotes. */
const needsQuotes = /^[\s!&*|>'"%@`,[\]{}#]|^[-?:](?:\s|$)|:(?:\s|$)|\s#|\n|\s$/

/** An object that the operator leaves out. */
function disabled(value: unknown): boolean {
  return Object(Object(Object(value).metadata).annotations)[`${group}/reconcile`] === 'disabled'
}

function like<T extends Node>({ range }: Node, node: T): T {
  if (range) node.range = range
  return node
}

/** Gives a node and all in it one place. */
function placedAt<T extends Node>(node: T, at: Node): T {
  const inside = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : isSeq(node) ? node.items : []
  for (const one of inside) if (isMap(one) || isSeq(one) || isScalar(one) || isAlias(one)) placedAt(one, at)
  return like(at, node)
}
