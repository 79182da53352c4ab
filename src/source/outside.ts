import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'

/** The fields of a Kustomization that name folders, files or repositories to take in; some take YAML instead. */
const bases = ['resources', 'bases', 'components', 'generators', 'transformers', 'validators']
const files = [
  'crds',
  'configurations',
  'patchesStrategicMerge',
  'patches',
  'patchesJson6902',
  'replacements',
  'openapi',
]
const generators = ['configMapGenerator', 'secretGenerator']
const charts = ['helmGlobals', 'helmCharts', 'helmChartInflationGenerator']
/** In the maps of the fields above, the keys that name files. */
const keys = [
  'path',
  'files',
  'envs',
  'env',
  'chartHome',
  'configHome',
  'valuesFile',
  'additionalValuesFiles',
  'values',
]

/** Where a plugin pulls a chart from is no matter: the helm that it is given pulls nothing. */
const pluginKeys = [...keys, 'paths']

/** A string of a Kustomization that names a place: a file, a folder, or with `isBase` perhaps a repository. */
export interface NamedPath {
  readonly scalar: Scalar<string>
  readonly isBase: boolean
  /** Whether a ConfigMap or Secret is made of it. */
  readonly isData: boolean
}

/** The strings of a Kustomization that name what is to be taken in. */
export function pathsNamed(document: Document): NamedPath[] {
  const found: NamedPath[] = []
  const resolved = (node: unknown): Node | undefined =>
    isAlias(node) ? node.resolve(document) : ((node ?? undefined) as Node | undefined)
  // Kustomize follows anchors, and merges maps by `<<`, so that a string may stand anywhere in the file.
  const fields = (map: YAMLMap, wanted: readonly string[], depth = 0): Node[] =>
    map.items.flatMap(({ key, value }) => {
      const name = isScalar(key) ? String(key.value) : ''
      const node = resolved(value)
      if (name === '<<' && depth < 20) {
        const merged = isSeq(node) ? node.items.map(resolved) : [node]
        return merged.flatMap((one) => (isMap(one) ? fields(one, wanted, depth + 1) : []))
      }
      return node && wanted.includes(name) ? [node] : []
    })
  const look = (node: Node | undefined, isBase: boolean, isData = false): void => {
    if (isSeq(node)) {
      for (const item of node.items) {
        const one = resolved(item)
        if (isMap(one)) for (const field of fields(one, keys)) look(field, false, isData)
        else if (isScalar(one)) look(one, isBase, isData)
      }
    } else if (isMap(node)) {
      for (const field of fields(node, keys)) look(field, false, isData)
    } else if (isScalar(node) && typeof node.value === 'string' && !node.value.includes('\n')) {
      // `app.conf=config/app.conf` names a file behind its key.
      const text = isBase ? node.value : node.value.replace(/^[^=/]*=/, '')
      if (text !== '') found.push({ scalar: node as Scalar<string>, isBase, isData })
    }
  }
  const { contents } = document
  if (!isMap(contents)) return []
  for (const field of fields(contents, bases)) look(field, true)
  for (const field of fields(contents, [...files, ...charts])) look(field, false)
  for (const field of fields(contents, generators)) look(field, false, true)
  return found
}

/**
 * The first URL that a plugin of kustomize's own would read, in a file of plugins or in a Kustomization that has them inline.
 * A proxy that leads nowhere does not help: Go asks none for what runs on the same machine.
 */
export function urlOfPlugin(text: string): { text: string; line: number } | undefined {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent', version: '1.1' })
  for (const document of 'empty' in documents ? [] : documents) {
    const isPlugin = isMap(document.contents) && document.get('apiVersion') === 'builtin'
    let found: { text: string; line: number } | undefined
    visit(document, {
      Scalar(key, { value, range }, path) {
        if (key === 'key' || typeof value !== 'string') return undefined
        const { line } = lines.linePos(range?.[0] ?? 0)
        const names = path.flatMap((node) => ('key' in node && isScalar(node.key) ? [String(node.key.value)] : []))
        if (isPlugin && /^(?:[^=]*=)?https?:/i.test(value) && names.some((name) => pluginKeys.includes(name)))
          found = { text: value, line }
        else if (!isPlugin && value.includes('\n') && value.includes('builtin')) {
          const inner = urlOfPlugin(value)
          found = inner && { text: inner.text, line }
        }
        return found ? visit.BREAK : undefined
      },
    })
    if (found) return found
  }
  return undefined
}
