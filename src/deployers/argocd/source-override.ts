import path from 'node:path/posix'
import { entryOf } from '../../entry'
import { type ApplicationSource, readApplication } from '../../gitops/application'
import { loadFile } from '../../manifest/load'
import { Manifest } from '../../manifest/manifest'
import type { DeclarationSite } from '../../sources/source'
import { type Fields, fieldsOf } from '../../sources/untyped'
import type { ArgoFiles } from '../common/argocd-files'
import { documentsIn } from '../common/document'

/** A source of an Application, with the overrides from files of its folder. */
export interface OverriddenSource {
  readonly source: ApplicationSource
  /** The files that change it, or would if they were there. */
  readonly mayChange: readonly string[]
  /** The blocks that such a file writes, each at its line; they count even where they are empty. */
  readonly blocks: ReadonlyMap<string, DeclarationSite>
  /** The reason why Argo CD cannot read one of them, and so deploys nothing. */
  readonly fault?: DeclarationSite & { readonly reason: string }
}

/** The blocks of a source that these files change. */
const blocks = ['helm', 'kustomize', 'directory', 'plugin'] as const

/**
 * Namespaces that Argo CD itself is usually in; the files of Applications of other namespaces have these in their
 * names.
 */
const ownNamespaces = ['', 'argocd', 'argo-cd', 'argo', 'openshift-gitops']

/**
 * Lays `.argocd-source.yaml` and `.argocd-source-NAME.yaml` of its folder over a source.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/parameters/#store-overrides-in-git
 */
export function overridden(
  source: ApplicationSource,
  place: string,
  application: { readonly name: string; readonly namespace: string },
  { overrides }: ArgoFiles,
): OverriddenSource {
  const { name, namespace } = application
  const names = ['', `-${name}`, ...(ownNamespaces.includes(namespace) ? [] : [`-${namespace}_${name}`])]
  const mayChange = names.map((one) => path.join(place, `.argocd-source${one}.yaml`))
  const files = mayChange.filter((file) => overrides.has(file))
  if (files.length === 0) return { source, mayChange, blocks: new Map() }
  let fields: Fields = Object.fromEntries(blocks.map((block) => [block, source[block].value ?? null]))
  const written = new Map<string, DeclarationSite>()
  for (const file of files) {
    const { documents, faults } = documentsIn(file, overrides.get(file) ?? '')
    const [fault] = faults
    if (fault) return { source, mayChange, blocks: new Map(), fault: { path: file, ...fault } }
    const root = documents[0]?.root
    const value = fieldsOf(root?.value)
    for (const block of blocks)
      if (root?.at(block).isMap) written.set(block, { path: file, region: root.at(block).region })
    fields = laidOver(fields, Object.fromEntries(blocks.map((block) => [block, value[block]])))
  }
  return { source: { ...source, ...blocksOf(fields) }, mayChange, blocks: written }
}

/**
 * Merges a value into a source as Argo CD decodes it: null removes nothing, keys stay, and an item of a list keeps the
 * fields of the item that was at its place. The values of helm alone are replaced as text.
 * https://github.com/argoproj/argo-cd/blob/v3.5.1/reposerver/repository/repository.go (mergeSourceParameters)
 */
function laidOver(old: Fields, over: Fields): Fields {
  const laid = Object.entries(over).flatMap(([key, value]) => {
    if (value === undefined || value === null) return []
    const was = entryOf(old, key)
    return [[key, key === 'valuesObject' ? merged(was, value) : decodedOver(was, value)] as const]
  })
  return Object.fromEntries([...Object.entries(old), ...laid])
}

function decodedOver(old: unknown, over: unknown): unknown {
  if (Array.isArray(over))
    return over.map((item, index) => decodedOver(Array.isArray(old) ? old[index] : undefined, item))
  return isFields(over) ? laidOver(fieldsOf(old), over) : over
}

/** A JSON merge patch: https://www.rfc-editor.org/rfc/rfc7396 */
function merged(old: unknown, over: unknown): unknown {
  if (!isFields(over)) return over
  const kept = Object.entries(fieldsOf(old)).filter(([key]) => !Object.hasOwn(over, key))
  const laid = Object.entries(over).flatMap(([key, value]) =>
    value === null ? [] : [[key, merged(entryOf(fieldsOf(old), key), value)] as const],
  )
  return Object.fromEntries([...kept, ...laid])
}

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

/** Values as the blocks of a source, without a place of their own. */
function blocksOf(fields: Fields): Partial<ApplicationSource> {
  const text = JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'overridden' },
    spec: { source: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) },
  })
  const [object] = loadFile({ text }).objects
  if (!object) return {}
  const [source] = readApplication(new Manifest(object, 'head', { kind: 'file', path: '' }, []).root).sources
  return source ? Object.fromEntries(blocks.map((block) => [block, source[block]])) : {}
}
