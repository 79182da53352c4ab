import { append } from '../../append'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, identityOf, type Manifest } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { releaseKinds } from '../charts/chart-release'
import { isPlaceholder } from '../ingress/ingress'
import { istioGatewayKind } from '../ingress/virtual-service'
import { servingKinds } from '../workload/serving-pods'

export const authorizationKind: GroupKind = 'AuthorizationPolicy.security.istio.io'

const operatorKind: GroupKind = 'IstioOperator.install.istio.io'

/** The kinds by which a denial is judged. */
export const denialKinds: readonly GroupKind[] = [
  authorizationKind,
  istioGatewayKind,
  operatorKind,
  'ConfigMap',
  ...servingKinds,
  ...releaseKinds,
]

/** Strings of which an object has one that says which policies apply to a gateway. */
export const marksOfDenials: readonly string[] = ['istio', 'rootNamespace']

/** The namespace whose policies apply to all: https://istio.io/latest/docs/reference/config/istio.mesh.v1alpha1/#MeshConfig-root_namespace */
const rootNamespace = 'istio-system'

/** A policy that has all requests to Gateways of Istio denied. */
export interface IstioDenial {
  readonly policy: Manifest
  readonly how: 'unallowed' | 'denied'
  readonly at: Cursor
  /** By their order in the repository. */
  readonly gateways: readonly Manifest[]
}

/** The Pods that serve a Gateway: their labels, if they are here, or else those that it selects. */
interface Proxy {
  readonly gateway: Manifest
  /** Undefined where the Pods are not here. */
  readonly workload: Manifest | undefined
}

/**
 * The denials of all requests. Source: istio/istio at 86c9f01fd735, pilot/pkg/security/authz/builder/builder.go: policies that allow
 * are put together, and one without rules never matches; a rule that is empty matches everything
 */
export function istioDenials(snapshot: Snapshot): readonly IstioDenial[] {
  const denials = known.get(snapshot) ?? denialsIn(snapshot)
  known.set(snapshot, denials)
  return denials
}

/** The rule asks for each policy; a snapshot never changes. */
const known = new WeakMap<Snapshot, readonly IstioDenial[]>()

function denialsIn(snapshot: Snapshot): IstioDenial[] {
  const policies = snapshot
    .ofKind(authorizationKind)
    .filter((one) => snapshot.get(one.ref)[0] === one && isEnforced(one))
  const denying = policies.flatMap((policy) => {
    const how = howDenied(policy)
    return how ? [{ policy, ...how }] : []
  })
  if (denying.length === 0 || changesRoot(snapshot)) return []
  const proxies = proxiesIn(snapshot)
  const allowing = policies.filter((one) => isAllowing(one) && rulesOf(one).length > 0)
  return denying.flatMap((one): IstioDenial[] => {
    const hit = proxies.filter(
      (proxy) =>
        applies(one.policy, proxy) && (one.how === 'denied' || !allowing.some((other) => mayApply(other, proxy))),
    )
    const gateways = [...new Set(hit.map(({ gateway }) => gateway))]
    return gateways.length > 0 ? [{ ...one, gateways }] : []
  })
}

function howDenied(policy: Manifest): Pick<IstioDenial, 'how' | 'at'> | undefined {
  const spec = policy.root.at('spec')
  const rules = rulesOf(policy)
  if (isAllowing(policy)) {
    const action = spec.at('action')
    const list = spec.at('rules')
    // A list that a tool fills in may have rules.
    const isEmpty = rules.length === 0 && (!list.exists || list.isList || list.value === null)
    if (!isEmpty) return undefined
    const [written] = [action, spec].filter(({ exists }) => exists)
    return { how: 'unallowed', at: written ?? policy.root }
  }
  const all = rules.find((rule) => rule.isMap && [...rule.entries()].length === 0)
  return spec.at('action').string === 'DENY' && all ? { how: 'denied', at: all } : undefined
}

function rulesOf({ root }: Manifest): Cursor[] {
  return [...root.at('spec', 'rules').items()]
}

function isAllowing({ root }: Manifest): boolean {
  const action = root.at('spec', 'action')
  return !action.exists || action.string === 'ALLOW'
}

/** Whether it is more than tried: https://istio.io/latest/docs/tasks/security/authorization/authz-dry-run/ */
function isEnforced({ root, ref }: Manifest): boolean {
  const dryRun = root.at('metadata', 'annotations', 'istio.io/dry-run')
  return !dryRun.exists && ref.namespace !== '' && !isPlaceholder(JSON.stringify(root.at('spec').value ?? ''))
}

function changesRoot(snapshot: Snapshot): boolean {
  return [operatorKind, ...releaseKinds, 'ConfigMap']
    .flatMap((kind) => snapshot.ofKind(kind))
    .some(({ object }) => mentions(object.content, 'rootNamespace'))
}

/** Whether a policy applies to the Pods of a Gateway for certain. */
function applies({ ref, root }: Manifest, { gateway, workload }: Proxy): boolean {
  const spec = root.at('spec')
  if (spec.at('targetRef').exists || spec.at('targetRefs').exists) return false
  const isThere = ref.namespace === rootNamespace || ref.namespace === workload?.ref.namespace
  const labels = labelsOf(gateway, workload)
  return isThere && asked(spec).every(([key, { string }]) => labels.at(key).string === string)
}

/** Whether a policy may apply to them. */
function mayApply({ ref, root }: Manifest, { gateway, workload }: Proxy): boolean {
  if (workload && ![rootNamespace, workload.ref.namespace, ''].includes(ref.namespace)) return false
  const labels = labelsOf(gateway, workload)
  return asked(root.at('spec')).every(([key, { string }]) => {
    const label = labels.at(key)
    return label.exists ? label.string === string : workload === undefined
  })
}

function asked(spec: Cursor): [string, Cursor][] {
  return [...spec.at('selector', 'matchLabels').entries()]
}

function labelsOf(gateway: Manifest, workload: Manifest | undefined): Cursor {
  return workload ? podOf(workload).at('metadata', 'labels') : gateway.root.at('spec', 'selector')
}

/** The workloads that each Gateway selects; one without any of them has its Pods from elsewhere. */
function proxiesIn(snapshot: Snapshot): Proxy[] {
  const gateways = snapshot.ofKind(istioGatewayKind).filter((one) => snapshot.get(one.ref)[0] === one)
  const byLabel = new Map<string, Manifest[]>()
  for (const gateway of gateways) {
    const [first] = selectorOf(gateway)
    if (first) append(byLabel, JSON.stringify([first[0], first[1].string]), gateway)
  }
  const found = servingKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((workload) => {
      const labels = podOf(workload).at('metadata', 'labels')
      return [...labels.entries()]
        .flatMap(([key, { string }]) => byLabel.get(JSON.stringify([key, string])) ?? [])
        .filter((gateway) => selectorOf(gateway).every(([key, { string }]) => labels.at(key).string === string))
        .map((gateway): Proxy => ({ gateway, workload }))
    })
  const served = new Set(found.map(({ gateway }) => identityOf(gateway.ref)))
  const others = gateways.filter((one) => selectorOf(one).length > 0 && !served.has(identityOf(one.ref)))
  return [...found, ...others.map((gateway): Proxy => ({ gateway, workload: undefined }))]
}

function selectorOf({ root }: Manifest): [string, Cursor][] {
  return [...root.at('spec', 'selector').entries()]
}
