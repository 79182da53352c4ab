import { Hunks } from '../manifest/hunks'
import type { Side } from '../manifest/manifest'
import { withoutKeysOfAnsible } from './ansible-keys'
import { type KeyedLine, keysOfLines } from './keys-of-lines'
import { isEncrypted } from './named-files'

/** The start of a change of a file, and whether it touches routes, TLS or permissions. */
export interface Touched {
  readonly side: Side
  readonly line: number
  readonly weighs: boolean
}

/** A longer text is not compared line by line. */
const longest = 1_000_000

/** Words of keys that values of charts have for routes, TLS and permissions. */
const words: ReadonlySet<string> = new Set(
  [
    ['ingress', 'ingresses', 'gateway', 'gateways', 'route', 'routes', 'routing', 'httproute', 'virtualservice'],
    ['host', 'hosts', 'hostname', 'hostnames', 'fqdn', 'domain', 'domains', 'vhost', 'vhosts', 'subdomain'],
    ['tls', 'ssl', 'cert', 'certs', 'certificate', 'certificates', 'issuer', 'acme'],
    ['rbac', 'role', 'roles', 'rolebinding', 'clusterrole', 'clusterrolebinding', 'permissions'],
    ['webhook', 'webhooks', 'expose', 'exposed'],
  ].flat(),
)

/** Those of them that are of an Ingress where they are below a key with the word `ingress`. */
const ofIngresses: ReadonlySet<string> = new Set([
  'ingress',
  'ingresses',
  'host',
  'hosts',
  'hostname',
  'hostnames',
  'tls',
])

/** The same of a route of Gateway API, below a key with the word `route`. */
const ofRoutes: ReadonlySet<string> = new Set(['route', 'httproute', 'hostname', 'hostnames'])

/** Keys of a route below which no rule judges anything. */
const ofBackends: ReadonlySet<string> = new Set(['rules', 'backendRefs'])

/** Keys of Pods that hold one of these words, and are about the node. */
const ofNodes = new Set(['hostNetwork', 'hostPath', 'hostPort', 'hostPID', 'hostIPC', 'hostUsers', 'hostAliases'])

/** Ends of keys of credentials: an encrypted value of one decides no route, certificate or permission. */
const ofCredentials = ['password', 'passwd', 'token']

/** Kinds whose every field is about routes, TLS or permissions. */
const kinds =
  /^(?:Ingress|IngressClass|IngressRoute\w*|HTTPProxy|Gateway|GatewayClass|\w*Route|VirtualService|Certificate|(?:Cluster)?Issuer|(?:Cluster)?Role(?:Binding)?|\w*WebhookConfiguration)$/

/**
 * Compares the two texts of a file line by line; a side that lacks the file has none.
 *
 * @param assumed the kinds of assumed objects of the values that are judged: their keys then have no weight
 * @param tool the tool that takes the file
 */
export function touchedIn(
  before: string | undefined,
  after: string | undefined,
  assumed: readonly string[] = [],
  tool?: string,
): Touched {
  const side = after === undefined ? 'base' : 'head'
  const touched = linesTouched(before ?? '', after ?? '')
  if (!touched) return { side, line: 1, weighs: true }
  const { added, newLines, oldLines, written, cut } = touched
  const [heavy, gone] = [heavyLines(newLines, written, tool), heavyLines(oldLines, cut, tool)]
  const open =
    assumed.length > 0
      ? [...heavyLines(newLines, written, tool, assumed), ...heavyLines(oldLines, cut, tool, assumed)]
      : [...heavy, ...gone]
  const weighs = open.length > 0
  if (side === 'base') return { side, line: gone[0] ?? 1, weighs }
  const cutAt = (line: number | undefined) =>
    line === undefined ? undefined : added.removalOf({ startLine: line, startColumn: 1, endLine: line, endColumn: 1 })
  return { side, line: heavy[0] ?? cutAt(gone[0]) ?? written[0] ?? cutAt(cut[0]) ?? 1, weighs }
}

/** The lines of both texts of a file that differ; undefined where that takes too long to find. */
export function linesTouched(was: string, is: string) {
  if (was.length > longest || is.length > longest) return undefined
  const [added, removed] = [new Hunks(was, is), new Hunks(is, was)]
  const [newLines, oldLines] = [is.split('\n'), was.split('\n')]
  const written = linesOf(newLines, added)
  const cut = linesOf(oldLines, removed)
  // A file that differs nearly everywhere has no hunks.
  return written.length === 0 && cut.length === 0 ? undefined : { added, newLines, oldLines, written, cut }
}

/** The lines of one side that differ, except comments and blank lines. */
function linesOf(lines: readonly string[], hunks: Hunks): number[] {
  const found = lines.flatMap((_, index) => (hunks.wrote(index + 1) ? [index + 1] : []))
  const saying = found.filter((line) => /^\s*[^\s#]/.test(lines[line - 1] ?? ''))
  return saying.length > 0 ? saying : found
}

/** The lines that have a word of routes, TLS or permissions among their keys and the keys above them. */
function heavyLines(
  lines: readonly string[],
  chosen: readonly number[],
  tool: string | undefined,
  judged: readonly string[] = [],
): number[] {
  const wanted = new Set(chosen)
  const found: number[] = []
  const kindsAt = new Map<number, boolean>()
  const keyed = [...keysOfLines(lines)]
  for (const one of tool === 'Ansible' ? withoutKeysOfAnsible(keyed, lines) : keyed) {
    const { line, start, keys } = one
    if (!wanted.has(line)) continue
    const isKind = kindsAt.get(start) ?? kindsBelow(lines, start)
    kindsAt.set(start, isKind)
    const all = weightOf(one, lines[line - 1] ?? '')
    const without = judgedWords(all, keys, judged)
    if (isKind || all.some((word) => !without.has(word))) found.push(line)
  }
  return found
}

/** The words that weigh on a line. */
function weightOf({ keys, own }: KeyedLine, text: string): string[] {
  const found = keys.flatMap(heavyWords)
  // A flow map may hold further values on its line.
  if (own !== 1 || !isEncrypted(text)) return found
  const last = keys.at(-1)?.toLowerCase() ?? ''
  if (ofCredentials.some((word) => last.endsWith(word))) return []
  // `secret` names an object elsewhere: `ingress.tls.secret`.
  return last.endsWith('secret') ? found.filter((word) => !word.startsWith('webhook')) : found
}

/** The words without weight on a line, as the assumed objects that they make are judged. */
function judgedWords(
  words: readonly string[],
  keys: readonly string[],
  judged: readonly string[],
): ReadonlySet<string> {
  if (judged.includes('Ingress') && words.some((word) => word.startsWith('ingress'))) return ofIngresses
  const isOfRoute = words.some((word) => word === 'route' || word === 'httproute')
  const isRead = isOfRoute && !keys.some((key) => ofBackends.has(key))
  return isRead && judged.some((kind) => kind !== 'Ingress') ? ofRoutes : new Set()
}

/** Whether the document that begins at a line is of a weighted kind. */
function kindsBelow(lines: readonly string[], start: number): boolean {
  for (let index = start; index < lines.length; index++) {
    const text = lines[index] ?? ''
    if (index > start && /^---(?:\s|$)/.test(text)) return false
    const [, kind] = text.match(/^kind:\s*["']?([A-Za-z]+)/) ?? []
    if (kind !== undefined) return kinds.test(kind)
  }
  return false
}

/** The words of a key that are of routes, TLS or permissions. */
function heavyWords(key: string): string[] {
  // Variables of programs are written so.
  if (ofNodes.has(key) || /^[A-Z0-9_]+$/.test(key)) return []
  const parts = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[\s./_-]+/)
  return parts.map((part) => part.toLowerCase()).filter((part) => words.has(part))
}
