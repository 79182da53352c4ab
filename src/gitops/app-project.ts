import type { Cursor } from '../manifest/cursor'
import { isClusterScoped } from '../manifest/identity'
import type { ObjectRef } from '../manifest/manifest'
import { matchesArgoGlob } from './argo-glob'
import { textAt } from './text'

/**
 * An AppProject: the sources and destinations that its Applications may have.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/project-specification/
 */
export interface AppProject {
  readonly sourceRepos: Cursor
  readonly destinations: Cursor
  /** The namespaces of its Applications, apart from Argo CD's own. */
  readonly sourceNamespaces: Cursor
}

/** A destination of an Application; Argo CD knows the server of a name, and the name of a server. */
export interface AskedDestination {
  readonly name: string
  readonly server: string
  readonly namespace: string
}

export function readAppProject(root: Cursor): AppProject {
  const spec = root.at('spec')
  return {
    sourceRepos: spec.at('sourceRepos'),
    destinations: spec.at('destinations'),
    sourceNamespaces: spec.at('sourceNamespaces'),
  }
}

/**
 * Whether a project permits a repository. Source: https://github.com/argoproj/argo-cd/blob/v3.5.1/pkg/apis/application/v1alpha1/app_project_types.go,
 * IsSourcePermitted: a pattern with `!` denies what it matches, and takes all else.
 */
export function permitsSource({ sourceRepos }: AppProject, repoURL: string): boolean {
  const url = normalizedUrl(repoURL)
  const patterns = [...sourceRepos.items()].map(textAt)
  // Go's parser of URLs escapes the brackets of patterns.
  if (patterns.some((pattern) => /[{[\\?%]/.test(pattern))) return true
  const matches = (pattern: string) => pattern === '*' || matchesArgoGlob(normalizedUrl(pattern), url, '/')
  const denied = patterns.filter(isDenial)
  if (denied.some((pattern) => matches(pattern.slice(1)))) return false
  return patterns.some((pattern) => isDenial(pattern) || matches(pattern))
}

/**
 * Whether Applications of a namespace may be of a project, other than those in Argo CD's own. Source: IsAppNamespacePermitted in
 * the same file; a pattern may be a regular expression between slashes
 */
export function mayHoldApplicationsOf({ sourceNamespaces }: AppProject, namespace: string): boolean {
  const patterns = [...sourceNamespaces.items()].map(textAt)
  return patterns.some((pattern) => pattern.includes('/') || matchesArgoGlob(pattern, namespace))
}

/**
 * Whether a project may permit a destination: half of a cluster that is not known may match. Source: isDestinationMatched in
 * the same file
 */
export function mayPermitDestination({ destinations }: AppProject, asked: AskedDestination): boolean {
  const items = [...destinations.items()].map((at) => ({
    name: textAt(at.at('name')),
    server: textAt(at.at('server')),
    namespace: textAt(at.at('namespace')),
  }))
  const isDenied = items.some(
    ({ server, namespace }) =>
      isDenial(namespace) &&
      !takes(namespace, asked.namespace) &&
      asked.server !== '' &&
      !isDenial(server) &&
      takes(server, asked.server),
  )
  return (
    !isDenied &&
    items.some(
      ({ name, server, namespace }) =>
        takes(namespace, asked.namespace) && (mayTake(name, asked.name) || mayTake(server, asked.server)),
    )
  )
}

/** Whether a pattern may match half of a cluster, which may be unknown. */
function mayTake(pattern: string, half: string): boolean {
  return pattern !== '' && (half === '' || takes(pattern, half))
}

/**
 * The list by which a project refuses an object for its kind; undefined where it permits it. Source: IsGroupKindNamePermitted in
 * the same file. Names in lists are read since v3.3.0: an entry with a name permits all of its kind here.
 */
export function refusingList(spec: Cursor, ref: ObjectRef): Cursor | undefined {
  const [allowed, denied] = (
    isClusterScoped(ref)
      ? ['clusterResourceWhitelist', 'clusterResourceBlacklist']
      : ['namespaceResourceWhitelist', 'namespaceResourceBlacklist']
  ).map((key) => spec.at(key)) as [Cursor, Cursor]
  const hasKind = (at: Cursor) =>
    matchesArgoGlob(textAt(at.at('kind')), ref.kind) && matchesArgoGlob(textAt(at.at('group')), ref.group)
  const deniesName = (at: Cursor) => !at.at('name').exists || matchesArgoGlob(textAt(at.at('name')), ref.name)
  const denying = [...denied.items()].find((at) => hasKind(at) && deniesName(at))
  if (denying) return denying
  const entries = [...allowed.items()]
  // Without a list for kinds with namespaces, all of them are permitted; one that is empty may be dropped on the way.
  if (entries.length === 0 && !isClusterScoped(ref)) return undefined
  return entries.some(hasKind) ? undefined : allowed
}

function takes(pattern: string, text: string): boolean {
  return isDenial(pattern) ? !matchesArgoGlob(pattern.slice(1), text) : matchesArgoGlob(pattern, text)
}

function isDenial(pattern: string): boolean {
  return pattern.startsWith('!')
}

/** https://github.com/argoproj/argo-cd/blob/v3.5.1/util/git/git.go, NormalizeGitURL */
function normalizedUrl(repoURL: string): string {
  const url = repoURL.trim().toLowerCase()
  const isSsh = /^(?:ssh:\/\/)?[^/:]*@[^@]+$/.test(url)
  const path = isSsh && !url.startsWith('ssh://') ? url.replace(':', '/') : url
  return path.replace(/\.git$/, '').replace(/^ssh:\/\//, '')
}
