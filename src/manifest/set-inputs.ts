import { identifiedIn, nodeIn, readYaml } from './document-reader'
import { splitDocuments } from './documents'
import type { LoadedObject } from './load'
import type { ObjectRef } from './manifest'
import { isList, MapNode, type Node, Pair, Scalar } from './nodes'
import { type Input, SetTemplates } from './set-templates'

const kind = 'ResourceSetInputProvider'

/** A provider whose inputs are written in it. */
interface StaticProvider {
  readonly ref: ObjectRef
  readonly apiVersion: string
  readonly values: unknown
}

/** The inputs of a ResourceSet, and the node that names further ones, which are unknown. */
export interface SetInputs {
  readonly inputs: readonly Input[]
  readonly unknown: Node | undefined
}

/** The values of a set without any inputs. */
export const noInput: Input = { node: undefined, value: undefined }

/**
 * The inputs of a ResourceSet: its own, and those of static providers in the same file.
 * https://fluxoperator.dev/docs/crd/resourceset/#inputs-configuration
 */
export function inputsOf(set: LoadedObject, spec: Node | undefined, templates: SetTemplates): SetInputs {
  const { resolve } = templates
  const listed = (key: string) => {
    const list = nodeIn(spec, key, resolve)
    return isList(list) ? list.items : []
  }
  const providerOf = ({ apiVersion, ref }: Pick<LoadedObject, 'apiVersion' | 'ref'>) => ({
    provider: { apiVersion, kind: ref.kind, name: ref.name, namespace: ref.namespace },
  })
  const own = listed('inputs').map(
    (node): Input => ({ node, value: { ...Object(templates.plain(node)), ...providerOf(set) } }),
  )
  const references = listed('inputsFrom')
  const found = references.map((node) => ({ node, provider: providerNamed(templates.plain(node), set) }))
  const unknown = found.find(({ provider }) => !provider)?.node
  const known = new Map(found.flatMap(({ node, provider }) => (provider ? [[provider, node] as const] : [])))
  // The list of references has no place for a value, unlike an input that is written in the set.
  const given = [...known.keys()].sort(byName).map((provider) => ({
    provider,
    value: { ...Object(provider.values), ...providerOf(provider) },
  }))
  const strategy = Object(templates.plain(nodeIn(spec, 'inputStrategy', resolve)))
  if (strategy.name === 'Permute') {
    if (unknown) return { inputs: [], unknown }
    const isEmpty = own.length === 0 && strategy.includeEmptyProviders === true
    return { inputs: isEmpty ? [] : permuted(set.ref.name, own, given), unknown }
  }
  const flat = [...own, ...given.map(({ value }): Input => ({ node: new MapNode([], 0, 0), value }))]
  return { inputs: flat.length > 0 || references.length > 0 ? flat : [noInput], unknown }
}

/** Each own input with the one of each provider, by the names of their objects. */
function permuted(
  name: string,
  own: readonly Input[],
  given: readonly { readonly provider: StaticProvider; readonly value: unknown }[],
): Input[] {
  if (own.length === 0 && given.length === 0) return []
  const others = given.map(({ provider, value }) => [keyOf(provider.ref.name), value] as const)
  const order = others.map(([key]) => `${key}=0`)
  const rows = own.length > 0 ? own : [undefined]
  return rows.map((input, index): Input => {
    const key = keyOf(name)
    const id = adler32([...(input ? [`${key}=${index}`] : []), ...order].join('/'))
    const node = new MapNode(input?.node ? [Pair.of(new Scalar(key, 0, 0), input.node)] : [], 0, 0)
    return { node, value: { ...(input ? { [key]: input.value } : {}), ...Object.fromEntries(others), id } }
  })
}

/** The texts of a rendering, those of sets and of their providers as one: they may come from several files. */
export function withSetsTogether(texts: readonly string[]): readonly string[] {
  if (!texts.some((text) => text.includes(kind))) return texts
  const ofSets = texts.filter((text) => text.includes('ResourceSet'))
  const others = texts.filter((text) => !ofSets.includes(text))
  return [ofSets.map((text) => (text.startsWith('---') ? text : `---\n${text}`)).join(''), ...others]
}

/** Whether a provider has its inputs written in it. */
export function isStatic(root: unknown): boolean {
  const { spec, metadata } = Object(root)
  const isOff = Object(Object(metadata).annotations)['fluxcd.controlplane.io/reconcile'] === 'disabled'
  return Object(spec).type === 'Static' && !isOff
}

function providerNamed(reference: unknown, set: LoadedObject): StaticProvider | undefined {
  const { name, kind: its = kind } = Object(reference)
  if (its !== kind || typeof name !== 'string') return undefined
  const found = providersBeside(set).filter(({ ref }) => ref.name === name && ref.namespace === set.ref.namespace)
  return found.length === 1 ? found[0] : undefined
}

const providers = new WeakMap<object, readonly StaticProvider[]>()

/** The static providers in the file of a set. */
function providersBeside({ fileText, lines }: LoadedObject): readonly StaticProvider[] {
  const known = providers.get(lines)
  if (known) return known
  const found = splitDocuments(fileText).flatMap(({ text }) => (text.includes(kind) ? staticIn(text) : []))
  providers.set(lines, found)
  return found
}

function staticIn(text: string): StaticProvider[] {
  const read = readYaml(text)
  if (!('contents' in read) || !read.contents) return []
  const { contents, resolve } = read
  return identifiedIn(contents, resolve).flatMap(({ ref, apiVersion, node }) => {
    if (ref.kind !== kind) return []
    const root = new SetTemplates(resolve, { values: 0 }).plain(node)
    return isStatic(root) ? [{ ref, apiVersion, values: Object(Object(root).spec).defaultValues }] : []
  })
}

function byName(one: StaticProvider, other: StaticProvider): number {
  const [a, b] = [one, other].map(({ ref }) => `${ref.namespace}\n${ref.name}`)
  return (a ?? '') < (b ?? '') ? -1 : 1
}

/** https://github.com/controlplaneio-fluxcd/flux-operator, internal/inputs/keys.go */
function keyOf(name: string): string {
  const words = name
    .toLowerCase()
    .replace(/[\s\p{P}]/gu, '_')
    .replace(/[^a-z0-9_]/g, '')
    .split('_')
  return words.filter((word) => word !== '').join('_')
}

/** The checksum of the operator's ids: https://www.rfc-editor.org/rfc/rfc1950 */
function adler32(text: string): string {
  let [low, high] = [1, 0]
  for (const byte of Buffer.from(text)) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return String(high * 65536 + low)
}
