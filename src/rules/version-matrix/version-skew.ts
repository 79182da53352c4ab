import {
  type ClusterFacts,
  type ClusterNode,
  type Fact,
  factKinds,
  factMarks,
  statesFacts,
} from '../../cluster/cluster-facts'
import { minorOf, minorsAhead, nextMinor, parseVersion, type Version } from '../../cluster/version'
import { maxVersionsBehind } from '../../kubernetes/versions/skew-facts'
import { abridged } from '../../listing'
import { sidesOf } from '../../manifest/change'
import { defineRule } from '../../rule/rule'

interface Args {
  part: string
  version: string
  nodes: string
  server: string
}

export default defineRule({
  id: 'version-matrix/version-skew',
  summary:
    'Kubelets and kube-proxies are not newer than the API server and not too old for it, and upgrades skip no minor release.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: factKinds,
  messages: {
    newer: ({ part, version, nodes, server }: Args) =>
      `The ${part} of ${nodes} has version ${version}, newer than the API server's ${server}, which Kubernetes does not support. Upgrade the API server first, or set the nodes back to ${server}.`,
    older: ({ part, version, nodes, server, most }: Args & { most: number }) =>
      `The ${part} of ${nodes} has version ${version}, which is more than ${most} minor releases behind the API server's ${server}; Kubernetes does not support that. Upgrade these nodes before the API server.`,
    skipped: ({ from, to, next }: { from: string; to: string; next: string }) =>
      `This upgrades Kubernetes from ${from} to ${to}, but an upgrade may not skip a minor release. Upgrade to ${next} first, in a separate change.`,
  },

  partners(manifest) {
    return statesFacts(manifest) ? factMarks : []
  },

  check({ manifest, snapshot: { facts }, report }) {
    const server = facts.kubernetes && parseVersion(facts.kubernetes.value)
    // Checked once in a cluster: at the object that states the API server's version.
    if (!server || facts.kubernetes?.at.manifest !== manifest) return
    for (const { part, version, running } of partsOf(facts)) {
      const ahead = minorsAhead(version, server)
      if (ahead === undefined) continue
      const most = maxVersionsBehind(part, version)
      const message = ahead > 0 ? 'newer' : -ahead > most ? 'older' : undefined
      if (!message) continue
      const ends = [...running.slice(0, 1).map(({ at }) => at), facts.kubernetes.at]
      const args = { part, version: minorOf(version), nodes: namesOf(running), server: minorOf(server), most }
      report(ends, message, args, { keys: [`${part} ${minorOf(version)}`] })
    }
  },

  checkChange({ change, base, head, report }) {
    const [before, after] = [base.facts.kubernetes, head.facts.kubernetes]
    if (!before || !after || after.at.manifest !== sidesOf(change).after) return
    // A new inventory shows the result of several upgrades, not their steps.
    if (base.facts.takenAt?.value !== head.facts.takenAt?.value) return
    const [from, to] = [parseVersion(before.value), parseVersion(after.value)]
    if (!from || !to || (minorsAhead(to, from) ?? 0) < 2) return
    const [was, is, next] = [minorOf(from), minorOf(to), minorOf(nextMinor(from))]
    report([after.at, before.at], 'skipped', { from: was, to: is, next }, { keys: [is] })
  },
})

interface NodeProgram {
  readonly part: 'kubelet' | 'kube-proxy'
  readonly version: Version
  /** The nodes that run it, each with the place of its statement. */
  readonly running: { readonly name: string | undefined; readonly at: Fact['at'] }[]
}

/** The parts of nodes by minor release; a kube-proxy of its kubelet's own version is listed once. */
function partsOf({ nodes }: ClusterFacts): Iterable<NodeProgram> {
  const parts = new Map<string, NodeProgram>()
  const add = (part: NodeProgram['part'], node: ClusterNode, fact: Fact | undefined) => {
    const version = fact && parseVersion(fact.value)
    if (!version) return
    const key = `${part} ${minorOf(version)}`
    const known = parts.get(key) ?? { part, version, running: [] }
    known.running.push({ name: node.name, at: fact.at })
    parts.set(key, known)
  }
  for (const node of nodes) {
    add('kubelet', node, node.kubelet)
    if (node.kubeProxy?.value !== node.kubelet?.value) add('kube-proxy', node, node.kubeProxy)
  }
  return parts.values()
}

function namesOf(running: NodeProgram['running']): string {
  return abridged(running.map(({ name }) => name ?? 'every node'))
}
