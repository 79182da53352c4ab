import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { meets, writtenLabel } from '../controllers/label-answer'
import { labelOfNamespace } from '../controllers/pod-isolation'
import type { AdmissionRequest } from './admission-request'
import { resultOf, variablesOf, type Work } from './object-expression'
import { namesResource } from './webhook-reach'

export const policyKind: GroupKind = 'ValidatingAdmissionPolicy.admissionregistration.k8s.io'
export const bindingKind: GroupKind = 'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io'

/** A policy that denies, by one of its bindings. */
export interface BoundPolicy {
  readonly policy: Manifest
  readonly binding: Manifest
}

interface Bound {
  readonly all: readonly BoundPolicy[]
  /** By the name of each part. */
  readonly named: ReadonlyMap<string, readonly BoundPolicy[]>
}

const indexes = new WeakMap<Snapshot, Bound>()

/** The policies that deny in a snapshot; one with parameters is not judged. */
export function boundIn(snapshot: Snapshot): Bound {
  const known = indexes.get(snapshot)
  if (known) return known
  const policies = new Map(snapshot.ofKind(policyKind).map((policy) => [policy.ref.name, policy]))
  const all = snapshot.ofKind(bindingKind).flatMap((binding): BoundPolicy[] => {
    const actions = [...binding.root.at('spec', 'validationActions').items()]
    const policy = policies.get(binding.root.at('spec', 'policyName').string ?? '')
    const denies = policy && actions.some(({ string }) => string === 'Deny')
    return denies && !policy.root.at('spec', 'paramKind').isSet ? [{ policy, binding }] : []
  })
  const named = new Map<string, BoundPolicy[]>()
  for (const one of all) for (const { ref } of [one.policy, one.binding]) append(named, keyOf(ref), one)
  const found = { all, named }
  indexes.set(snapshot, found)
  return found
}

/** The policies and bindings of which an object is one. */
export function boundBy({ ref }: Manifest, snapshot: Snapshot): readonly BoundPolicy[] {
  return boundIn(snapshot).named.get(keyOf(ref)) ?? []
}

function keyOf({ kind, name }: Manifest['ref']): string {
  return `${kind}/${name}`
}

/**
 * The validation that refuses a request for certain; undefined where none does or that is not known. Source:
 * kubernetes/api, admissionregistration/v1/types.go, ValidatingAdmissionPolicySpec: failurePolicy "does not define how
 * validations that evaluate to false are handled"
 */
export function refusalOf(
  { policy, binding }: BoundPolicy,
  request: AdmissionRequest,
  snapshot: Snapshot,
  work: Work,
): Cursor | undefined {
  const spec = policy.root.at('spec')
  const scopes = [spec.at('matchConstraints'), binding.root.at('spec', 'matchResources')]
  if (!scopes.every((scope, index) => takes(scope, request, snapshot, index === 0))) return undefined
  const textsIn = (field: string) => [...spec.at(field).items()].slice(0, 50)
  const contexts = request.variants.map((object) => {
    const context = { object, request: attributesOf(request) }
    const named = textsIn('variables').map((one) => ({
      name: one.at('name').string ?? '',
      expression: one.at('expression').string ?? '',
    }))
    return { ...context, variables: variablesOf(named, context, work) }
  })
  const isAlways = (at: Cursor, value: boolean) =>
    contexts.every((context) => resultOf(at.at('expression').string ?? '', context, work) === value)
  if (!textsIn('matchConditions').every((one) => isAlways(one, true))) return undefined
  return textsIn('validations').find((one) => isAlways(one, false))
}

function attributesOf({ resource, operation, manifest, account, group, version }: AdmissionRequest) {
  const [name, subResource = ''] = resource.split('/')
  const [namespace, user] = account?.split('/') ?? []
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  return {
    ...{ operation, subResource, namespace: manifest.ref.namespace, resource: { group, version, resource: name } },
    ...(account ? { userInfo: { username: `system:serviceaccount:${namespace}:${user}`, groups } } : {}),
  }
}

/** Whether a policy or a binding certainly takes a request; a binding without rules uses those of its policy. */
function takes(scope: Cursor, request: AdmissionRequest, snapshot: Snapshot, isOfPolicy: boolean): boolean {
  const rules = [...scope.at('resourceRules').items()]
  if ((isOfPolicy || rules.length > 0) && !rules.some((rule) => matches(rule, request, true))) return false
  if ([...scope.at('excludeResourceRules').items()].some((rule) => matches(rule, request, false))) return false
  const { namespace } = request.manifest.ref
  const [spaces, objects] = [scope.at('namespaceSelector'), scope.at('objectSelector')]
  const isNear = !spaces.isSet || meets(spaces, (key) => labelOfNamespace(key, namespace, snapshot)) === true
  return isNear && (!objects.isSet || meets(objects, (key) => writtenLabel(request.labels.at(key))) === true)
}

/** Whether a rule names a request; one that is not `certain` may. */
function matches(rule: Cursor, request: AdmissionRequest, certain: boolean): boolean {
  const { group, version, resource, operation, manifest } = request
  const strings = (field: string) => [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
  const names = strings('resourceNames')
  const isNamed = names.length === 0 || (request.about === 'pods' ? !certain : names.includes(manifest.ref.name))
  return (
    isNamed &&
    ['*', 'Namespaced'].includes(rule.at('scope').string ?? '*') &&
    strings('apiGroups').some((one) => one === group || one === '*') &&
    (!certain || strings('apiVersions').some((one) => one === version || one === '*')) &&
    strings('resources').some((pattern) => namesResource(pattern, resource)) &&
    strings('operations').some((one) => one === operation || one === '*')
  )
}
