import { minimatch } from 'minimatch'
import { entryOf } from '../../entry'
import {
  elementOf,
  elementOfFolder,
  elementsOfFile,
  type Generator,
  isSelected,
  labelOf,
  type PathRule,
  readApplicationSet,
} from '../../gitops/application-set'
import { type Element, fillText } from '../../gitops/filled-template'
import { readGenerated } from '../../gitops/generated-file'
import { gitOpsKind } from '../../gitops/kinds'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import { isBoundedGlob } from '../../revision/glob'
import type { GitOpsSources, NotInspected } from '../common/gitops-sources'
import { clusterNamed } from './cluster-element'

/** The limit on the elements of a generator: no real set has more. */
const maxElements = 20_000

type Unknown = Pick<NotInspected, 'cause' | 'reason' | 'remedy'>

/** The context on which the elements of a generator depend. */
export interface Generating {
  readonly goTemplate: boolean
  /** The clusters, as far as the repository has files for them. */
  readonly clusters: readonly Element[]
  readonly named: GitOpsSources
}

/** The elements of a generator, or why they are unknown. */
export function elementsOf(generator: Generator, generating: Generating): readonly Element[] | Unknown {
  switch (generator.kind) {
    case 'list':
      return generator.elements
    case 'text': {
      const root = generator.text.includes('{{') ? undefined : readGenerated(generator.text)
      if (root?.isList) return [...root.items()].map((one) => elementOf(one, generating.goTemplate))
      return {
        cause: 'generator-not-read',
        reason: 'the `elementsYaml` of its generator `list` cannot be read',
        remedy:
          'Write the elements as a YAML list under `elements`; `elementsYaml` is read only where it is a list without `{{ }}`.',
      }
    }
    case 'clusters':
      return generating.clusters.map((one) => withValues(one, generator.values, generating))
    case 'unknown':
      return { cause: 'generator-not-read', reason: generator.reason, remedy: generator.remedy }
    case 'selected': {
      const elements = elementsOf(generator.generators[0], generating)
      return 'cause' in elements ? elements : elements.filter((element) => isSelected(element, generator.selector))
    }
    case 'matrix':
      return combined(generator.generators, generating)
    case 'merge':
      return merged(generator, generating)
    case 'git':
      return ofFolders(generator, generating)
    case 'git files':
      return ofFiles(generator, generating)
  }
}

function ofFolders(
  { name, repoURL, directories, values, prefix }: Extract<Generator, { kind: 'git' }>,
  generating: Generating,
): readonly Element[] | Unknown {
  const { goTemplate, named } = generating
  if (!named.isHere(repoURL, '')) return elsewhere('directories', repoURL)
  if (!directories.every(({ path }) => isBoundedGlob(path))) return tooComplex(name)
  return matching(directories, named.repositoryIndex.checkout).map((folder) =>
    withValues(elementOfFolder(folder, goTemplate, prefix), values, generating),
  )
}

function ofFiles(
  { repoURL, files, values, prefix }: Extract<Generator, { kind: 'git files' }>,
  generating: Generating,
): readonly Element[] | Unknown {
  const { goTemplate, named } = generating
  if (!named.isHere(repoURL, '')) return elsewhere('files', repoURL)
  if (!files.every(({ path }) => isBoundedGlob(path))) return tooComplex('git')
  const { checkout, generatorFiles } = named.repositoryIndex
  const elements: Element[] = []
  for (const file of filesOf(files, checkout)) {
    const text = generatorFiles.get(file)
    const root = text === undefined ? undefined : readGenerated(text)
    if (!root)
      return {
        cause: 'generator-not-read',
        reason: `${file}, which its generator \`git\` reads, cannot be read`,
        remedy: `Make ${file} a map of YAML or JSON, or a list of maps.`,
      }
    for (const element of elementsOfFile(file, root, goTemplate, prefix))
      elements.push(withValues(element, values, generating))
  }
  return elements
}

function combined(
  [first, second]: readonly [Generator, Generator],
  generating: Generating,
): readonly Element[] | Unknown {
  const outer = elementsOf(first, generating)
  if ('cause' in outer) return outer
  const all: Element[] = []
  for (const element of outer) {
    const inner = elementsOf(withElement(second, element, generating), generating)
    if ('cause' in inner) return inner
    if (all.length + inner.length > maxElements)
      return { cause: 'too-many', reason: `its generator \`matrix\` makes more than ${maxElements} elements` }
    for (const one of inner) all.push(laidOver(one, element))
  }
  return all
}

/** The second generator of a matrix may use the elements of the first. */
export function withElement(generator: Generator, element: Element, { goTemplate }: Pick<Generating, 'goTemplate'>) {
  const text = JSON.stringify(generator)
  if (!text.includes('{{')) return generator
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' ? fillText(value, element, goTemplate) : value,
  ) as Generator
}

function merged(
  { keys, generators }: Extract<Generator, { kind: 'merge' }>,
  generating: Generating,
): readonly Element[] | Unknown {
  const keyOf = (element: Element) => JSON.stringify(keys.map((key) => labelOf(element, key) ?? null))
  const [first, ...rest] = generators.map((one) => elementsOf(one, generating))
  if (!first || 'cause' in first) return first ?? []
  const [clusters] = generators
  const base = clusters?.kind === 'clusters' ? [...first, ...listedClusters(clusters, keys, rest, generating)] : first
  const found = new Map(base.map((element) => [keyOf(element), element]))
  for (const elements of rest) {
    if ('cause' in elements) return elements
    for (const element of elements) {
      const there = found.get(keyOf(element))
      if (there) found.set(keyOf(element), laidOver(there, element))
    }
  }
  return [...found.values()]
}

/** The clusters that lists name, which a generator of clusters may have. */
function listedClusters(
  { labels, values }: Extract<Generator, { kind: 'clusters' }>,
  keys: readonly string[],
  lists: readonly (readonly Element[] | Unknown)[],
  generating: Generating,
): readonly Element[] {
  const [key = ''] = keys
  const known = new Set(generating.clusters.map((one) => labelOf(one, key)))
  const named = lists.flatMap((list) => ('cause' in list ? [] : list.map((one) => labelOf(one, key) ?? '')))
  return [...new Set(named)]
    .filter((name) => name !== '' && !known.has(name))
    .map((name) => withValues(clusterNamed(name, labels, generating.goTemplate), values, generating))
}

/** An element with another one over it: maps are joined. */
function laidOver(below: Element, above: Element): Element {
  const joined = Object.entries(above).map(([key, value]) => {
    const under = entryOf(below, key)
    return [key, isElement(value) && isElement(under) ? laidOver(under, value) : value]
  })
  return { ...below, ...Object.fromEntries(joined) }
}

function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An element with the values that its generator adds, which may use it. */
export function withValues(element: Element, values: Element, { goTemplate }: Pick<Generating, 'goTemplate'>): Element {
  const filled = JSON.parse(JSON.stringify(values), (_, value) =>
    typeof value === 'string' ? fillText(value, element, goTemplate) : value,
  ) as Element
  return laidOver(element, filled)
}

/** The folders that some rule includes and none excludes; those that begin with a dot never match. */
function matching(rules: readonly PathRule[], checkout: Checkout): string[] {
  const folders = new Set<string>()
  for (const file of checkout.tree.entries.keys()) {
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end))
  }
  // Matches like Go's path.Match, in which no star crosses a slash.
  const tests = rules.map(({ path, exclude }) => ({
    excludes: exclude,
    matches: minimatch.filter(path, { noglobstar: true, nobrace: true }),
  }))
  return takenBy(tests, folders)
}

/**
 * The files of rules; Argo CD asks Git for them, to which a star takes slashes too, and a folder all that is below it.
 */
function filesOf(rules: readonly PathRule[], checkout: Checkout): string[] {
  const flat = (text: string) => text.replaceAll('/', ':')
  const tests = rules.map(({ path, exclude }) => {
    const matches = minimatch.filter(flat(path), {
      dot: true,
      nobrace: true,
      noext: true,
      nocomment: true,
      nonegate: true,
    })
    return { excludes: exclude, matches: (file: string) => file.startsWith(`${path}/`) || matches(flat(file)) }
  })
  return takenBy(
    tests,
    [...checkout.tree.entries.keys()].filter((file) => checkout.has(file)),
  )
}

function takenBy(
  tests: readonly { readonly excludes: boolean; readonly matches: (path: string) => boolean }[],
  paths: Iterable<string>,
): string[] {
  const isMatched = (path: string, byExcluding: boolean) =>
    tests.some(({ excludes, matches }) => excludes === byExcluding && matches(path))
  return [...paths].filter((path) => isMatched(path, false) && !isMatched(path, true)).sort()
}

/** The texts of the files that ApplicationSets make elements of, by path. */
export async function generatorFilesOf(
  manifests: readonly Manifest[],
  checkout: Checkout,
): Promise<ReadonlyMap<string, string>> {
  const sets = manifests.filter(({ ref }) => groupKindOf(ref) === gitOpsKind.applicationSet)
  const rules = sets.flatMap(({ root }) =>
    readApplicationSet(root).generators.flatMap(({ generator }) => rulesOf(generator)),
  )
  const isKnown = rules.every(({ path }) => isBoundedGlob(path) && !path.includes('{{'))
  if (rules.length === 0) return new Map()
  // A path that another generator fills in may be any of these.
  const files = isKnown
    ? filesOf(
        rules.filter(({ exclude }) => !exclude),
        checkout,
      )
    : [...checkout.tree.entries.keys()].filter((file) => /\.(?:ya?ml|json)$/.test(file))
  return checkout.texts(files)
}

function rulesOf(generator: Generator): readonly PathRule[] {
  if (generator.kind === 'git files') return generator.files
  return 'generators' in generator ? generator.generators.flatMap(rulesOf) : []
}

/** The elements of another repository. */
function elsewhere(what: string, repoURL: string): Unknown {
  return {
    cause: 'generator-elsewhere',
    reason: `the ${what} of ${repoURL} are not in this repository`,
    remedy: 'Write the elements in a generator `list` of this repository, or write the Applications themselves.',
  }
}

function tooComplex(generator: string): Unknown {
  return {
    cause: 'generator-not-read',
    reason: `the patterns of its generator \`${generator}\` are too complex to be followed`,
    remedy: 'Write patterns with fewer `*` and `{}`, or the elements in a generator `list`.',
  }
}
