import type { Cursor } from '../../manifest/cursor'

export const rbacGroup = 'rbac.authorization.k8s.io'
/** The kinds that hold permissions, and those that grant them. */
export const roleKinds = [`ClusterRole.${rbacGroup}`, `Role.${rbacGroup}`] as const
export const bindingKinds = [`ClusterRoleBinding.${rbacGroup}`, `RoleBinding.${rbacGroup}`] as const

/** One rule of a role, in the fields of Kubernetes. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly verbs: readonly string[]
}

/** The parts of a permission, the most selective one first. */
export const parts = ['resource', 'group', 'url', 'verb', 'name', 'namespace'] as const
type PermissionPart = (typeof parts)[number]

/** The field of a rule that lists each part; the namespace is the role's. */
export const fields: Readonly<Record<PermissionPart, string>> = {
  resource: 'resources',
  group: 'apiGroups',
  url: 'nonResourceURLs',
  verb: 'verbs',
  name: 'resourceNames',
  namespace: 'namespace',
}

/** Represents all values of a part. */
export const any = '*'

/** Represents all names: `*` would be an object of that name. */
const anyName = ''

/**
 * One thing that is allowed: a verb on a resource of a group, on one name or (empty) on any, in one namespace or (`*`)
 * in all; or a verb on a URL, whose group, resource and name are empty.
 */
export type Permission = Readonly<Record<PermissionPart, string>>

/** The permissions of one rule: every combination of its parts. */
export interface Permissions extends Readonly<Record<PermissionPart, ReadonlySet<string>>> {
  /** The rule, where a manifest has it. */
  readonly at: Cursor | undefined
}

const none: ReadonlySet<string> = new Set([''])

/**
 * An empty text in a list names no object, and matches nothing. Source:
 * https://github.com/kubernetes/component-helpers/blob/master/auth/rbac/validation/policy_comparator.go
 */
function written(text: string): string {
  return text === '' ? '""' : text
}

/** The permissions of a rule. A rule with resources and URLs counts as two, which do not restrict each other. */
export function permissionsOf(rule: PolicyRule, namespace = any, at?: Cursor): Permissions[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule
  const onResources = {
    resource: new Set(resources.map(written)),
    group: new Set(apiGroups),
    url: none,
    verb: new Set(verbs),
    name: new Set(resourceNames.length > 0 ? resourceNames.map(written) : [anyName]),
    namespace: new Set([namespace]),
    at,
  }
  const onUrls = { ...onResources, resource: none, group: none, url: new Set(nonResourceURLs.map(written)), name: none }
  return [onResources, onUrls].filter((permissions) => parts.every((part) => permissions[part].size > 0))
}

/** The permissions in the written rules of a role; those of a Role are limited to its namespace. */
export function permissionsIn(rules: Cursor): Permissions[] {
  const { kind, namespace } = rules.manifest.ref
  return [...rules.items()].flatMap((rule) => {
    const strings = (field: string) => [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
    return permissionsOf(
      {
        apiGroups: strings('apiGroups'),
        resources: strings('resources'),
        resourceNames: strings('resourceNames'),
        nonResourceURLs: strings('nonResourceURLs'),
        verbs: strings('verbs'),
      },
      kind === 'Role' ? namespace : any,
      rule,
    )
  })
}

/**
 * Whether one of the owner's values allows another one, which may be a wildcard itself. Only strings are compared, as
 * in the API server: a list of all verbs does not equal `*`, and `pods` does not include `pods/log`. Source:
 * https://github.com/kubernetes/component-helpers/blob/master/auth/rbac/validation/policy_comparator.go
 */
const allowsPart: Readonly<Record<PermissionPart, (owned: ReadonlySet<string>, value: string) => boolean>> = {
  resource(owned, value) {
    const slash = value.indexOf('/')
    return hasOrAny(owned, value) || (slash !== -1 && owned.has(`*${value.slice(slash)}`))
  },
  group: hasOrAny,
  url: (owned, value) => owned.has(value) || [...owned].some((url) => coversUrl(url, value)),
  verb: hasOrAny,
  name: (owned, value) => owned.has(anyName) || owned.has(value),
  namespace: hasOrAny,
}

function hasOrAny(owned: ReadonlySet<string>, value: string): boolean {
  return owned.has(any) || owned.has(value)
}

/** A URL that ends with `*` covers every URL with that prefix; `/healthz/*` does not cover `/healthz`. */
function coversUrl(owned: string, url: string): boolean {
  return owned === url || (owned.endsWith('*') && url.startsWith(owned.replace(/(?<!\*)\*+$/, '')))
}

/**
 * The permissions of the servant that no rule of the owner covers. The API server splits rules into single permissions
 * and looks for each; this subtracts each rule as a whole, with the same result and without expanding the products of
 * long rules.
 */
export function uncovered(owner: readonly Permissions[], servant: readonly Permissions[]): Permissions[] {
  return servant.flatMap((wanted) =>
    owner.reduce<Permissions[]>((left, owned) => left.flatMap((rest) => without(rest, owned)), [wanted]),
  )
}

/** Whether the owner's rules allow everything that the servant's rules allow. */
export function allows(owner: readonly Permissions[], servant: readonly Permissions[]): boolean {
  return uncovered(owner, servant).length === 0
}

function without(wanted: Permissions, owned: Permissions): Permissions[] {
  const rest: Permissions[] = []
  let shared = wanted
  for (const part of parts) {
    const [inside, outside] = [new Set<string>(), new Set<string>()]
    for (const value of wanted[part]) (allowsPart[part](owned[part], value) ? inside : outside).add(value)
    if (inside.size === 0) return [wanted]
    if (outside.size > 0) rest.push({ ...shared, [part]: outside })
    shared = { ...shared, [part]: inside }
  }
  return rest
}

/** The single permissions of a role, each once. */
export function* singles(permissions: readonly Permissions[]): Generator<Permission> {
  const seen = new Set<string>()
  for (const { resource, group, url, verb, name, namespace } of permissions) {
    for (const r of resource)
      for (const g of group)
        for (const u of url)
          for (const n of name)
            for (const s of namespace)
              for (const v of verb) {
                const single = { resource: r, group: g, url: u, verb: v, name: n, namespace: s }
                const key = JSON.stringify(single)
                if (!seen.has(key)) yield single
                seen.add(key)
              }
  }
}

/** A permission as `kubectl auth can-i` is asked for it: `update leases.coordination.k8s.io/name -n kube-system`. */
export function permissionText({ resource, group, url, verb, name, namespace }: Permission): string {
  if (url !== '') return `${verb} ${url}`
  const slash = resource.indexOf('/')
  const [whole, part] = slash === -1 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)]
  return [
    `${verb} ${whole}${group && `.${group}`}${name && `/${name}`}`,
    part && `--subresource=${part}`,
    namespace === any || namespace === '' ? '' : `-n ${namespace}`,
  ]
    .filter((word) => word !== '')
    .join(' ')
}

/** The permissions that both allow. */
export function shared(one: readonly Permissions[], other: readonly Permissions[]): Permissions[] {
  return uncovered(uncovered(other, one), one)
}

/** The same permissions inside one namespace, where permissions on URLs have no effect. */
export function inNamespace(permissions: readonly Permissions[], namespace: string): Permissions[] {
  return permissions
    .filter(({ url }) => url.has(''))
    .map((allowed) => ({ ...allowed, namespace: new Set([namespace]) }))
}

/** The texts in a field of a rule: `apiGroups`, `resources`, `verbs`, `resourceNames`. */
export function stringsIn(rule: Cursor, field: string): readonly string[] {
  return [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
}
