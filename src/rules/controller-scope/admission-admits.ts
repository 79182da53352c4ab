import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import {
  controllerKinds,
  controllersIn,
  controllersOf,
  marksOfControllers,
} from '../../kubernetes/controllers/controller'
import { takesIngress } from '../../kubernetes/controllers/controller-ingresses'
import {
  type BoundPolicy,
  bindingKind,
  boundBy,
  boundIn,
  policyKind,
  refusalOf,
} from '../../kubernetes/protection/admission-refusal'
import {
  type AdmissionRequest,
  objectRequest,
  podRequest,
  servedKinds,
  statusRequest,
} from '../../kubernetes/protection/admission-request'
import { newWork } from '../../kubernetes/protection/object-expression'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const policyKinds: readonly GroupKind[] = [policyKind, bindingKind]
const isServed = (kind: GroupKind) => servedKinds.some((one) => one === kind)

/** Kinds that may fill in what a policy asks of Pods, before it is asked. */
const alteringKinds: readonly GroupKind[] = [
  'ClusterPolicy.kyverno.io',
  'Policy.kyverno.io',
  'MutatingPolicy.policies.kyverno.io',
  'MutatingAdmissionPolicy.admissionregistration.k8s.io',
  'Assign.mutations.gatekeeper.sh',
]

/** The most objects of a kind that a policy is tried on. */
const most = 1000

/** With less left, an expression with a loop is not tried. */
const leastWork = 16

type Refused = { policy: string; binding: string; objects: string; why: string }

export default defineRule({
  id: 'controller-scope/admission-admits',
  summary:
    'No ValidatingAdmissionPolicy refuses ingress controllers, their Pods, their Ingresses or the status of these.',
  since: '1.31.0',
  scope: 'change',
  kinds: [...policyKinds, ...servedKinds, ...controllerKinds],
  reads: alteringKinds,
  subjects: [{ kinds: policyKinds }],
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
    pods: ({ policy, binding, objects, why }: Refused) =>
      `After this change ${policy} with ${binding} refuses each new Pod of ${objects} (${why}): those that run stay, and none takes their place after a rollout or on another node. Leave the Pods out with a matchCondition or a namespaceSelector, or first change them.`,
    status: ({ policy, binding, objects, why }: Refused) =>
      `After this change ${policy} with ${binding} refuses the status that the ingress controller writes into ${objects} (${why}): new Ingresses get no address, and those of the others are never corrected, so DNS records made from them are missing or wrong. Take ingresses/status out of its resources, or leave the account of the controller out with a matchCondition.`,
    objects: ({ policy, binding, objects, why }: Refused) =>
      `After this change ${policy} with ${binding} refuses ${objects} (${why}): what is applied from now on is rejected, and with it all that Flux or Argo CD applies in the same step. Leave them out with a matchCondition, or first change them.`,
  },
  putBack: { pods: 'changed', status: 'changed', objects: 'changed' },
  *partners(manifest, _, __, isTouched) {
    if (!policyKinds.includes(groupKindOf(manifest.ref))) {
      if (isTouched) yield 'ValidatingAdmissionPolicyBinding'
      return
    }
    yield manifest.root.at('spec', 'policyName').string ?? manifest.ref.name
    if (isTouched) yield* ['mutat', ...marksOfControllers, ...servedKinds.map((kind) => `kind: ${kind.split('.')[0]}`)]
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    const [work, past] = [newWork(), newWork()]
    const wasRefused = (request: AdmissionRequest) => {
      const before = base.get(request.manifest.ref).flatMap((one) => requestsOf(one, base, base))
      const same = before.filter(({ about }) => about === request.about)
      return same.some((one) => boundIn(base).all.some((bound) => refusalOf(bound, one, base, past)))
    }
    if (!policyKinds.includes(groupKindOf(after.ref))) {
      for (const request of requestsOf(after, head, base)) {
        for (const bound of boundIn(head).all) {
          if (!isUnchanged(bound.policy, base) || !isUnchanged(bound.binding, base)) continue
          const at = refusalOf(bound, request, head, work)
          if (!at || wasRefused(request)) continue
          report([placeOf(request), at, namedBy(bound)], messageOf(request), argsOf(bound, [request], at), {
            keys: [bound.policy.ref.name],
          })
          break
        }
      }
      return
    }
    for (const bound of boundBy(after, head)) {
      // A policy that is changed together with its binding is reported once, for the policy.
      if (after.ref.kind !== 'ValidatingAdmissionPolicy' && !isUnchanged(bound.policy, base)) continue
      const found = new Map<Cursor, AdmissionRequest[]>()
      for (const request of requestsIn(head, base)) {
        const at = refusalOf(bound, request, head, work)
        if (!at || wasRefused(request)) continue
        const first = [...found].find(([one, [other]]) => isSame(one, at) && other?.about === request.about)
        if (first) first[1].push(request)
        else found.set(at, [request])
      }
      for (const [at, requests] of found) {
        const [first] = requests
        if (!first) continue
        const ends = [at.at('expression'), namedBy(bound), placeOf(first)]
        const keys = [bound.binding.ref.name, at.at('expression').string ?? '']
        report(ends, messageOf(first), argsOf(bound, requests, at), { keys })
      }
      if (work.left < leastWork)
        skip(bound.policy.root.at('spec'), 'its expressions take too long to be tried on all objects')
    }
  },
})

function isSame(one: Cursor, other: Cursor): boolean {
  return one.path.join('.') === other.path.join('.')
}

function messageOf({ about }: AdmissionRequest): 'pods' | 'status' | 'objects' {
  return about === 'object' ? 'objects' : about
}

function namedBy({ binding }: BoundPolicy): Cursor {
  return binding.root.at('spec', 'policyName')
}

function placeOf({ about, manifest }: AdmissionRequest): Cursor {
  return about === 'pods' ? podOf(manifest) : manifest.root
}

function argsOf({ policy, binding }: BoundPolicy, requests: readonly AdmissionRequest[], at: Cursor): Refused {
  const why = at.at('message').string ?? at.at('expression').string ?? ''
  const names = [...new Set(requests.map(({ manifest }) => nameOf(manifest.ref)))]
  const short = why.replace(/\s+/g, ' ').slice(0, 120)
  return { policy: nameOf(policy.ref), binding: nameOf(binding.ref), objects: abridged(names), why: short }
}

function isUnchanged(one: Manifest, base: Snapshot): boolean {
  return base.get(one.ref).some(({ object }) => object.content === one.object.content)
}

/** The requests of a snapshot that keep its Ingresses served. */
function* requestsIn(snapshot: Snapshot, base: Snapshot): Generator<AdmissionRequest> {
  const workloads = new Set(controllersIn(snapshot).flatMap(({ manifest, installed }) => (installed ? [] : manifest)))
  for (const one of workloads) yield* requestsOf(one, snapshot, base)
  for (const kind of servedKinds)
    for (const one of snapshot.ofKind(kind).slice(0, most)) yield* requestsOf(one, snapshot, base)
}

/** Those about an object; none where its namespace is not known. */
function requestsOf(manifest: Manifest, snapshot: Snapshot, base: Snapshot): AdmissionRequest[] {
  const kind = groupKindOf(manifest.ref)
  if (manifest.ref.namespace === '') return []
  const applied = () => objectRequest(manifest, base.get(manifest.ref).length === 0)
  if (!isServed(kind)) {
    const isController = controllersOf(manifest, snapshot).some(({ installed }) => !installed)
    const pods = isController && !mayBeAltered(base) ? podRequest(manifest) : undefined
    return isController ? [pods, applied()].filter((one) => one !== undefined) : []
  }
  const writers = controllersIn(snapshot).filter(
    (one) => ['source', 'service', 'nodes'].includes(one.status.writes) && takesIngress(one, manifest, snapshot),
  )
  const status = kind === servedKinds[0] ? writers.map((one) => statusRequest(manifest, one)) : []
  return [applied(), ...status].filter((one) => one !== undefined)
}

function mayBeAltered(base: Snapshot): boolean {
  return alteringKinds.some((kind) => base.ofKind(kind).some(({ object }) => /mutat/i.test(object.content)))
}
