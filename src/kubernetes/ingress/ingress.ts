import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { areComparable, mayBecome } from './placeholder'

/** One entry of an Ingress's `spec.tls`. */
export interface TlsEntry {
  readonly at: Cursor
  readonly hosts: readonly Cursor[]
  readonly secretName: Cursor
}

/** The TLS entries that were read: many rules ask for them. */
const known = new WeakMap<Manifest, readonly TlsEntry[]>()

/** The TLS entries of an Ingress, in order. */
export function tlsEntries(ingress: Manifest): readonly TlsEntry[] {
  const entries =
    known.get(ingress) ??
    [...ingress.root.at('spec', 'tls').items()].map((at) => ({
      at,
      hosts: [...at.at('hosts').items()],
      secretName: at.at('secretName'),
    }))
  known.set(ingress, entries)
  return entries
}

/** The Secrets an Ingress names for TLS, each at its first entry. */
export function tlsSecretNames(ingress: Manifest): Map<string, Cursor> {
  const names = new Map<string, Cursor>()
  for (const { secretName } of tlsEntries(ingress)) {
    if (secretName.string && !names.has(secretName.string)) names.set(secretName.string, secretName)
  }
  return names
}

/**
 * The hosts that an Ingress routes, in lower case, each at its first rule, and the aliases in an annotation of
 * ingress-nginx.
 */
export function routedHosts(ingress: Manifest): Map<string, Cursor> {
  const hosts = new Map<string, Cursor>()
  for (const rule of ingress.root.at('spec', 'rules').items()) {
    const host = rule.at('host')
    const name = host.string?.toLowerCase()
    if (name && !hosts.has(name)) hosts.set(name, host)
  }
  const alias = ingress.root.at('metadata', 'annotations', 'nginx.ingress.kubernetes.io/server-alias')
  for (const name of aliasesIn(alias.string ?? '')) if (hosts.size > 0 && !hosts.has(name)) hosts.set(name, alias)
  return hosts
}

/** A routed host as written at its place. */
export function writtenHost(at: Cursor, host: string): string {
  return at.string?.toLowerCase() === host ? at.string : host
}

/**
 * The names of a server alias; a regular expression is none. Source: ingress-nginx controller-v1.15.1,
 * internal/ingress/annotations/alias/main.go
 */
function aliasesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim().toLowerCase())
  return names.filter((name) => name !== '' && !name.startsWith('~'))
}

/**
 * Whether a name in a TLS entry covers a routed host. A wildcard matches exactly one label, in an Ingress as in a
 * certificate (RFC 6125, 6.4.3); case does not count.
 */
export function covers(name: string, host: string): boolean {
  const [pattern, wanted] = [name.toLowerCase(), host.toLowerCase()]
  if (pattern === wanted) return true
  return pattern.startsWith('*.') && wanted.slice(wanted.indexOf('.')) === pattern.slice(1) && !wanted.startsWith('*.')
}

/** The names that cover a host: its own, and the wildcard above it. To look names up by host, where there are many. */
export function namesCovering(host: string): string[] {
  const own = host.toLowerCase()
  const wildcard = `*${own.slice(own.indexOf('.'))}`
  return wildcard !== own && covers(wildcard, own) ? [own, wildcard] : [own]
}

/** Whether a name in a TLS entry may cover a routed host once placeholders in them are filled in. */
export function mayCover(name: string, host: string): boolean {
  if (areComparable(name, host)) return covers(name, host)
  return name.startsWith('*.') || mayBecome(name, host)
}

/** A name that some tool fills in before it reaches the cluster. */
export function isPlaceholder(name: string): boolean {
  return /\$\{|\{\{|\$\(|<path:[^<>]+>|<[^<>/]+>|__\w+__|%\w+%/.test(name)
}
