import { groupKindOf, type Manifest } from '../manifest/manifest'
import { repositoryName } from '../revision/repository-name'

/** The kinds that name the repository which they deploy. */
const kinds: readonly string[] = [
  'Application.argoproj.io',
  'ApplicationSet.argoproj.io',
  'GitRepository.source.toolkit.fluxcd.io',
]

/**
 * The names that objects have for this repository on other hosts: a server at home, of which this one is a mirror. Its
 * owner and its own name are the same there.
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

/** `org/repo` of `github.com/org/repo`; empty for a name without an owner, which says too little. */
function pathOf(name: string): string {
  const path = name.slice(name.indexOf('/') + 1)
  return path.includes('/') ? path : name
}
