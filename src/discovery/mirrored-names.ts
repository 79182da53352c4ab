import { groupKindOf, type Manifest } from '../manifest/manifest'
import { repositoryName } from '../revision/repository-name'

/** The kinds that name the repository which they deploy. */
const kinds: readonly string[] = [
  'Application.argoproj.io',
  'ApplicationSet.argoproj.io',
  'GitRepository.source.toolkit.fluxcd.io',
]

/**
 * The names of this repository on other hosts by which objects deploy it, such as a Git server at home that it mirrors:
 * the owner and the name of the repository are the same there.
 *
 * @param manifests of the base, as a change could bring a repository of another person under such a name
 * @param names of this repository, as `repositoryName` gives them
 */
export function mirroredNames(manifests: readonly Manifest[], names: readonly string[]): string[] {
  const paths = new Set(names.map(pathOf))
  const named = manifests
    .filter(({ ref }) => kinds.includes(groupKindOf(ref)))
    .flatMap(({ object }) => [...object.content.matchAll(/\b(?:repoURL|url):\s*["']?([^\s"',}]+)/g)])
    .map(([, url = '']) => repositoryName(url))
  return [...new Set(named)].filter((name) => paths.has(pathOf(name)) && !names.includes(name))
}

/** `org/repo` of `github.com/org/repo`; the whole name where it has no owner, as the rest says too little. */
function pathOf(name: string): string {
  const path = name.slice(name.indexOf('/') + 1)
  return path.includes('/') ? path : name
}
