import { minimatch } from 'minimatch'
import { elementOfFolder, type Generator, readApplicationSet } from '../gitops/application-set'
import { type Element, makeApplication } from '../gitops/filled-template'
import { Manifest } from '../manifest/manifest'
import { isBoundedGlob } from '../revision/glob'
import { nameSourcesOf } from './argocd'
import type { GitOpsSources, NotInspected } from './gitops-sources'

/** Adds the sources of the Applications of an ApplicationSet whose elements are in the object or in the repository. */
export function nameSourcesOfSet(manifest: Manifest, named: GitOpsSources): void {
  const { object, side, origin, clusters, root } = manifest
  const { generators, templatePatch, goTemplate } = readApplicationSet(root)
  if (templatePatch.exists) {
    named.skip(manifest, 'template-patch', 'its templatePatch is not supported')
    return
  }
  for (const generator of generators) {
    const elements = elementsOf(generator, goTemplate, named)
    if ('cause' in elements) {
      named.skip(manifest, elements.cause, elements.reason)
      continue
    }
    for (const element of elements) {
      const made = makeApplication(object, element)
      if (!made) break
      const { content } = made
      const from = content.indexOf('{{')
      const to = from === -1 ? -1 : content.indexOf('}}', from)
      if (to !== -1) {
        const placeholder = content.slice(from, to + 2)
        named.skip(manifest, 'template-not-filled', `${placeholder} in its template cannot be filled in`)
        break
      }
      nameSourcesOf(manifest, new Manifest(made, side, origin, clusters).root, named)
    }
  }
}

/** The elements of a generator, or why they are unknown. */
export function elementsOf(
  generator: Generator,
  goTemplate: boolean,
  named: GitOpsSources,
): readonly Element[] | Pick<NotInspected, 'cause' | 'reason'> {
  if (generator.kind === 'list') return generator.elements
  if (generator.kind === 'unknown') return { cause: 'generator-not-read', reason: generator.reason }
  const { name, repoURL, directories, values } = generator
  if (!named.isHere(repoURL, ''))
    return { cause: 'generator-elsewhere', reason: `the directories of ${repoURL} are not in this repository` }
  if (!directories.every(({ path }) => isBoundedGlob(path)))
    return { cause: 'generator-not-read', reason: `the patterns of its generator ${name} are not supported` }
  return matching(directories, named).map((folder) => ({ ...elementOfFolder(folder, goTemplate), ...values }))
}

/** The folders that some rule takes and none leaves out; those that begin with a dot are never taken. */
function matching(
  rules: Extract<Generator, { kind: 'git' }>['directories'],
  { repositoryIndex: { checkout } }: GitOpsSources,
): string[] {
  const folders = new Set<string>()
  for (const file of checkout.tree.entries.keys()) {
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end))
  }
  // Matches like Go's path.Match, in which no star crosses a slash.
  const tests = rules.map(({ path, exclude }) => ({
    excludes: exclude,
    matches: minimatch.filter(path, { noglobstar: true, nobrace: true }),
  }))
  const isMatched = (folder: string, byExcluding: boolean) =>
    tests.some(({ excludes, matches }) => excludes === byExcluding && matches(folder))
  return [...folders].filter((folder) => isMatched(folder, false) && !isMatched(folder, true)).sort()
}
