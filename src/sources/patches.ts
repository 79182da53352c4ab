import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar, type YAMLMap } from 'yaml'
import { entryOf } from '../entry'
import { type LoadedObject, loadFile } from '../manifest/load'
import { Manifest } from '../manifest/manifest'
import { findPair } from '../manifest/map-pairs'
import { MapNode, type Node, type Pair } from '../manifest/nodes'
import { type Region, startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import { foldedKey } from './go-keys'
import { closureOf, inside, type Kustomization } from './kustomization'
import { isInline } from './kustomize-reader'
import { realPlace } from './places'
import type { DeclarationSite, KustomizeSource } from './source'
import { dataIn, dataOfNode, type Fields, fieldsOf, listOf, textOf } from './untyped'

/** A patch of a Kustomization, from its file. */
export interface WrittenPatch {
  readonly path: string
  /** The line of its entry, in the file of the Kustomization. */
  readonly entry: DeclarationSite
  /** The target of the patch; an empty name if it matches all objects of the kind. */
  readonly target: { readonly kind: string; readonly name: string }
  /** The `target` of its entry in a Kustomization: where that selects nothing, kustomize leaves the patch out without an error. */
  readonly selector?: Selector
  /** Whether it may give the object another name or kind. */
  readonly renames: boolean
  /** The content that it merges into the object, or the operations of a JSON patch. */
  readonly content: Fields | readonly Fields[]
  /** The line of a field in it; its first line for one that is not there. */
  readonly regionOf: (...keys: readonly string[]) => Region
}

/** The objects that a patch is for, by their fields. */
export interface Selector {
  readonly fields: Fields
  /** The file of the Kustomization, and the line of the target in it. */
  readonly path: string
  readonly region: Region
  /** Whether Kustomizations with other objects may include it, too. */
  readonly ofComponent: boolean
}

/** The patches that Kustomizations list, by the checkout that they were read from: many are part of several others. */
const listed = new WeakMap<Checkout, Map<Kustomization, Promise<readonly WrittenPatch[]>>>()

/** The patches of a Kustomization and of all that it includes. */
export async function patchesIn(
  { root, components = [] }: KustomizeSource,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<WrittenPatch[]> {
  const known = listed.get(checkout) ?? new Map<Kustomization, Promise<readonly WrittenPatch[]>>()
  listed.set(checkout, known)
  const taken = [root, ...components].flatMap((start) => closureOf(start, all))
  const found = taken.map((one) => {
    const its = known.get(one) ?? patchesListedBy(one, checkout)
    known.set(one, its)
    return its
  })
  return (await Promise.all(found)).flat()
}

async function patchesListedBy(
  { file, folder, made, component }: Kustomization,
  checkout: Checkout,
): Promise<WrittenPatch[]> {
  const text = made ? undefined : await checkout.text(file)
  if (text === undefined || !/patch/i.test(text)) return []
  const found = patchEntriesIn(text).map(async ({ targetLine, entryLine, ...entry }) => {
    const at = { path: file, region: startOf(entryLine) }
    const selector = targetLine && {
      selector: { fields: entry.target, path: file, region: startOf(targetLine), ofComponent: component },
    }
    const place = entry.inline === undefined ? inside(folder, entry.path) : undefined
    const from = place === undefined ? undefined : realPlace(checkout.tree, place)
    const own = entry.inline ?? (from === undefined ? undefined : await checkout.text(from))
    if (own === undefined) return []
    const patches = patchesOf(own, { ...entry, path: from ?? file, isFile: from !== undefined })
    return patches.map((patch) => ({ ...patch, ...selector, entry: at, renames: entry.renames || setsIdentity(patch) }))
  })
  return (await Promise.all(found)).flat()
}

/** An entry of `patches`, `patchesStrategicMerge` or `patchesJson6902`. */
export interface PatchEntry {
  /** As written; empty for an inline patch. */
  readonly path: string
  readonly inline: string | undefined
  readonly target: Fields
  /** Whether its options let it change the name or the kind. */
  readonly renames: boolean
  /** The line of the target; none where it has no field. */
  readonly targetLine?: number
  /** The line on which the entry starts. */
  readonly entryLine: number
  /** The line of the Kustomization before the first one of an inline patch. */
  readonly line: number
}

type WrittenEntry = Pick<PatchEntry, 'path' | 'target' | 'line'> & { readonly isFile: boolean }

/** Whether the operations of a JSON patch write the name or the kind of an object. */
function setsIdentity({ content }: Pick<WrittenPatch, 'content'>): boolean {
  const operations: readonly Fields[] = Array.isArray(content) ? content : []
  return operations.some(({ path }) => ['/metadata/name', '/kind', '/apiVersion', '/metadata'].includes(textOf(path)))
}

const entryFields = ['path', 'patch', 'target', 'options']

const targetFields = ['group', 'version', 'kind', 'name', 'namespace', 'labelSelector', 'annotationSelector']

/** The fields under the names that kustomize documents, as it takes a key for a field in any case. */
function asDocumented(fields: Fields, names: readonly string[]): Fields {
  const nameOf = (key: string) => names.find((name) => foldedKey(name) === foldedKey(key)) ?? key
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [nameOf(key), value]))
}

function valueAt(map: YAMLMap, name: string): unknown {
  const isNamed = (key: unknown) => foldedKey(textOf(isScalar(key) ? key.value : key)) === foldedKey(name)
  return map.items.find(({ key }) => isNamed(key))?.value
}

/** The patches that the text of a Kustomization lists. */
export function patchEntriesIn(text: string): PatchEntry[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { version: '1.1', logLevel: 'silent', lineCounter: lines, uniqueKeys: false })
  const lineOf = (node: unknown) => {
    const { range, type } = isScalar(node) ? node : ({} as Partial<Scalar>)
    const { line } = lines.linePos(range?.[0] ?? 0)
    return type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED' ? line : line - 1
  }
  return ['patches', 'patchesStrategicMerge', 'patchesJson6902'].flatMap((field) => {
    const list = isMap(document.contents) ? valueAt(document.contents, field) : undefined
    if (!isSeq(list)) return []
    return list.items.map((item): PatchEntry => {
      const isString = isScalar(item)
      const fields = isMap(item) ? asDocumented(fieldsOf(dataOfNode(item, document)), entryFields) : {}
      const written = isString ? textOf(item.value) : textOf(fields.patch)
      const isText = isString ? isInline(written) : written !== ''
      const node = isMap(item) ? valueAt(item, 'patch') : item
      const target = isMap(item) ? valueAt(item, 'target') : undefined
      const [at] = isMap(target) && target.items.length > 0 ? (target.range ?? []) : []
      return {
        ...(at === undefined ? {} : { targetLine: lines.linePos(at).line }),
        entryLine: lines.linePos(isMap(item) || isString ? (item.range?.[0] ?? 0) : 0).line,
        path: isString ? written : textOf(fields.path),
        inline: isText ? written : undefined,
        target: asDocumented(fieldsOf(fields.target), targetFields),
        renames: Object.values(fieldsOf(fields.options)).some((one) => one === true || one === 'true'),
        line: isText ? lineOf(node) : 0,
      }
    })
  })
}

function patchesOf(
  text: string,
  { path, target, line, isFile }: WrittenEntry,
): Omit<WrittenPatch, 'renames' | 'entry'>[] {
  const below = (region: Region): Region => {
    if (isFile) return region
    return startOf(region.startLine + line)
  }
  const named = { kind: textOf(target.kind), name: textOf(target.name) }
  const objects = loadFile({ text }).objects
  if (objects.length > 0)
    return objects.map((object) => ({
      path,
      target: named.kind === '' ? { kind: object.ref.kind, name: object.ref.name } : named,
      content: fieldsOf(new Manifest(object, 'head', { kind: 'file', path }, []).root.value),
      regionOf: (...keys) => below(regionIn(object, keys)),
    }))
  const operations = dataIn(text)
  if (!Array.isArray(operations) || named.kind === '') return []
  const lines = text.split('\n')
  return [
    {
      path,
      target: named,
      content: operations.map(fieldsOf),
      regionOf: (...keys) =>
        below(
          startOf(
            1 +
              Math.max(
                0,
                lines.findIndex((one) => one.includes(`/${keys.join('/')}`)),
              ),
          ),
        ),
    },
  ]
}

function regionIn(object: LoadedObject, keys: readonly string[]): Region {
  let node: Node | undefined = object.node
  let region = object.region
  for (const key of keys) {
    const pair: Pair | undefined =
      node instanceof MapNode ? findPair(node, key, (alias) => object.resolve(alias)) : undefined
    if (!pair) return region
    region = object.regionOf(pair.key)
    node = pair.value
  }
  return region
}

/** The items of a list in a patch; undefined if the patch does not change it. */
export function listIn(content: Fields, ...keys: readonly string[]): readonly unknown[] | undefined {
  let value: unknown = content
  for (const key of keys) {
    const fields = fieldsOf(value)
    if (!Object.hasOwn(fields, key)) return undefined
    value = entryOf(fields, key)
    // A field that is set to null is removed with everything below it.
    if (value === null || fieldsOf(value).$patch === 'delete') return []
  }
  return listOf(value).filter((one) => !['delete', 'replace'].includes(textOf(fieldsOf(one).$patch)))
}
