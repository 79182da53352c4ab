import * as Type from 'typebox'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import { bindingKinds, roleKinds } from '../../kubernetes/rbac/rbac'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

const autoupdate = 'rbac.authorization.kubernetes.io/autoupdate'
const bootstrapping = 'kubernetes.io/bootstrapping'

export default defineRule({
  id: 'protected-rbac/reconciliation-kept',
  summary: 'API servers keep repairing their default roles and bindings.',
  since: '1.1.0',
  scope: 'change',
  kinds: [...roleKinds, ...bindingKinds],
  direct: true,
  params: Type.Object({ protect: Protect }),
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
    autoupdate: ({ object }: { object: string }) =>
      `${object} has the annotation ${autoupdate}: "false", so a starting API server no longer restores permissions or subjects that it lacks or that the next release of Kubernetes needs. Set it to "true", or remove the annotation.`,
    label: ({ object }: { object: string }) =>
      `${object} loses the label ${bootstrapping}: rbac-defaults, which marks the objects that Kubernetes itself creates and repairs. Add the label back.`,
  },
  // A copy of it.
  *partners(manifest, { protect }) {
    if (protectionOf(manifest, protect)) yield manifest.ref.name
  },
  check({ change, params: { protect }, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : undefined
    if (!protectionOf(before ?? after, protect) || isForeign(before ?? after)) return
    const object = nameOf(after.ref)
    const at = after.root.at('metadata', 'annotations', autoupdate)
    const was = before?.root.at('metadata', 'annotations', autoupdate)
    if (isFalse(at.value) && !isFalse(was?.value)) {
      const fix = replaced(at, 'true')
      report(was?.exists ? [at, was] : at, 'autoupdate', { object }, fix && { fix })
    }
    const label = before && labelOf(before)
    if (label && !labelOf(after))
      report([after.root.at('metadata', 'labels', bootstrapping), label], 'label', { object })
  },
})

/**
 * The API server requires a string; YAML reads it as a boolean without quotes, which it would refuse, but tools fix
 * that.
 */
function isFalse(value: unknown): boolean {
  return value === 'false' || value === false
}

function labelOf({ root }: Manifest) {
  const label = root.at('metadata', 'labels', bootstrapping)
  return label.string === 'rbac-defaults' ? label : undefined
}
