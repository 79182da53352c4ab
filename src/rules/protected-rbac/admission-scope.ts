import { effectOf } from '../../kubernetes/protection/admission-policy'
import { abridged } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const policyKind = 'ValidatingAdmissionPolicy.admissionregistration.k8s.io'
const bindingKind = 'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io'

export default defineRule({
  id: 'protected-rbac/admission-scope',
  summary: 'No admission policy denies the requests of the cluster itself.',
  since: '1.2.0',
  scope: 'snapshot',
  kinds: [policyKind, bindingKind],
  messages: {
    denies: ({ policy, binding, what }: { policy: string; binding: string; what: string }) =>
      `${policy} with ${binding} denies requests of the cluster itself: ${what}. Exclude kube-system and the users of the system with a namespaceSelector or matchConditions.`,
  },
  *partners(manifest) {
    if (manifest.ref.kind === 'ValidatingAdmissionPolicy') yield manifest.ref.name
    const policy = manifest.root.at('spec', 'policyName').string
    if (policy) yield policy
  },
  check({ manifest, snapshot, report, skip }) {
    if (manifest.ref.kind !== 'ValidatingAdmissionPolicy') return
    for (const binding of snapshot.ofKind(bindingKind)) {
      const named = binding.root.at('spec', 'policyName')
      const effect = named.string === manifest.ref.name ? effectOf(manifest, binding) : undefined
      if (!effect) continue
      if ('unknown' in effect) {
        skip(effect.unknown, 'whether this expression denies requests of the cluster itself is not known')
        continue
      }
      const args = { policy: nameOf(manifest.ref), binding: nameOf(binding.ref), what: abridged(effect.denied) }
      report([effect.at, named], 'denies', args, { keys: effect.denied })
    }
  },
})
