/** A place that charts or trees are fetched from: a repository's whole URL, never its host alone. */
export interface Place {
  /** The same for all spellings of the place. */
  readonly key: string
  readonly scheme: 'https' | 'http' | 'oci' | 'ssh'
  /**
   * The URL without user and password: those in a manifest are not used. A URL of `https:` or `http:` also for the
   * other schemes, so that it is parsed as strictly.
   */
  readonly url: URL
  /** The user of `ssh`. */
  readonly user: string
}

const ports = { https: '443', http: '80', oci: '443', ssh: '22' }

/** The short form of `ssh`: `git@github.com:owner/name`. */
const short = /^[\w.-]+@[\w.-]+:/

/** @returns undefined for a string that names no place: another scheme, options, spaces, a query */
export function placeOf(written: string): Place | undefined {
  if (/[\s\\\p{Cc}]/u.test(written)) return undefined
  const text = short.test(written) ? `ssh://${written.replace(':', '/')}` : written
  const scheme = schemeOf(text)
  if (!scheme) return undefined
  const rest = text.slice(scheme.length)
  // URL would not normalise host and port of a scheme that it does not know.
  const web = scheme === 'http' || scheme === 'ssh' ? 'http' : 'https'
  if (!/^:\/\/[^/]/.test(rest) || /[?#]/.test(rest) || !URL.canParse(`${web}${rest}`)) return undefined
  const url = new URL(`${web}${rest}`)
  const user = scheme === 'ssh' ? url.username : ''
  if (user.startsWith('-') || url.hostname.startsWith('-')) return undefined
  url.username = ''
  url.password = ''
  const named = url.port && url.port !== ports[scheme] ? `:${url.port}` : ''
  const path = withoutSlashes(url.pathname).replace(/\.git$/, '')
  return { key: `${scheme}://${user ? `${user}@` : ''}${url.hostname}${named}${path}`, scheme, url, user }
}

/** Hosts that serve a repository under one path by `ssh` and by `https`, where anyone may read a public one. */
const publicHosts: ReadonlySet<string> = new Set(['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'])

/**
 * The place of `https` that is the same repository as one of `ssh`: the machine of a check rarely has a key, and a
 * public repository needs none.
 */
export function withoutKey({ scheme, url, user }: Place): Place | undefined {
  if (scheme !== 'ssh' || user !== 'git' || (url.port !== '' && url.port !== ports.ssh)) return undefined
  return publicHosts.has(url.hostname) ? placeOf(`https://${url.hostname}${url.pathname}`) : undefined
}

function schemeOf(text: string): Place['scheme'] | undefined {
  const end = text.indexOf(':')
  const written = text.slice(0, end).toLowerCase()
  return written === 'https' || written === 'http' || written === 'oci' || written === 'ssh' ? written : undefined
}

function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

/** A URL for people: a query may contain a signature, a user a password. */
export function shown(url: URL): string {
  return `${url.origin}${url.pathname === '/' ? '' : url.pathname}`
}
