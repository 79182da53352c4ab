import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { evaluated } from './expression'
import { namesResource, selects } from './webhook-reach'

/** A request that a cluster makes all the time, and its sender. */
interface VitalRequest {
  /** The name in messages. */
  readonly what: string
  readonly group: string
  readonly resource: string
  readonly operation: string
  /** Empty for a cluster-scoped object. */
  readonly namespace: string
  readonly user: string
  readonly groups: readonly string[]
}

const everyone = 'system:authenticated'
const node = { user: 'system:node:node-1', groups: ['system:nodes', everyone] }
const accountOf = (name: string) => ({
  user: `system:serviceaccount:kube-system:${name}`,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', everyone],
})
const system = { group: '', namespace: 'kube-system' }

/** Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings */
const requests: readonly VitalRequest[] = [
  {
    ...system,
    what: 'Pods of DaemonSets in kube-system',
    resource: 'pods',
    operation: 'CREATE',
    ...accountOf('daemon-set-controller'),
  },
  {
    ...system,
    what: 'bindings of Pods by the scheduler',
    resource: 'pods/binding',
    operation: 'CREATE',
    user: 'system:kube-scheduler',
    groups: [everyone],
  },
  { ...system, what: 'the status of Pods in kube-system', resource: 'pods/status', operation: 'UPDATE', ...node },
  { group: '', namespace: '', what: 'the status of nodes', resource: 'nodes/status', operation: 'UPDATE', ...node },
  {
    group: 'coordination.k8s.io',
    namespace: 'kube-node-lease',
    what: 'the Leases of nodes',
    resource: 'leases',
    operation: 'UPDATE',
    ...node,
  },
  {
    ...system,
    group: 'coordination.k8s.io',
    what: 'the Leases of the control plane',
    resource: 'leases',
    operation: 'UPDATE',
    user: 'system:kube-controller-manager',
    groups: [everyone],
  },
  {
    ...system,
    group: 'discovery.k8s.io',
    what: 'EndpointSlices in kube-system',
    resource: 'endpointslices',
    operation: 'UPDATE',
    ...accountOf('endpointslice-controller'),
  },
  {
    ...system,
    group: 'rbac.authorization.k8s.io',
    what: 'Roles in kube-system by administrators (system:masters)',
    resource: 'roles',
    operation: 'UPDATE',
    user: 'kubernetes-admin',
    groups: ['system:masters', everyone],
  },
]

/** The effect of a policy on the requests of the cluster itself, if a binding activates the policy. */
export interface PolicyEffect {
  /** The place that denies them. */
  readonly at: Cursor
  readonly denied: readonly string[]
}

/**
 * The requests that a ValidatingAdmissionPolicy denies with a binding, by the first expression that does; `unknown` at
 * the first expression that decides about such requests and cannot be evaluated. Source:
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function effectOf(policy: Manifest, binding: Manifest): PolicyEffect | { readonly unknown: Cursor } | undefined {
  const actions = [...binding.root.at('spec', 'validationActions').items()].map(({ string }) => string)
  if (!actions.includes('Deny')) return undefined
  const spec = policy.root.at('spec')
  const scopes = [spec.at('matchConstraints'), binding.root.at('spec', 'matchResources')]
  const taken = requests.filter((request) => scopes.every((scope) => takes(scope, request)))
  const answers = taken.flatMap((request) => {
    const context = contextOf(request, spec)
    const conditions = [...spec.at('matchConditions').items()].map((one) => valueAt(one.at('expression'), context))
    if (conditions.includes(false)) return []
    const validations = [...spec.at('validations').items()].map((one) => one.at('expression'))
    return validations.map((at) => ({
      request,
      at,
      value: conditions.includes(undefined) ? undefined : valueAt(at, context),
    }))
  })
  const denying = answers.filter(({ value }) => value === false)
  const [first] = denying
  if (first) return { at: first.at, denied: [...new Set(denying.map(({ request }) => request.what))] }
  const open = answers.find(({ value }) => value === undefined)
  return open && { unknown: open.at }
}

function valueAt({ string }: Cursor, context: Readonly<Record<string, unknown>>): unknown {
  return string === undefined ? undefined : evaluated(string, context)
}

function contextOf({ user, groups, namespace, operation, group, resource }: VitalRequest, spec: Cursor) {
  const [name, subResource = ''] = resource.split('/')
  const request = {
    userInfo: { username: user, groups: [...groups] },
    namespace,
    operation,
    dryRun: false,
    resource: { group, version: 'v1', resource: name },
    subResource,
  }
  const namespaceObject = { metadata: { name: namespace } }
  const context = { request, namespaceObject, object: { metadata: { namespace } } }
  const variables = new Map<string, unknown>()
  for (const one of spec.at('variables').items()) {
    const value = valueAt(one.at('expression'), { ...context, variables: Object.fromEntries(variables) })
    if (value !== undefined) variables.set(one.at('name').string ?? '', value)
  }
  return { ...context, variables: Object.fromEntries(variables) }
}

/** Whether the resources of a policy or a binding include a request; a binding without any uses those of its policy. */
function takes(scope: Cursor, request: VitalRequest): boolean {
  const rules = [...scope.at('resourceRules').items()]
  if (rules.length > 0 && !rules.some((rule) => matches(rule, request))) return false
  if ([...scope.at('excludeResourceRules').items()].some((rule) => matches(rule, request))) return false
  const isNamed = selects(scope.at('namespaceSelector'), { 'kubernetes.io/metadata.name': request.namespace })
  if (request.namespace !== '' && isNamed !== 'yes') return false
  return selects(scope.at('objectSelector'), {}) === 'yes'
}

function matches(rule: Cursor, { group, resource, operation, namespace }: VitalRequest): boolean {
  const strings = (field: string) => [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
  return (
    ['*', namespace === '' ? 'Cluster' : 'Namespaced'].includes(rule.at('scope').string ?? '*') &&
    strings('resourceNames').length === 0 &&
    strings('apiGroups').some((one) => one === group || one === '*') &&
    strings('resources').some((pattern) => namesResource(pattern, resource)) &&
    strings('operations').some((one) => one === operation || one === '*')
  )
}
