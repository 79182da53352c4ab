import Type from 'typebox'
import { matchesObject, objectGlobPattern } from '../../kubernetes/object-glob'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../rule'

const LabelSelector = Type.Object(
  {
    label: Type.String({ description: 'A label that protects an object, whatever its value.' }),
    kinds: Type.Array(Type.String(), { description: 'The kinds the label protects.' }),
  },
  { additionalProperties: false },
)

const params = Type.Object({
  protect: Type.Array(
    Type.Union([
      Type.String({ pattern: objectGlobPattern, description: 'Kind/namespace/name or Kind/name; globs allowed.' }),
      LabelSelector,
    ]),
    {
      description:
        'The protected objects, as `Kind/namespace/name` or `Kind/name` globs or by a label. A list given in a config adds to the policy’s.',
    },
  ),
})

/** The entry of `protect` that an object falls under, as words. */
function protectionOf(
  manifest: Manifest,
  protect: readonly (string | { label: string; kinds: string[] })[],
): string | undefined {
  for (const entry of protect) {
    if (typeof entry === 'string') {
      if (matchesObject(entry, manifest.ref)) return entry
    } else if (entry.kinds.includes(manifest.ref.kind) && manifest.root.at('metadata', 'labels', entry.label).exists) {
      return `label ${entry.label}`
    }
  }
  return undefined
}

export default defineRule({
  id: 'protected-rbac/object-kept',
  summary: 'No protected object is removed from its cluster.',
  since: '1.0.0',
  scope: 'change',
  kinds: '*',
  params,
  messages: {
    // The API server makes its default objects anew when it starts, and only then:
    // https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
    removed: ({ object, protection }: { object: string; protection: string }) =>
      `This change removes ${object}, which is protected (${protection}). Put it back: a default object of Kubernetes returns only when a kube-apiserver starts, any other never, and until then whatever stands on it is refused.`,
  },
  *partners(manifest, { protect }) {
    if (protectionOf(manifest, protect)) yield manifest.ref.name
  },
  check({ change, head, params: { protect }, report }) {
    if (change.kind !== 'removed') return
    const protection = protectionOf(change.before, protect)
    if (!protection || head.get(change.before.ref).length > 0) return
    report(change.before.root, 'removed', { object: nameOf(change.before.ref), protection })
  },
})
