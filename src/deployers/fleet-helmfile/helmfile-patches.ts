import type { Cursor } from '../../manifest/cursor'
import type { Checkout } from '../../revision/checkout'
import { asciiJson } from '../../sources/ascii-json'
import { inside } from '../../sources/kustomization'
import { readPlugins } from '../../sources/kustomize-reader'
import type { PostRenderers } from '../../sources/source'
import { dataIn, type Fields, fieldsOf, listOf, textOf } from '../../sources/untyped'

/** The changes of a release to what its chart renders to. */
export interface ReleasePatches {
  readonly postRenderers?: PostRenderers
  /** The files of this repository that they are written in. */
  readonly files: readonly string[]
  /** A field whose effect is not known; none of the others is followed then. */
  readonly unread?: Cursor
}

/** The fields that kustomize is run for, and those that only the machine of helmfile can follow. */
const fields = {
  followed: ['jsonPatches', 'strategicMergePatches', 'transformers', 'forceNamespace'],
  unread: ['postRenderer', 'dependencies'],
}

/** An entry of such a field: in the helmfile, or in a file of its own. */
interface Entry {
  readonly text: string
  readonly value: unknown
}

/**
 * The changes that helmfile makes to a release by kustomize, in its order. Source: helmfile/chartify v0.26, patch.go and
 * set_namespace.go: a namespace is forced on objects that have none written, before they are patched.
 */
export async function patchesOf(release: Cursor, folder: string, checkout: Checkout): Promise<ReleasePatches> {
  const written = [...fields.followed, ...fields.unread].map((key) => release.at(key)).filter(({ exists }) => exists)
  const [first] = written
  if (!first) return { files: [] }
  const files = new Set<string>()
  const entries = new Map<string, Entry[]>()
  for (const field of written) {
    const key = textOf(field.path.at(-1))
    if (fields.unread.includes(key)) return { files: [], unread: field }
    if (key === 'forceNamespace') continue
    for (const item of field.items()) {
      const entry = await entryOf(item, folder, checkout, files)
      if (!entry) return { files: [], unread: field }
      entries.set(key, [...(entries.get(key) ?? []), entry])
    }
  }
  const namespace = textOf(release.at('forceNamespace').value)
  if (namespace.includes('{{')) return { files: [], unread: release.at('forceNamespace') }
  const ofJson = (entries.get('jsonPatches') ?? []).map(({ value }) => jsonPatchOf(value))
  if (ofJson.includes(undefined)) return { files: [], unread: release.at('jsonPatches') }
  const transformers = (entries.get('transformers') ?? []).map(({ text }) => readPlugins(text))
  if (transformers.some(({ faults, places }) => faults.length > 0 || places.length > 0))
    return { files: [], unread: release.at('transformers') }
  const patches = [...ofJson, ...(entries.get('strategicMergePatches') ?? []).map(({ text }) => ({ patch: text }))]
  const kustomizes = patches.length > 0 || transformers.length > 0
  const renderers = [
    ...(namespace === '' ? [] : [{ kustomize: { transformers: [namespaceForced(namespace)] } }]),
    ...(kustomizes ? [{ kustomize: { patches, transformers: transformers.map(({ written: its }) => its) } }] : []),
  ]
  if (renderers.length === 0) return { files: [...files] }
  return {
    files: [...files],
    postRenderers: {
      deployer: 'helmfile',
      field: textOf(first.path.at(-1)),
      renderers,
      strategy: '',
      at: { path: first.manifest.origin.path, region: first.region },
    },
  }
}

/** An entry as it is written, or the content of the file that it names; undefined where only helmfile knows it. */
async function entryOf(
  item: Cursor,
  folder: string,
  checkout: Checkout,
  files: Set<string>,
): Promise<Entry | undefined> {
  if (item.isMap) {
    const text = asciiJson(item.value)
    return text.includes('{{') ? undefined : { text, value: item.value }
  }
  const path = textOf(item.value)
  const place = /\.gotmpl$|\{\{|[*?[]/.test(path) ? undefined : inside(folder, path)
  const text = place === undefined ? undefined : await checkout.text(place)
  if (place === undefined || text === undefined) return undefined
  files.add(place)
  return { text, value: dataIn(text) }
}

/** A JSON patch as kustomize has it; undefined where its operations are in another file. */
function jsonPatchOf(entry: unknown): Fields | undefined {
  const { target, patch } = fieldsOf(entry)
  const operations = listOf(patch)
  return operations.length > 0 ? { target: fieldsOf(target), patch: asciiJson(operations) } : undefined
}

function namespaceForced(namespace: string): string {
  return asciiJson({
    apiVersion: 'builtin',
    kind: 'NamespaceTransformer',
    metadata: { name: 'namespace', namespace },
    unsetOnly: true,
    setRoleBindingSubjects: 'none',
    fieldSpecs: [{ path: 'metadata/namespace', create: true }],
  })
}
