import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { type GroupKind, groupKindOf, type Manifest, type ObjectRef } from '../../manifest/manifest'
import { mentionsWhole, spelledOut } from '../../manifest/mentions'
import { backendKinds } from '../ingress/backend'
import { isPlaceholder } from '../ingress/ingress'
import { openshiftRouteKind } from '../ingress/openshift-route'
import { traefikGroups } from '../ingress/traefik-kinds'
import { generatedApplication, releaseKinds } from './chart-release'

/** The objects of a snapshot that may create others, such as releases of charts and objects of operators. */
interface Makers {
  /** Those whose name is a name, or one that the name continues after a hyphen. */
  called(name: string): readonly Manifest[]
  /** Those that may create objects in a namespace. */
  into(namespace: string): readonly Manifest[]
}

const known = new WeakMap<Snapshot, Makers>()

export function makersIn(snapshot: Snapshot): Makers {
  const makers = known.get(snapshot) ?? indexed(snapshot)
  known.set(snapshot, makers)
  return makers
}

function indexed({ manifests }: Snapshot): Makers {
  const byName = new Map<string, Manifest[]>()
  const byNamespace = new Map<string, Manifest[]>()
  for (const maker of manifests.filter((one) => isMaker(one.ref) && !isRendered(one))) {
    append(byName, maker.ref.name, maker)
    if (otherKinds.includes(groupKindOf(maker.ref))) continue
    const namespace = targetNamespaceOf(maker)
    append(byNamespace, isPlaceholder(namespace) ? '' : namespace, maker)
  }
  const ofAny = byNamespace.get('') ?? []
  return {
    called: (name) => startsOf(name).flatMap((start) => byName.get(start) ?? []),
    into: (namespace) => (namespace === '' ? ofAny : [...(byNamespace.get(namespace) ?? []), ...ofAny]),
  }
}

/** The API server accepts no longer name of an object. */
const longestName = 253

/** `web` and `web-api` of `web-api`. */
function startsOf(name: string): string[] {
  if (name.length > longestName) return []
  const words = name.split('-')
  return words.map((_, index) => words.slice(0, index + 1).join('-'))
}

/** Groups whose kinds create no objects that a rule looks for. */
const ownGroups: readonly string[] = [
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'autoscaling',
  'batch',
  'cilium.io',
  'externaldns.k8s.io',
  'k8s.cni.cncf.io',
  'metallb.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  ...traefikGroups,
]

/** Whether an object is of a kind that may create others. */
export function isMaker(ref: ObjectRef): boolean {
  return !ownGroups.includes(ref.group) && !backendKinds.includes(groupKindOf(ref))
}

/** Kinds that create nothing in sight: the objects that they deploy are judged themselves. */
const otherKinds: readonly GroupKind[] = [gitOpsKind.fluxKustomization, gitOpsKind.applicationSet, openshiftRouteKind]

/** Kinds with one chart each. */
const oneChartKinds: readonly GroupKind[] = [gitOpsKind.helmRelease, gitOpsKind.k3sChart]

/** Whether all that a release creates is seen, as its chart was fetched and rendered. */
function isRendered({ ref, object }: Manifest): boolean {
  return oneChartKinds.includes(groupKindOf(ref)) && object.context?.rendered !== undefined
}

/** The namespace in which an object creates others; empty where it is unknown. */
function targetNamespaceOf({ ref, root }: Manifest): string {
  const kind = groupKindOf(ref)
  if (kind === gitOpsKind.application || kind === generatedApplication)
    return textAt(readApplication(root).destination.namespace)
  const target = [gitOpsKind.helmRelease, gitOpsKind.k3sChart].some((one) => one === kind)
    ? textAt(root.at('spec', 'targetNamespace'))
    : ''
  return target || ref.namespace
}

/**
 * Whether some object of a snapshot may create one of that name in a namespace: it is called so or mentions the name.
 *
 * @param creates false for objects that create none of the kind that is meant
 */
export function mayBeMade(
  namespace: string,
  name: string,
  snapshot: Snapshot,
  creates: (maker: Manifest) => boolean = () => true,
): boolean {
  return makersIn(snapshot)
    .into(namespace)
    .some((one) => creates(one) && (isCalledSo(name, one.ref) || mentionsWhole(spelledOut(one.object.content), name)))
}

/** The same, or whether a release of a chart is in that namespace: a chart may name its objects in any way. */
export function mayBeReleased(
  namespace: string,
  name: string,
  snapshot: Snapshot,
  creates?: (maker: Manifest) => boolean,
): boolean {
  const isRelease = ({ ref }: Manifest) => releaseKinds.includes(groupKindOf(ref))
  return mayBeMade(namespace, name, snapshot, creates) || makersIn(snapshot).into(namespace).some(isRelease)
}

/** Whether a name is that of an object, or continues it. */
export function isCalledSo(name: string, ref: Pick<ObjectRef, 'name'>): boolean {
  return name === ref.name || name.startsWith(`${ref.name}-`)
}
