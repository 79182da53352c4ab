import { parseImage } from '../../cluster/image'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import {
  controllerKinds,
  controllersIn,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { closedOutwards } from '../../kubernetes/controllers/egress-closure'
import { networkPolicyKind } from '../../kubernetes/controllers/network-policy'
import { otherPolicyKinds } from '../../kubernetes/controllers/pod-isolation'
import { sidesOf } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const certManager = 'cert-manager-controller'

export default defineRule({
  id: 'controller-scope/egress-admitted',
  summary: 'NetworkPolicies let ingress controllers and cert-manager send requests.',
  since: '1.29.0',
  scope: 'change',
  kinds: [networkPolicyKind],
  reads: [...controllerKinds, ...otherPolicyKinds],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/services-networking/network-policies/#the-two-sorts-of-pod-isolation
    controller: ({ policy, pods }: Record<'policy' | 'pods', string>) =>
      `After this change ${policy} closes the way out of the Pods of ${pods}, and no policy opens more than DNS, so they reach neither the API server nor any backend, and the hosts they serve answer with errors. Add a policy that lets these Pods send requests, or leave them out of the podSelector.`,
    issuer: ({ policy, pods }: Record<'policy' | 'pods', string>) =>
      `After this change ${policy} closes the way out of the Pods of ${pods}, and no policy opens more than DNS, so they reach neither the API server nor an issuer, and no certificate is renewed. Add a policy that lets these Pods send requests, or leave them out of the podSelector.`,
  },
  putBack: { controller: 'changed', issuer: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === networkPolicyKind)
      yield* ['NetworkPolic', 'networkPolicies', certManager, ...marksOfControllers]
  },
  check({ change, base, head, report }) {
    const { before, after } = sidesOf(change)
    const policy = after ?? before
    if (!policy || (!after && head.get(policy.ref).length > 0)) return
    for (const { manifest, name, message } of askersIn(head)) {
      const [was] = base.get(manifest.ref)
      const closing = closedOutwards(manifest, head)
      const [first] = closing
      if (!was || !first || closedOutwards(was, base).size > 0) continue
      const end = podOf(manifest).at('metadata', 'labels')
      const args = { policy: nameOf((closing.has(policy) ? policy : first).ref), pods: name }
      if (closing.has(policy)) report([policy.root.at('spec'), end], message, args)
      // It let the requests out.
      else if (!after && closedOutwards(manifest, head.with([policy])).size === 0)
        report([policy.root, first.root.at('spec')], message, args)
    }
  },
})

interface Asker {
  readonly manifest: Manifest
  readonly name: string
  readonly message: 'controller' | 'issuer'
}

const known = new WeakMap<Snapshot, readonly Asker[]>()

/** The workloads that run an ingress controller or cert-manager: each changed policy asks for them. */
function askersIn(snapshot: Snapshot): readonly Asker[] {
  const before = known.get(snapshot)
  if (before) return before
  const controllers = controllersIn(snapshot)
    .filter(({ installed }) => !installed)
    .map((one): Asker => ({ manifest: one.manifest, name: nameOfController(one), message: 'controller' }))
  const issuers = controllerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter(runsCertManager)
    .map((manifest): Asker => ({ manifest, name: nameOf(manifest.ref), message: 'issuer' }))
  const found = [...controllers, ...issuers]
  known.set(snapshot, found)
  return found
}

function runsCertManager(workload: Manifest): boolean {
  return [...podOf(workload).at('spec', 'containers').items()].some((container) =>
    parseImage(container.at('image').string ?? '').repository.endsWith(certManager),
  )
}
