import { entryOf } from '../entry'
import { type Finding, type Location, severityOf } from './report'

/** The subjects that the keys of a rule's findings name, in their order; the last word applies to all further ones. */
type Subjects = Readonly<Record<string, readonly ('host' | 'secret' | 'any')[]>>

/**
 * Rules that state one cause in different words, the gravest consequence first. Among those about one host or one
 * Secret of an object, or about its removal, the first leads, and the texts of the others are attached to it.
 */
const chains: readonly Subjects[] = [
  {
    'ingress-tls/controller-crash': ['host', 'secret'],
    'ingress-tls/host-covered': ['host'],
    'ingress-tls/tls-kept': ['host'],
    'ingress-tls/certificate-covers-host': ['host'],
    'ingress-tls/secret-type': ['secret'],
  },
  { 'ingress-tls/certificate-covers-host': ['host'], 'ingress-tls/secret-agrees': ['host'] },
  { 'ingress-tls/secret-provided': ['any'], 'ingress-tls/certificate-issued': ['any'] },
  { 'controller-scope/service-reaches': ['any'], 'controller-scope/publish-target': ['any'] },
]

/**
 * Rules on outages that go beyond the object itself: an exception from another rule was granted for less, and does not
 * cover their findings.
 */
const wide: ReadonlySet<string> = new Set(['ingress-tls/controller-crash', 'controller-scope/service-reaches'])

const chained = new Set(chains.flatMap((chain) => Object.keys(chain)))

/** Findings that state one cause, as the finding of the rule that leads; it keeps its fingerprint. */
export function mergeByCause(findings: readonly Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>()
  for (const finding of findings) {
    if (!chained.has(finding.rule)) continue
    const { cluster, object, status } = finding
    const key = JSON.stringify([cluster, object, status])
    const group = groups.get(key)
    if (group) group.push(finding)
    else groups.set(key, [finding])
  }
  const merged = new Map<Finding, Finding | undefined>()
  for (const group of groups.values()) {
    if (group.length > 1) for (const [finding, result] of mergedIn(group)) merged.set(finding, result)
  }
  return findings.flatMap((finding) => (merged.has(finding) ? (merged.get(finding) ?? []) : finding))
}

/** The findings of a group with the one that leads them; undefined for a leader. */
function mergedIn(group: readonly Finding[]): Map<Finding, Finding | undefined> {
  const merged = new Map<Finding, Finding | undefined>()
  for (const chain of chains) {
    const rules = Object.keys(chain)
    const rank = ({ rule }: Finding) => rules.indexOf(rule)
    const open = group
      .filter((finding) => rank(finding) !== -1 && !merged.has(finding))
      .sort((a, b) => severityOf(b.level) - severityOf(a.level) || rank(a) - rank(b))
    for (const [index, leader] of open.entries()) {
      if (merged.has(leader)) continue
      const led = open.slice(index + 1).filter((finding) => !merged.has(finding) && leads(leader, finding, chain))
      if (led.length === 0) continue
      merged.set(leader, withOthers(leader, led))
      for (const finding of led) merged.set(finding, undefined)
    }
  }
  return merged
}

function leads(leader: Finding, finding: Finding, chain: Subjects): boolean {
  if (leader.rule === finding.rule) return false
  const subjects = new Set(subjectsOf(leader, chain))
  if (!subjectsOf(finding, chain).some((subject) => subjects.has(subject))) return false
  return !finding.exception || leader.exception !== undefined || isCoveredWith(leader, finding)
}

function subjectsOf({ rule, keys, location, object }: Finding, chain: Subjects): string[] {
  const kinds = entryOf(chain, rule) ?? []
  const named = keys.map((key, index) => JSON.stringify([kinds[index] ?? kinds.at(-1), key]))
  // From the base, only a removed object is shown.
  return location.side === 'base' && object ? [...named, JSON.stringify(['removed', lineOf(location)])] : named
}

/** Whether an exception that covers one finding covers the finding that leads it. */
function isCoveredWith(leader: Finding, finding: Finding): boolean {
  return finding.exception !== undefined && hasTermsFor(leader, finding)
}

/** Whether the exception for one finding is enough for the finding that leads it. */
function hasTermsFor(leader: Finding, { level }: Finding): boolean {
  return !wide.has(leader.rule) && level === leader.level
}

function withOthers(leader: Finding, led: readonly Finding[]): Finding {
  const { location, related } = leader
  const exception = leader.exception ?? led.find((finding) => isCoveredWith(leader, finding))?.exception
  const expired = leader.expired ?? led.find((finding) => hasTermsFor(leader, finding))?.expired
  return {
    ...leader,
    ...(exception ? { exception } : {}),
    ...(expired && !exception ? { expired } : {}),
    also: led.map(({ rule, message, text, level, policy, fingerprint }) => ({
      rule,
      message,
      text,
      level,
      policy,
      fingerprint,
    })),
    objects: distinct([...leader.objects, ...led.flatMap(({ objects }) => objects)], JSON.stringify),
    related: distinct([location, ...related, ...led.flatMap((one) => [one.location, ...one.related])], lineOf).slice(1),
  }
}

function lineOf({ side, path, region }: Location): string {
  return JSON.stringify([side, path, region.startLine])
}

function distinct<T>(items: readonly T[], by: (item: T) => string): T[] {
  const seen = new Set<string>()
  return items.filter((item) => {
    const key = by(item)
    return !seen.has(key) && seen.add(key)
  })
}
