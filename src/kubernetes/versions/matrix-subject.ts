import { append } from '../../append'
import { describesCluster, factKinds, factMarks, statesFacts } from '../../cluster/cluster-facts'
import { kubeProxyModeIn } from '../../cluster/installer'
import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { type Component, componentKinds, componentsIn, componentsOf, isMain, marksOf } from './component'
import { type ComponentFacts, componentFacts } from './component-facts'
import { marksOfSet, settingKeys } from './detect-setting'
import { type MatrixSubject, matrixSubjectOf, releaseIn, rowsOn } from './matrix'
import type { MatrixRow } from './matrix-facts'

/** The kinds of objects with subjects: those that deploy components, and those that describe a cluster. */
export const subjectKinds: readonly GroupKind[] = [...new Set([...componentKinds, ...factKinds])]

/** Strings of objects that are judged together: facts and settings with workloads, and vice versa. */
export function* subjectPartners(manifest: Manifest): Generator<string> {
  const brought = marksOf(manifest)
  yield* brought
  if (brought.length > 0) yield* [...factMarks, ...settingKeys]
  yield* marksOfSet(manifest)
  if (statesFacts(manifest)) yield* componentFacts.flatMap(({ marks }) => marks)
}

/** The subjects of rows at one object: the components it deploys, and the facts of the cluster that it states. */
export function matrixSubjectsOf(manifest: Manifest, snapshot: Snapshot): MatrixSubject[] {
  const brought = leading(manifest, snapshot).map((component) =>
    matrixSubjectOf(component, snapshot, nameOf(manifest.ref)),
  )
  return [...brought, ...clusterSubjectsOf(manifest, snapshot)]
}

/** The container of a workload that represents each component: its first part that is in the cluster. */
export function leading(manifest: Manifest, snapshot: Snapshot): Component[] {
  // kube-proxy's mode is in the cluster's own description, and rows about it are judged there.
  const own = componentsOf(manifest).filter(({ facts }) => facts.name !== 'kube-proxy')
  if (own.length === 0) return []
  const { ranks, byManifest } = rankedIn(snapshot)
  const deployed = byManifest.get(manifest) ?? []
  return [...new Set(own.map(({ facts }) => facts))].flatMap((facts) =>
    deployed.filter((one) => one.facts === facts && rankOf(one) === ranks.get(facts)).slice(0, 1),
  )
}

/** The components of a cluster by the objects that deploy them, and the best rank of each. */
interface Ranked {
  readonly ranks: ReadonlyMap<ComponentFacts, number>
  readonly byManifest: ReadonlyMap<Manifest, readonly Component[]>
}

const known = new WeakMap<Snapshot, Ranked>()

function rankedIn(snapshot: Snapshot): Ranked {
  const before = known.get(snapshot)
  if (before) return before
  const ranks = new Map<ComponentFacts, number>()
  const byManifest = new Map<Manifest, Component[]>()
  for (const one of componentsIn(snapshot)) {
    ranks.set(one.facts, Math.min(rankOf(one), ranks.get(one.facts) ?? Number.POSITIVE_INFINITY))
    append(byManifest, one.manifest, one)
  }
  const ranked = { ranks, byManifest }
  known.set(snapshot, ranked)
  return ranked
}

function rankOf(component: Component): number {
  return isMain(component) ? 0 : component.facts.parts.indexOf(component.part)
}

/**
 * kube-proxy by its mode, and the kubelets: at the object whose statement counts, of several that describe a cluster.
 */
function clusterSubjectsOf(manifest: Manifest, snapshot: Snapshot): MatrixSubject[] {
  const { kubeProxyMode, kubernetes, nodes } = snapshot.facts
  const kubelet = nodes.find((node) => node.kubelet)?.kubelet
  const always = {
    advise: (release: string) => release,
    isBrought: false,
    isMain: true,
    placeOf: () => undefined,
    runsOn: () => true,
  }
  const subjects: MatrixSubject[] = []
  const set = describesCluster(manifest) ? undefined : kubeProxyModeIn([manifest])
  const own = set?.value === kubeProxyMode?.value ? undefined : set
  const mode = kubeProxyMode && isThe(manifest, kubeProxyMode.at.manifest, snapshot) ? kubeProxyMode : own
  if (mode) {
    const [image] = componentsIn(snapshot).filter(({ facts }) => facts.name === 'kube-proxy')
    const release = image?.release ?? (kubernetes && releaseIn(kubernetes.value))
    const name = `kube-proxy in ${mode.value} mode`
    subjects.push({
      component: 'kube-proxy',
      release,
      at: mode.at,
      name,
      ...always,
      ...(own && mode === own && { kubeProxyMode: own }),
    })
  }
  if (kubelet && isThe(manifest, kubelet.at.manifest, snapshot)) {
    subjects.push({
      component: 'kubelet',
      release: undefined,
      at: kubelet.at,
      name: `The kubelet ${kubelet.value}`,
      ...always,
    })
  }
  return subjects
}

/** Whether an object is the first with the identity of another: all descriptions of a cluster have one identity. */
function isThe(manifest: Manifest, wanted: Manifest, { manifests, descriptions }: Snapshot): boolean {
  const identity = identityOf(wanted.ref)
  return [...descriptions, ...manifests].find(({ ref }) => identityOf(ref) === identity) === manifest
}

/**
 * The first object of a cluster that deploys a component with rows: facts that all of them need are reported there
 * once.
 */
export function firstSubject(snapshot: Snapshot, rows: readonly MatrixRow[]): MatrixSubject | undefined {
  for (const { manifest } of componentsIn(snapshot)) {
    const found = matrixSubjectsOf(manifest, snapshot).find((subject) => rowsOn(subject, rows).length > 0)
    if (found) return found
  }
  return undefined
}
