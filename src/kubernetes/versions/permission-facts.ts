import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/component-permissions.yaml'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'

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
/** The permissions that one part of a component needs, and the role with that name in its own manifests. */
export type RoleNeeds = Static<typeof RoleNeeds>

const CrdNeeds = Type.Object(
  {
    ...owner,
    /** The CRD that is there wherever these are installed, where the component's own chart installs none of them. */
    apart: Type.Optional(text),
    /** With `version`, the CRDs have to define it. */
    needs: Type.Array(Type.Object({ ...scope, names: texts, version: Type.Optional(text) }, strict)),
  },
  strict,
)

/** `facts/component-permissions.yaml` */
export const PermissionFile = factsFile({ roles: Type.Array(RoleNeeds), crds: Type.Array(CrdNeeds) })

const { roles, crds } = factsIn(PermissionFile, rows)

/** The needed permissions, by component and part. */
export const roleNeeds: readonly RoleNeeds[] = roles
/** The CRDs that each component reads, by component and part. */
export const crdNeeds: readonly Static<typeof CrdNeeds>[] = crds
