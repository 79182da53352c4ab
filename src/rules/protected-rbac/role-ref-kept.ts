import { bindingKinds } from '../../kubernetes/rbac'
import { roleRefOf } from '../../kubernetes/rbac-binding'
import { identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

export default defineRule({
  id: 'protected-rbac/role-ref-kept',
  summary: 'A binding keeps the role it was made with.',
  since: '1.1.0',
  scope: 'change',
  kinds: bindingKinds,
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#clusterrolebinding-example
    changed: ({ binding, before, after }: { binding: string; before: string; after: string }) =>
      `${binding} refers to ${after} in place of ${before}, and an API server refuses to change a roleRef: the apply fails, or a tool that replaces the binding leaves nobody bound in between. Put ${before} back and bind ${after} under another name; the old binding can go once the new one is applied.`,
  },
  check({ change, report }) {
    if (change.kind !== 'changed') return
    const [before, after] = [roleRefOf(change.before), roleRefOf(change.after)]
    if (!before || !after || identityOf(before.ref) === identityOf(after.ref)) return
    const [was, is] = [nameOf(before.ref), nameOf(after.ref)]
    const binding = nameOf(change.after.ref)
    report([after.at, before.at], 'changed', { binding, before: was, after: is }, { keys: [is] })
  },
})
