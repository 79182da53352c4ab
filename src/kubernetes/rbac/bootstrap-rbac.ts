import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/bootstrap-rbac.yaml'
import { parseVersion } from '../../cluster/version'
import type { ObjectRef } from '../../manifest/manifest'
import { factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { type Permissions, permissionsOf, shared } from './rbac'

const strings = Type.Array(Type.String())
/** Minor releases: `1.20-1.23 1.27-`, the last of these without an end. */
const Span = Type.String({ pattern: '^1\\.\\d+-(?:1\\.\\d+)?(?: 1\\.\\d+-(?:1\\.\\d+)?)*$' })

const RoleRule = Type.Object(
  {
    apiGroups: Type.Optional(strings),
    resources: Type.Optional(strings),
    resourceNames: Type.Optional(strings),
    nonResourceURLs: Type.Optional(strings),
    verbs: strings,
    /** The releases in which every API server gives it: without `in` and `gated` all that have the role. */
    in: Type.Optional(Span),
    /** Those in which feature gates decide. */
    gated: Type.Optional(Span),
  },
  strict,
)
type RoleRule = Static<typeof RoleRule>

const object = { namespace: Type.Optional(text), name: text }

const Role = Type.Object(
  {
    kind: Type.Enum(['ClusterRole', 'Role']),
    ...object,
    /** The releases that have it, where not all do. */
    in: Type.Optional(Span),
    /** The labels by which other roles aggregate it, each `true`. */
    labels: Type.Optional(strings),
    /** The labels of the roles it gathers. */
    gathers: Type.Optional(strings),
    rules: Type.Optional(Type.Array(RoleRule)),
  },
  strict,
)
type Role = Static<typeof Role>

const Binding = Type.Object(
  {
    kind: Type.Enum(['ClusterRoleBinding', 'RoleBinding']),
    ...object,
    role: text,
    subjects: strings,
    /** Permissions in some releases, or with some feature gates. */
    sometimes: Type.Optional(strings),
  },
  strict,
)

/** `facts/bootstrap-rbac.yaml`, which `npm run bootstrap-rbac` writes. */
export const BootstrapFile = factsFile({
  read: Type.Object(
    {
      /** The patch release of each minor one that was read. */
      releases: texts,
      ...proof,
    },
    strict,
  ),
  roles: Type.Array(Role),
  bindings: Type.Array(Binding),
})

const { read, roles, bindings } = factsIn(BootstrapFile, rows)
const tables = read.releases.flatMap((release) => minorIn(release) ?? [])

/** The default permissions that the API servers of some releases give a role. */
export interface DefaultRole {
  /** Minor releases. */
  readonly releases: readonly string[]
  /** Permissions in every cluster of these releases. */
  readonly always: readonly Permissions[]
  /** Permissions in some of these clusters. */
  readonly gated: readonly Permissions[]
  /** The labels of the roles it aggregates these from; none for a role with its own rules. */
  readonly gathers: readonly string[]
}

/** Whether the facts have the defaults of a version of Kubernetes. */
export function hasDefaults(kubernetes: string): boolean {
  const minor = minorIn(kubernetes)
  return minor !== undefined && tables.includes(minor)
}

/** Whether an API server of some release creates a role. */
export function isDefaultRole(ref: ObjectRef): boolean {
  return roles.some((role) => isOf(role, ref))
}

/**
 * The defaults of a role as they were from release to release, the oldest first; none for a role that no API server
 * creates.
 */
export function defaultsOf(ref: ObjectRef): DefaultRole[] {
  const forms = new Map<string, { minors: number[]; always: Owned[]; gated: Owned[]; gathers: readonly string[] }>()
  for (const role of roles.filter((one) => isOf(one, ref))) {
    for (const minor of tables.filter((table) => isIn(role.in, table))) {
      const rules = rulesIn(role, minor)
      const [always, gated] = [false, true].map((isGated) => rules.filter((rule) => rule.isGated === isGated))
      const form = JSON.stringify([always, gated].map((some) => some?.map(({ at }) => at)))
      const known = forms.get(form)
      if (known) known.minors.push(minor)
      else forms.set(form, { minors: [minor], always: always ?? [], gated: gated ?? [], gathers: role.gathers ?? [] })
    }
  }
  return [...forms.values()].map(({ minors, always, gated, gathers }) => ({
    releases: minors.map((minor) => `1.${minor}`),
    always: always.flatMap(({ rule, namespace }) => permissionsOf(rule, namespace)),
    gated: gated.flatMap(({ rule, namespace }) => permissionsOf(rule, namespace)),
    gathers,
  }))
}

/** The defaults of a role in one version of Kubernetes; undefined where they are unknown, or it has no such role. */
export function defaultsAt(ref: ObjectRef, kubernetes: string): DefaultRole | undefined {
  const minor = minorIn(kubernetes)
  return defaultsOf(ref).find(({ releases }) => releases.includes(`1.${minor}`))
}

/** The permissions that each known release with a role always gives it. */
export function commonDefaults(ref: ObjectRef): readonly Permissions[] {
  const [first, ...others] = defaultsOf(ref).map(({ always }) => always)
  return others.reduce<readonly Permissions[]>(shared, first ?? [])
}

/** Whether every known release has a role. */
export function isInEveryRelease(ref: ObjectRef): boolean {
  return roles.some((role) => isOf(role, ref) && role.in === undefined)
}

function minorIn(version: string): number | undefined {
  const parsed = parseVersion(version)
  return parsed?.major === 1 ? parsed.minor : undefined
}

function isIn(span: string | undefined, minor: number): boolean {
  if (span === undefined) return true
  return span.split(' ').some((range) => {
    const [from = '', to = ''] = range.split('-')
    return minor >= (minorIn(from) ?? 0) && (to === '' || minor <= (minorIn(to) ?? 0))
  })
}

function isOf({ kind, namespace = '', name }: { kind: string; namespace?: string; name: string }, ref: ObjectRef) {
  return kind === ref.kind && namespace === ref.namespace && name === ref.name
}

/** A rule of a role, or of one that it aggregates. */
interface Owned {
  readonly rule: RoleRule
  readonly namespace: string | undefined
  readonly isGated: boolean
  /** The role, and the number of its rule. */
  readonly at: string
}

function rulesIn(role: Role, minor: number): Owned[] {
  const own = (role.rules ?? []).flatMap((rule, i): Owned[] => {
    const isGated = rule.gated !== undefined && isIn(rule.gated, minor)
    const isGiven = rule.in === undefined ? rule.gated === undefined : isIn(rule.in, minor)
    return isGated || isGiven ? [{ rule, namespace: role.namespace, isGated, at: `${role.name} ${i}` }] : []
  })
  const parts = roles.filter(
    (part) => isIn(part.in, minor) && part.labels?.some((label) => role.gathers?.includes(label)),
  )
  return [...own, ...parts.flatMap((part) => rulesIn(part, minor))]
}

/** The subjects that every API server gives a default binding, as `Kind name`; undefined for other bindings. */
export function defaultSubjects(ref: ObjectRef): readonly string[] | undefined {
  return bindings.find((binding) => isOf(binding, ref))?.subjects
}

/** The subjects that some API server gives a default binding; undefined for other bindings. */
export function possibleSubjects(ref: ObjectRef): readonly string[] | undefined {
  const binding = bindings.find((one) => isOf(one, ref))
  return binding && [...binding.subjects, ...(binding.sometimes ?? [])]
}

/** The default subjects of a role, as `Kind name`. */
export function defaultHolders({ kind, name }: ObjectRef): readonly string[] {
  const role = `${kind} ${name}`
  return [...new Set(bindings.filter((one) => one.role === role).flatMap(({ subjects }) => subjects))]
}

/** The names of every default role, for tests of all of them. */
export function defaultRoles(): ObjectRef[] {
  return roles.map(({ kind, namespace = '', name }) => ({ group: 'rbac.authorization.k8s.io', kind, namespace, name }))
}
