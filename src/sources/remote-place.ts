import path from 'node:path/posix'
import { withoutEscapes } from '../percent'
import { isUrl } from './places'

/** The place of an entry of a Kustomization that is not in the repository. */
export type RemotePlace =
  | {
      readonly kind: 'tree'
      readonly repository: string
      /** A tag, a branch or a commit; empty for the default branch. */
      readonly ref: string
      /** The folder or the file in it; empty for its root. */
      readonly folder: string
      /** Whether the URL is that of a file. */
      readonly isFile: boolean
    }
  | {
      readonly kind: 'file'
      readonly url: string
      /** The URL that has to be trusted: the file's own, or the one above all files of the same repository. */
      readonly place: string
    }

/**
 * Reads an entry as kustomize does, which takes a URL for a file first and then for a repository:
 * https://github.com/kubernetes-sigs/kustomize/blob/master/api/internal/git/repospec.go
 *
 * @returns undefined for entries that kustomize refuses, or takes from this machine: `file://`, another scheme, a path
 * that leads out of the repository
 */
export function remotePlaceOf(entry: string): RemotePlace | undefined {
  return /[\s\\\p{Cc}]/u.test(entry) ? undefined : (fileAt(entry) ?? treeAt(entry))
}

/**
 * The place of a file that a Kustomization names by its URL other than as a resource: a patch, or content of a
 * ConfigMap. Kustomize gets it by its URL alone.
 */
export function filePlaceOf(url: string): RemotePlace | undefined {
  // Helm takes a comma for the end of a file's name.
  if (/[\s\\\p{Cc}]/u.test(url) || /[,"\n]/.test(url) || !isUrl(url) || !URL.canParse(url)) return undefined
  const parsed = new URL(url)
  return rawFile(parsed) ?? { kind: 'file', url, place: releasesAbove(parsed) ?? url }
}

function fileAt(entry: string): RemotePlace | undefined {
  if (!/^https?:/i.test(entry) || !URL.canParse(entry)) return undefined
  const url = new URL(entry)
  const { pathname, searchParams } = url
  if (searchParams.has('ref') || searchParams.has('version') || !/\.(?:ya?ml|json)$/.test(pathname)) return undefined
  if (['//', '_git/', '.git/'].some((mark) => pathname.includes(mark))) return undefined
  return rawFile(url) ?? { kind: 'file', url: entry, place: releasesAbove(url) ?? entry }
}

/**
 * The URLs at which GitHub and GitLab serve a file of a repository at a branch, a tag or a commit: also the commits of
 * forks.
 */
function rawFile({ protocol, host, pathname, search }: URL): RemotePlace | undefined {
  const names = pathname.slice(1).split('/')
  const dash = names.findIndex((name, index) => name === '-' && names[index + 1] === 'raw')
  const isGitHub = host === 'raw.githubusercontent.com' || (host === 'github.com' && names[2] === 'raw')
  if (search !== '' || (!isGitHub && dash < 2)) return undefined
  const owned = isGitHub ? 2 : dash
  const behind = names.slice(owned + (isGitHub ? (host === 'github.com' ? 1 : 0) : 2))
  const ofRef = behind[0] === 'refs' ? 3 : 1
  const [ref, folder] = [behind.slice(0, ofRef), behind.slice(ofRef)].map((part) => withoutEscapes(part.join('/')))
  if (!ref || !folder) return undefined
  const repository = `${protocol}//${isGitHub ? 'github.com' : host}/${names.slice(0, owned).join('/')}`
  return { kind: 'tree', repository, ref, folder, isFile: true }
}

/** Only users with write access to a repository of GitHub publish its releases. */
function releasesAbove({ origin, host, pathname }: URL): string | undefined {
  const names = pathname.split('/')
  return host === 'github.com' && names[3] === 'releases' ? `${origin}${names.slice(0, 4).join('/')}` : undefined
}

function treeAt(entry: string): RemotePlace | undefined {
  const [whole, query] = cut(entry.startsWith('git::') ? entry.slice('git::'.length) : entry, '?')
  const scheme = /^(?:https?|ssh):\/\//i.exec(whole)?.[0].toLowerCase() ?? ''
  const [first] = cut(whole.slice(scheme.length), '/')
  const user = first.includes('@') ? first.slice(0, first.lastIndexOf('@')) : ''
  const rest = whole.slice(scheme.length + (user === '' ? 0 : user.length + 1))
  const isGitHub = /^github\.com[:/]/i.test(rest)
  // Without a scheme only `git@host:owner/name` and GitHub are places elsewhere.
  if (scheme === '' && user === '' && !isGitHub) return undefined
  if (!/^[\w.-]*$/.test(scheme === '' ? user : '') || rest.includes('::')) return undefined
  const end = rest.search(scheme === '' ? /[:/]/ : /\//)
  if (end < 1) return undefined
  const [repository, written] = partsOf(rest.slice(end + 1))
  const folder = path.join('.', written)
  if (repository === '' || folder === '..' || folder.startsWith('../')) return undefined
  const isSsh = scheme === 'ssh://' || (scheme === '' && user !== '')
  const [account] = cut(user || (isGitHub ? 'git' : ''), ':')
  const named = isSsh ? `ssh://${account && `${account}@`}` : isGitHub ? 'https://' : scheme
  return {
    kind: 'tree',
    repository: `${named}${rest.slice(0, end)}/${repository}`,
    ref: refIn(query),
    folder: folder === '.' ? '' : folder.replace(/\/$/, ''),
    isFile: false,
  }
}

/** The repository and the folder in it: marked by `_git/`, `//` or `.git`, or else behind two names. */
function partsOf(rest: string): [string, string] {
  const azure = rest.indexOf('_git/')
  if (azure !== -1) {
    const end = rest.indexOf('/', azure + '_git/'.length)
    return end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)]
  }
  const marked = rest.indexOf('//')
  if (marked !== -1) return [rest.slice(0, marked), rest.slice(marked)]
  const suffix = rest.indexOf('.git')
  if (suffix !== -1) return [rest.slice(0, suffix + '.git'.length), rest.slice(suffix + '.git'.length)]
  const names = rest.split('/')
  return names.length < 2 ? ['', ''] : [names.slice(0, 2).join('/'), names.slice(2).join('/')]
}

function refIn(query: string): string {
  const values = new URLSearchParams(query)
  return values.get('ref') || (values.get('version') ?? '')
}

function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}
