import { bindingKinds } from '../../kubernetes/rbac/rbac'
import { roleRefOf } from '../../kubernetes/rbac/rbac-binding'
import { identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/role-ref-kept',
  summary: 'A binding keeps the role it was created with.',
  since: '1.1.0',
  scope: 'change',
  kinds: bindingKinds,
  direct: true,
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#clusterrolebinding-example
    changed: ({ binding, before, after }: { binding: string; before: string; after: string }) =>
      `${binding} now refers to ${after} instead of ${before}, but a roleRef cannot be changed: the apply fails, or a tool recreates the binding and leaves its subjects unbound meanwhile. Restore ${before} and bind ${after} in a new binding; remove the old one after the new one is applied.`,
    gone: ({ binding, before }: { binding: string; before: string }) =>
      `${binding} no longer has a valid roleRef (it was ${before}), so the API server rejects it and the apply fails. Restore the roleRef, with its apiGroup, kind and name.`,
  },
  // A copy of it.
  putBack: { changed: 'changed', gone: 'changed' },
  *partners({ ref }) {
    yield ref.name
  },
  check({ change, report }) {
    if (change.kind !== 'changed') return
    const [before, after] = [roleRefOf(change.before), roleRefOf(change.after)]
    if (!before) return
    const binding = nameOf(change.after.ref)
    const was = nameOf(before.ref)
    if (!after) {
      report([change.after.root.at('roleRef'), before.at], 'gone', { binding, before: was })
      return
    }
    if (identityOf(before.ref) === identityOf(after.ref)) return
    const is = nameOf(after.ref)
    report([after.at, before.at], 'changed', { binding, before: was, after: is }, { keys: [is] })
  },
})
