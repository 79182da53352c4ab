import Type, { type Static } from 'typebox'
// Written by `npm run facts` from policies/facts/component-permissions.yaml.
import written from './permission-facts.json' with { type: 'json' }

const strict = { additionalProperties: false }
const text = Type.String({ minLength: 1 })
const texts = Type.Array(text, { minItems: 1 })
const proof = { source: Type.String({ pattern: '^https://' }), checked: Type.String({ format: 'date' }) }

const PolicyRule = Type.Object(
  { apiGroups: Type.Array(Type.String()), resources: texts, resourceNames: Type.Optional(texts), verbs: texts },
  strict,
)
/** The releases a need holds for, and the setting it hangs on. */
const scope = { versions: text, when: Type.Optional(text) }
const owner = { component: text, part: text, when: Type.Optional(text), ...proof }

const RoleNeeds = Type.Object(
  {
    ...owner,
    clusterRole: text,
    account: Type.Optional(text),
    needs: Type.Array(Type.Object({ ...scope, rules: Type.Array(PolicyRule, { minItems: 1 }) }, strict)),
  },
  strict,
)
/** What one part of a component has to be allowed, and the role that its own manifests call so. */
export type RoleNeeds = Static<typeof RoleNeeds>

const CrdNeeds = Type.Object({ ...owner, needs: Type.Array(Type.Object({ ...scope, names: texts }, strict)) }, strict)

/** `policies/facts/component-permissions.yaml` */
export const PermissionFile = Type.Object(
  { format: Type.Literal(1), roles: Type.Array(RoleNeeds), crds: Type.Array(CrdNeeds) },
  strict,
)
export type PermissionFile = Static<typeof PermissionFile>

const { roles, crds } = written as PermissionFile

/** By component and part, what it has to be allowed. */
export const roleNeeds: readonly RoleNeeds[] = roles
/** By component and part, the CRDs it reads. */
export const crdNeeds: readonly Static<typeof CrdNeeds>[] = crds
