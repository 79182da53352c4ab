import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/bootstrap-rbac.yaml'
import { compareVersions, parseVersion } from '../../cluster/version'
import type { ObjectRef } from '../../manifest/manifest'
import { factsFile, factsIn, proof, release, strict, text } from '../facts/facts-file'
import { type Permissions, type PolicyRule, permissionsOf } from './rbac'

const strings = Type.Array(Type.String())

const Rule = Type.Object(
  {
    apiGroups: Type.Optional(strings),
    resources: Type.Optional(strings),
    resourceNames: Type.Optional(strings),
    nonResourceURLs: Type.Optional(strings),
    verbs: strings,
  },
  strict,
)

const Role = Type.Object(
  {
    kind: Type.Enum(['ClusterRole', 'Role']),
    namespace: Type.Optional(text),
    name: text,
    /** The labels by which other roles aggregate it, each `true`. */
    labels: Type.Optional(strings),
    /** The labels of the roles it gathers. */
    gathers: Type.Optional(strings),
    rules: Type.Optional(Type.Array(Rule)),
    /** Its permissions that depend on feature gates. */
    gated: Type.Optional(Type.Array(Rule)),
  },
  strict,
)
type Role = Static<typeof Role>

const Binding = Type.Object(
  {
    kind: Type.Enum(['ClusterRoleBinding', 'RoleBinding']),
    namespace: Type.Optional(text),
    name: text,
    role: text,
    subjects: strings,
  },
  strict,
)

/** `facts/bootstrap-rbac.yaml` */
export const BootstrapFile = factsFile({
  tables: Type.Array(
    Type.Object(
      {
        /** The minor release of Kubernetes that the table was read at. */
        release,
        ...proof,
        roles: Type.Optional(Type.Array(Role)),
        bindings: Type.Optional(Type.Array(Binding)),
      },
      strict,
    ),
  ),
})

const { tables } = factsIn(BootstrapFile, rows)

/** The default permissions that an API server of a release gives a role. */
export interface DefaultRole {
  readonly release: string
  /** In every cluster of the release. */
  readonly always: readonly Permissions[]
  /** In some, and in others not. */
  readonly gated: readonly Permissions[]
  /** The labels of the roles it aggregates these from; none for a role with its own rules. */
  readonly gathers: readonly string[]
}

/**
 * The known defaults of a role: of the newest release that is not newer than the cluster's, or of all if that is
 * unknown. None for a role that no API server creates.
 *
 * @param kubernetes the cluster's version
 */
export function defaultsOf(ref: ObjectRef, kubernetes?: string): DefaultRole[] {
  const known = tables.flatMap(({ release, roles = [] }) =>
    roles
      .filter((role) => isOf(role, ref))
      .map((role) => ({ release, gathers: role.gathers ?? [], ...permissionsIn(role, roles) })),
  )
  const version = parseVersion(kubernetes ?? '')
  if (!version) return known
  const before = known.filter(({ release }) => compareVersions(parseVersion(release) ?? version, version) <= 0)
  return before.slice(-1)
}

function isOf({ kind, namespace = '', name }: { kind: string; namespace?: string; name: string }, ref: ObjectRef) {
  return kind === ref.kind && namespace === ref.namespace && name === ref.name
}

function permissionsIn(role: Role, all: readonly Role[]): Pick<DefaultRole, 'always' | 'gated'> {
  const parts = role.gathers ? all.filter(({ labels }) => labels?.some((label) => role.gathers?.includes(label))) : []
  const gathered = parts.map((part) => permissionsIn(part, all))
  const own = (rules: readonly PolicyRule[] = []) => rules.flatMap((rule) => permissionsOf(rule, role.namespace))
  return {
    always: [...own(role.rules), ...gathered.flatMap(({ always }) => always)],
    gated: [...own(role.gated), ...gathered.flatMap(({ gated }) => gated)],
  }
}

/** The subjects that an API server gives a default binding, as `Kind name`; undefined for other bindings. */
export function defaultSubjects(ref: ObjectRef): readonly string[] | undefined {
  return tables.flatMap(({ bindings = [] }) => bindings).find((binding) => isOf(binding, ref))?.subjects
}

/** The default subjects of a role, as `Kind name`. */
export function defaultHolders({ kind, name }: ObjectRef): readonly string[] {
  const role = `${kind} ${name}`
  return [
    ...new Set(
      tables
        .flatMap(({ bindings = [] }) => bindings.filter((one) => one.role === role))
        .flatMap(({ subjects }) => subjects),
    ),
  ]
}

/** The names of every default role, for tests that go over all of them. */
export function defaultRoles(): ObjectRef[] {
  const refs = tables.flatMap(({ roles = [] }) =>
    roles.map(({ kind, namespace = '', name }) => ({ group: 'rbac.authorization.k8s.io', kind, namespace, name })),
  )
  return [...new Map(refs.map((ref) => [JSON.stringify(ref), ref])).values()]
}
