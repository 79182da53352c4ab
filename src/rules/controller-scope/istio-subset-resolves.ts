import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import {
  destinationRuleKind,
  hostOfRule,
  isSameHost,
  type MeshHost,
  mayBeSameHost,
  type NamedSubset,
  subsetsIn,
  subsetsNamedBy,
} from '../../kubernetes/ingress/destination-rule'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { virtualServiceKind } from '../../kubernetes/ingress/virtual-service'
import { enumerated } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/istio-subset-resolves',
  summary: 'The subset to which a VirtualService of Istio sends requests is in a DestinationRule of its host.',
  since: '1.29.0',
  scope: 'snapshot',
  kinds: [virtualServiceKind],
  reads: [destinationRuleKind],
  subjects: [{ kinds: [virtualServiceKind] }],
  direct: true,
  messages: {
    // Source: istio/istio at 097fb51acbef, pkg/config/analysis/analyzers/virtualservice/destinationrules.go: the analyzer of Istio
    // reports a subset that no DestinationRule has; Envoy then has no cluster of that name
    unknown: ({ user, subset, host, rule, known }: Record<'user' | 'subset' | 'host' | 'rule' | 'known', string>) =>
      `${user} sends requests to the subset ${subset} of ${host}, and ${rule} has ${known}, so Envoy answers 503. Name a subset that is there, or add this one to the DestinationRule.`,
    removed: ({ user, subset, rule }: Record<'user' | 'subset' | 'rule', string>) =>
      `This change removes ${rule}, and ${user} still sends requests to its subset ${subset}, so Envoy answers 503. Restore it, or remove the subset there, too.`,
  },
  putBack: { unknown: 'changed' },
  *partners(manifest) {
    if (manifest.ref.kind === 'VirtualService') for (const { host } of subsetsNamedBy(manifest)) yield host.name
    else yield hostOfRule(manifest)?.name ?? 'kind: VirtualService'
  },
  partnerKinds: ({ ref: { kind } }) =>
    kind === 'VirtualService' ? [destinationRuleKind] : [virtualServiceKind, destinationRuleKind],
  check({ manifest, snapshot, report }) {
    const seen = new Set<string>()
    for (const named of subsetsNamedBy(manifest)) {
      const { at, subset, host } = named
      const key = `${host.name}.${host.namespace ?? ''}`
      const [rule] = rulesFor(host, snapshot).filter((one) => isFor(one, host))
      if (!rule || seen.has(`${key} ${subset}`) || isThere(named, snapshot)) continue
      seen.add(`${key} ${subset}`)
      const names = subsetsIn(rule)
      const known = names.length > 0 ? `only ${enumerated(names, 4)}` : 'no subsets'
      const args = { user: nameOf(manifest.ref), subset, host: host.name, rule: nameOf(rule.ref), known }
      report([at, rule.root.at('spec', 'subsets')], 'unknown', args, { keys: [key, subset] })
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind !== 'removed' || groupKindOf(change.before.ref) !== destinationRuleKind) return
    const removed = change.before
    const had = subsetsIn(removed)
    const lost = (rulesIn(head).users.get(hostOfRule(removed)?.name ?? '') ?? []).filter(
      (one) =>
        had.includes(one.subset) &&
        isFor(removed, one.host) &&
        !isThere(one, head) &&
        !rulesFor(one.host, head).some((rule) => isFor(rule, one.host)),
    )
    const seen = new Set<Manifest>()
    for (const { at, subset } of lost) {
      if (seen.has(at.manifest)) continue
      seen.add(at.manifest)
      const args = { user: nameOf(at.manifest.ref), subset, rule: nameOf(removed.ref) }
      report([removed.root, at], 'removed', args, { keys: [args.user, subset] })
    }
  },
})

/** The DestinationRules of a snapshot, and what names their subsets, both by the names of the hosts. */
interface Rules {
  readonly named: ReadonlyMap<string, readonly Manifest[]>
  /** Those for many hosts, or for unknown ones. */
  readonly others: readonly Manifest[]
  readonly users: ReadonlyMap<string, readonly NamedSubset[]>
}

const known = new WeakMap<Snapshot, Rules>()

function rulesIn(snapshot: Snapshot): Rules {
  const rules = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, rules)
  return rules
}

function indexed(snapshot: Snapshot): Rules {
  const named = new Map<string, Manifest[]>()
  const others: Manifest[] = []
  for (const rule of snapshot.ofKind(destinationRuleKind)) {
    const host = hostOfRule(rule)
    if (!host || host.name.includes('*')) others.push(rule)
    else append(named, host.name, rule)
  }
  const users = new Map<string, NamedSubset[]>()
  for (const one of snapshot.ofKind(virtualServiceKind).flatMap(subsetsNamedBy)) append(users, one.host.name, one)
  return { named, others, users }
}

function rulesFor({ name }: MeshHost, snapshot: Snapshot): readonly Manifest[] {
  return rulesIn(snapshot).named.get(name) ?? []
}

/** Whether a DestinationRule is for a host, for certain. */
function isFor(rule: Manifest, host: MeshHost): boolean {
  const own = hostOfRule(rule)
  return own !== undefined && isSameHost(own, host)
}

/** Whether some DestinationRule has or may have a subset. */
function isThere({ subset, host }: NamedSubset, snapshot: Snapshot): boolean {
  const beside = rulesFor(host, snapshot).filter((rule) => {
    const own = hostOfRule(rule)
    return own !== undefined && mayBeSameHost(own, host)
  })
  return [...beside, ...rulesIn(snapshot).others].some((rule) =>
    subsetsIn(rule).some((one) => one === subset || isPlaceholder(one)),
  )
}
