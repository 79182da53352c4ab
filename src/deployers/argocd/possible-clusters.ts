import path from 'node:path/posix'
import { type Generator, isGoTemplate, type SetGenerator } from '../../gitops/application-set'
import { type Element, fillText } from '../../gitops/filled-template'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Checkout } from '../../revision/checkout'
import { normalized } from '../../template/template-functions'
import { clusterNamed, clusterOf, fields, type Known } from './cluster-element'
import { withElement, withValues } from './generated-elements'

/** The number of clusters of one generator that are judged. */
export const mostClusters = 100

/** The number of paths of a set that are compared with the repository. */
const mostPatterns = 50

/** The clusters that a generator may mean, and whether there are more. */
export interface PossibleClusters {
  readonly elements: readonly Element[]
  readonly hasMore: boolean
  /** Whether the files of the repository, its config or the selector name them. */
  readonly areNamed: boolean
  /** Whether they may be any clusters: no path and no selector depends on them. */
  readonly areAny: boolean
}

/** Argo CD's own cluster. */
export const ownCluster = { name: 'in-cluster', server: 'https://kubernetes.default.svc', project: 'default' }

/**
 * The clusters of a generator. Only Argo CD knows them, but a set that deploys something different to each of them has a
 * file or a folder for each: `clusters/{{name}}/web` matches one folder for each cluster. If all get the same, Argo CD's
 * own cluster is read in place of all.
 */
export function possibleClusters(root: Cursor, set: SetGenerator, checkout: Checkout): PossibleClusters {
  const goTemplate = isGoTemplate(root)
  const clusters = clustersIn(set.generator)
  if (clusters.length === 0) return { elements: [], hasMore: false, areNamed: false, areAny: false }
  const [{ labels, values } = { labels: {}, values: {} }] = clusters
  const written = JSON.stringify([root.at('spec').value ?? null])
  const names = new Set([...fields, ...labelsIn(written)])
  const unknown = [...names].filter((name) => !(name in labels))
  // Numbers between marks that no path has, which the functions of templates leave as they are.
  const known: Known = Object.fromEntries(Object.entries(labels).map(([key, text]) => [key, String(text)]))
  const marks = Object.fromEntries(unknown.map((name, index) => [name, `⟦${index}⟧`]))
  const stand = withValues(clusterOf({ ...known, ...marks }, goTemplate), values, { goTemplate })
  const patterns = [...new Set(pathsOf(root, set, stand, goTemplate))].filter((one) => one.includes('⟦'))
  const places = patterns.length > 0 ? placesOf(checkout) : new Set<string>()
  let found: Assignment[] = [new Map()]
  let isCut = patterns.length > mostPatterns
  for (const pattern of patterns.slice(0, mostPatterns)) {
    const matches = matchesOf(pattern, places)
    const joined = found.flatMap((one) => matches.flatMap((other) => both(one, other)))
    isCut ||= matches.length > mostClusters || joined.length > mostClusters
    if (joined.length > 0) found = joined.slice(0, mostClusters + 1)
  }
  const isSelected = patterns.length === 0 && labelsIn(written).some((label) => label in known)
  const areNamed = isSelected || (patterns.length > 0 && found.every(({ size }) => size > 0))
  const elements = found.slice(0, mostClusters).map((assignment) => {
    const own = Object.fromEntries([...assignment].map(([index, text]) => [unknown[index] ?? '', text]))
    // A cluster without a known name gets one from its labels.
    const made = normalized(
      Object.entries(own)
        .map(([key, text]) => `${key.split('/').at(-1)}-${text}`)
        .join('-'),
    )
    const name = own.name ?? own.nameNormalized ?? made
    const its = areNamed ? { name, server: name, project: 'default' } : ownCluster
    return clusterOf(
      { ...its, ...known, ...own, nameNormalized: own.nameNormalized ?? normalized(its.name) },
      goTemplate,
    )
  })
  return { elements, hasMore: isCut, areNamed, areAny: patterns.length === 0 && Object.keys(labels).length === 0 }
}

/** The clusters that the config declares. */
export function declaredClusters(names: readonly string[], goTemplate: boolean): PossibleClusters {
  const elements = names.slice(0, mostClusters).map((name) => clusterNamed(name, {}, goTemplate))
  return { elements, hasMore: names.length > mostClusters, areNamed: true, areAny: false }
}

type Assignment = ReadonlyMap<number, string>

function clustersIn(generator: Generator): Extract<Generator, { kind: 'clusters' }>[] {
  if (generator.kind === 'clusters') return [generator]
  return 'generators' in generator ? generator.generators.flatMap(clustersIn) : []
}

/** The labels that the templates of a set use. */
function labelsIn(text: string): string[] {
  const written = text.matchAll(/metadata\.labels(?:\.([\w./-]+)| \\"([\w./-]+)\\")/g)
  return [...written].map(([, one, other]) => one ?? other ?? '')
}

/** The paths of this repository that a set names, with what is known of a cluster filled in; a folder ends with a slash. */
function* pathsOf(root: Cursor, set: SetGenerator, stand: Element, goTemplate: boolean): Iterable<string> {
  yield* rulesIn(withElement(set.generator, stand, { goTemplate }))
  yield* placesIn(root, set, stand, goTemplate)
}

/** The folders and values files of the templates of a set, filled in for an element; a folder ends with a slash. */
export function* placesIn(root: Cursor, set: SetGenerator, element: Element, goTemplate: boolean): Iterable<string> {
  const templates = [root.at('spec', 'template'), ...(set.template ? [root.at(...set.template)] : [])]
  for (const template of templates) {
    const spec = template.at('spec')
    for (const source of [spec.at('source'), ...spec.at('sources').items()]) {
      const folder = fillText(textAt(source.at('path')), element, goTemplate)
      if (folder !== '') yield `${folder}/`
      for (const file of source.at('helm', 'valueFiles').items()) {
        const text = fillText(textAt(file), element, goTemplate)
        if (text.startsWith('$')) yield text.slice(text.indexOf('/') + 1)
        else yield path.join(text.startsWith('/') ? '' : folder, text)
      }
    }
  }
}

function rulesIn(generator: Generator): readonly string[] {
  if (generator.kind === 'git') return generator.directories.map((rule) => `${rule.path}/`)
  if (generator.kind === 'git files') return generator.files.map((rule) => rule.path)
  return 'generators' in generator ? generator.generators.flatMap(rulesIn) : []
}

/** The possible texts of the marks in a path: a mark has one text, without a slash. */
function matchesOf(pattern: string, places: ReadonlySet<string>): Assignment[] {
  const place = path.normalize(pattern).replace(/^\/+/, '')
  const segments = place.split('/').map((segment) => segment.split(/⟦\d+⟧|\*+|\{\{[^{}]*\}\}/))
  // A path without a word of its own may be anything, and several marks between two slashes can be split in many ways.
  if (!segments.flat().some((word) => /\w/.test(word)) || segments.some(({ length }) => length > 3)) return []
  const marks: number[] = []
  const written = place.split(/⟦(\d+)⟧|(\*+|\{\{[^{}]*\}\})/).map((part, index) => {
    if (index % 3 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    if (part === undefined) return ''
    if (index % 3 === 2) return '[^/]*'
    const before = marks.indexOf(Number(part))
    if (before !== -1) return `\\${before + 1}(?!\\d)`
    marks.push(Number(part))
    return '([^/]+)'
  })
  const expression = new RegExp(`^${written.join('')}$`)
  const found = new Map<string, Assignment>()
  for (const one of places) {
    const texts = expression.exec(one)?.slice(1)
    if (!texts) continue
    found.set(JSON.stringify(texts), new Map(marks.map((mark, index) => [mark, texts[index] ?? ''])))
    if (found.size > mostClusters) break
  }
  return [...found.values()]
}

const placesOfTrees = new WeakMap<object, ReadonlySet<string>>()

/** All files, and all folders with a slash at the end: many sets are compared with them, in each round. */
function placesOf({ tree }: Checkout): ReadonlySet<string> {
  const known = placesOfTrees.get(tree)
  if (known) return known
  const places = new Set<string>()
  placesOfTrees.set(tree, places)
  for (const file of tree.entries.keys()) {
    places.add(file)
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) places.add(file.slice(0, end + 1))
  }
  return places
}

function both(one: Assignment, other: Assignment): Assignment[] {
  for (const [mark, text] of other) if ((one.get(mark) ?? text) !== text) return []
  return [new Map([...one, ...other])]
}
