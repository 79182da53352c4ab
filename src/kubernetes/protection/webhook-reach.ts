import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'

type Labels = Readonly<Record<string, string>>

/** Something that a cluster keeps doing, and that stops it when no webhook answers for it. */
interface Vital {
  /** The name in messages. */
  readonly name: string
  readonly group: string
  /** The operations that count, by the resource as rules of webhooks name it. */
  readonly operations: Readonly<Record<string, string>>
  readonly namespaced: boolean
  /** The labels that the cluster's own objects of this kind are known to have. */
  readonly labels: Labels
}

const rbac = {
  group: 'rbac.authorization.k8s.io',
  labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
}

const vitals: readonly Vital[] = [
  {
    name: 'Pods',
    group: '',
    operations: { pods: 'CREATE', 'pods/binding': 'CREATE', 'pods/status': 'UPDATE' },
    namespaced: true,
    labels: { 'k8s-app': 'kube-dns' },
  },
  {
    name: 'Leases',
    group: 'coordination.k8s.io',
    operations: { leases: 'CREATE UPDATE' },
    namespaced: true,
    labels: {},
  },
  { name: 'Roles', operations: { roles: 'CREATE UPDATE' }, namespaced: true, ...rbac },
  { name: 'RoleBindings', operations: { rolebindings: 'CREATE UPDATE' }, namespaced: true, ...rbac },
  {
    name: 'Nodes',
    group: '',
    operations: { nodes: 'CREATE', 'nodes/status': 'UPDATE' },
    namespaced: false,
    labels: { 'kubernetes.io/os': 'linux' },
  },
  { name: 'ClusterRoles', operations: { clusterroles: 'CREATE UPDATE' }, namespaced: false, ...rbac },
  { name: 'ClusterRoleBindings', operations: { clusterrolebindings: 'CREATE UPDATE' }, namespaced: false, ...rbac },
]

/**
 * The requests that a webhook blocks while its backend does not answer, such as `Pods in kube-system` or `Nodes`: those
 * that a cluster makes all the time, that match its rules and that no selector or condition excludes. Source:
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-configuration
 */
export function requestsBlockedBy(webhook: Cursor): { readonly what: string; readonly where: string }[] {
  // Expressions are not evaluated.
  if ([...webhook.at('matchConditions').items()].some((one) => one.at('expression').string?.trim() !== 'true'))
    return []
  const own = webhook.at('clientConfig', 'service', 'namespace').string
  const rules = [...webhook.at('rules').items()]
  return vitals
    .filter((vital) => rules.some((rule) => takes(rule, vital)))
    .flatMap(({ name, namespaced, labels }) => {
      const chosen = selects(webhook.at('objectSelector'), labels)
      if (!namespaced) return chosen === 'yes' ? [{ what: name, where: '' }] : []
      return [...new Set(['kube-system', own ?? 'kube-system'])].flatMap((where) => {
        const inNamespace = selects(webhook.at('namespaceSelector'), { 'kubernetes.io/metadata.name': where })
        // The backend's own Pods may well carry the label that leaves them out; those of the system do not.
        const isChosen = chosen === 'yes' || (chosen === 'unknown' && where !== own)
        return inNamespace === 'yes' && isChosen ? [{ what: name, where }] : []
      })
    })
}

/**
 * Whether a rule sends such requests to its webhook. A wildcard counts for namespaced objects, and a selector
 * may exclude some of them; for cluster-scoped ones, only a rule that names them.
 * Source:
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-rules
 */
function takes(rule: Cursor, { group, operations, namespaced }: Vital): boolean {
  const strings = (field: string) => [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
  const resources = strings('resources')
  const asked = strings('operations')
  return (
    ['*', namespaced ? 'Namespaced' : 'Cluster'].includes(rule.at('scope').string ?? '*') &&
    strings('apiGroups').some((one) => one === group || one === '*') &&
    Object.entries(operations).some(
      ([resource, counting]) =>
        resources.some((pattern) => (namespaced ? namesResource(pattern, resource) : pattern === resource)) &&
        asked.some((operation) => operation === '*' || counting.includes(operation)),
    )
  )
}

/** A star alone is every resource without subresources, two with a slash are all, and either part may be a star. */
export function namesResource(pattern: string, resource: string): boolean {
  const [whole, part] = resource.split('/')
  if (part === undefined) return ['*', '*/*', resource].includes(pattern)
  return ['*/*', `*/${part}`, `${whole}/*`, resource].includes(pattern)
}

/**
 * Whether a selector matches objects with these labels and possibly others that people set. A selector for another
 * label does not match, because it is not set on system objects; a selector for the absence of another label may or may
 * not match.
 */
export function selects(selector: Cursor, labels: Labels): 'yes' | 'no' | 'unknown' {
  const wanted = [...selector.at('matchLabels').entries()].map(([key, { string }]) => entryOf(labels, key) === string)
  const answers = [...wanted, ...[...selector.at('matchExpressions').items()].map((one) => meets(one, labels))]
  if (answers.includes(false)) return 'no'
  return answers.includes(undefined) ? 'unknown' : 'yes'
}

function meets(expression: Cursor, labels: Labels): boolean | undefined {
  const label = entryOf(labels, expression.at('key').string ?? '')
  const isAmong = [...expression.at('values').items()].some(({ string }) => string !== undefined && string === label)
  const operator = expression.at('operator').string
  if (operator === 'In') return isAmong
  if (operator === 'Exists') return label !== undefined
  if (label === undefined) return undefined
  return operator === 'NotIn' && !isAmong
}
