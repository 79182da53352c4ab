import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { type DnsScope, dnsScopesOf, leftOutBy, takesForDns } from '../../kubernetes/controllers/external-dns-scope'
import { isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { abridged } from '../../listing'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const ingressKind = 'Ingress.networking.k8s.io'

export default defineRule({
  id: 'controller-scope/records-kept',
  summary: 'ExternalDNS goes on making the records of hosts that stay routed.',
  since: '1.30.0',
  scope: 'change',
  kinds: workloadKinds,
  reads: [ingressKind],
  messages: {
    // Source: https://github.com/kubernetes-sigs/external-dns/blob/v0.19.0/plan/policy.go: sync deletes records without a source
    left: ({ dns, flag, hosts }: Record<'dns' | 'flag' | 'hosts', string>) =>
      `After this change --${flag} leaves out Ingresses for which ${dns} made records, and with --policy=sync it deletes the records of ${hosts}, although these hosts stay routed. Keep these Ingresses in, or first set --policy=upsert-only.`,
  },
  putBack: { left: 'changed' },
  *partners(manifest) {
    if (manifest.object.content.includes('external-dns')) yield* ['Ingress', 'external-dns']
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed' || !workloadKinds.includes(groupKindOf(change.after.ref))) return
    const { before, after } = change
    const [was, is] = [dnsScopesOf(before, base)[0], dnsScopesOf(after, head)[0]]
    if (!was || !is?.prunes) return
    const lost = lostHosts(was, is, base, head)
    for (const [flag, hosts] of lost) {
      const given = is.settings.all(flag).at(-1)
      const args = { dns: nameOf(after.ref), flag, hosts: abridged([...hosts]) }
      report(given?.at ?? is.settings.placeOf(flag), 'left', args, { keys: [flag] })
    }
  },
})

/** The hosts of Ingresses that one ExternalDNS made records of and none does after a change, by the flag that leaves them out. */
function lostHosts(was: DnsScope, is: DnsScope, base: Snapshot, head: Snapshot): ReadonlyMap<string, Set<string>> {
  const others = workloadKinds.flatMap((kind) => head.ofKind(kind)).flatMap((one) => dnsScopesOf(one, head))
  const lost = new Map<string, Set<string>>()
  const kept = new Set<string>()
  for (const ingress of head.ofKind(ingressKind)) {
    const hosts = [...routedHosts(ingress).keys()].filter((host) => !isPlaceholder(host))
    const [before] = base.get(ingress.ref)
    const isTaken = others.some((one) => takesForDns(one, ingress) !== false)
    if (isTaken) for (const host of hosts) kept.add(host)
    if (isTaken || hosts.length === 0 || !before || takesForDns(was, before) !== true) continue
    const flag = leftOutBy(is, ingress)
    lost.set(flag, new Set([...(lost.get(flag) ?? []), ...hosts]))
  }
  const left = [...lost].map(([flag, hosts]) => [flag, new Set([...hosts].filter((host) => !kept.has(host)))] as const)
  return new Map(left.filter(([, hosts]) => hosts.size > 0))
}
