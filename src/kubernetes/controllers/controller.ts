import { gte } from 'semver'
import { minorReleaseOf, parseImage, releaseOf } from '../../cluster/image'
import { isStopped, lastingKinds, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { type ChartRelease, releaseKinds, valuedKinds } from '../charts/chart-release'
import { ChartSettings, valueText } from '../charts/chart-settings'
import { chartReleasesOf } from '../charts/releases'
import { shareNamespace } from '../object/namespace'
import { Arguments } from '../workload/arguments'
import { type ControllerFacts, controllerFacts } from '../workload/controller-facts'
import type { Setting, Settings } from '../workload/settings'
import { type Claims, claimsOf } from './controller-claims'
import { type Watched, watchedBy } from './controller-scope'
import { settingsOf, settingsOfRelease } from './controller-settings'
import { type StatusWriting, statusOf } from './controller-status'
import { type LeaderLock, locksOf } from './leader-lock'

/** The kinds that run an ingress controller: a Job with its image serves nothing. */
export const controllerKinds: readonly GroupKind[] = lastingKinds

/** The field of a Rollout that runs the Pods of a Deployment in its place. */
export const rolloutMark = 'workloadRef'

/** Each manifest that a controller is read from contains one of these strings. */
export const marksOfControllers: readonly string[] = [...controllerFacts.flatMap(({ marks }) => marks), rolloutMark]

/** The objects that controllers are read from. A release may name its chart by another object, or by a generator. */
export const controllerSubjects = [
  { kinds: controllerKinds, marks: marksOfControllers },
  {
    kinds: releaseKinds,
    marks: [...marksOfControllers, 'chartRef', 'chart: {{', `chart: '{{`, 'chart: "{{', '"chart"'],
  },
]

/** The account of a controller's Pods, where the manifest names it, else where it would be. */
export interface ServiceAccount {
  readonly name: string
  /** Empty where the manifest gives none. */
  readonly namespace: string
  readonly at: Cursor
}

/** An ingress controller, as a workload runs it, or a release installs it that is not rendered. */
export interface Controller {
  readonly facts: ControllerFacts
  readonly manifest: Manifest
  /** The cursor of its version. */
  readonly image: Cursor
  /** None if the tag is no release. */
  readonly release: string | undefined
  /** The namespace its Pods run in; empty where neither the manifest nor its arguments give one. */
  readonly namespace: string
  /** The place of its arguments. */
  readonly place: Cursor
  /** Whether a shell interprets its arguments: then all of them are unknown. */
  readonly inShell: boolean
  readonly watched: Watched
  /** One for each mode of its possible releases; none if its class is unknown. */
  readonly claims: readonly Claims[]
  readonly status: StatusWriting
  /**
   * Its leader election: one entry for each mode of its possible releases; none if it elects no leader or that is
   * unknown.
   */
  readonly locks: readonly LeaderLock[]
  readonly serviceAccount: ServiceAccount
  /**
   * The Secret of its default certificate, as `namespace/name`; undefined where none is set, or a file that is not here
   * may.
   */
  readonly defaultCertificate: Setting | undefined
  /** The other objects from which it is read, at any place of its settings. */
  readonly parts: readonly Cursor[]
  readonly settings: Settings
  /** Names a flag as a person sets it. */
  readonly wordsFor: (flag: string) => string
  /** The release that installs it, if there is no manifest of it. */
  readonly installed: Installed | undefined
}

/** The other objects that its chart creates, as far as the values show. */
export interface Installed {
  readonly release: ChartRelease
  /** The type of the Service for its traffic, at the value that sets it; undefined without one. */
  readonly service: Setting | undefined
  /** The fewest Pods that the autoscaler of its chart keeps; undefined without one. */
  readonly fewestPods: Setting | undefined
  /** The name of the IngressClass that its chart creates, at the value that sets it; undefined without one. */
  readonly className: Setting | undefined
  /** Whether that class is the default for Ingresses without a class, or may be. */
  readonly mayBeDefault: boolean
  /** Whether its chart makes the roles and bindings of its account, or may. */
  readonly isBound: boolean
  /** The chart's name for its objects, alone or as a prefix; undefined if it is unknown. */
  readonly fullname: string | undefined
}

/** The controllers that a snapshot's workloads run, and those that its releases install. */
export function controllersIn(snapshot: Snapshot): readonly Controller[] {
  const known = controllersBySnapshot.get(snapshot)
  if (known) return known
  const manifests = [...controllerKinds, ...releaseKinds].flatMap((kind) => snapshot.ofKind(kind))
  const found = manifests.flatMap((manifest) => controllersOf(manifest, snapshot))
  controllersBySnapshot.set(snapshot, found)
  return found
}

/** The controllers that run in the cluster of the snapshot's own objects: a release may be deployed to another one. */
export function controllersHere(snapshot: Snapshot): readonly Controller[] {
  return controllersIn(snapshot).filter(({ installed }) => !installed?.release.cluster)
}

/** Rules ask this for every Ingress and every removed object; a snapshot never changes. */
const controllersBySnapshot = new WeakMap<Snapshot, readonly Controller[]>()

/**
 * The controllers that a workload runs: none while it is scaled to zero, or where the manifest is only a patch. Without
 * the snapshot, other objects are unknown: values of a release, config files, variables.
 */
export function controllersOf(manifest: Manifest, snapshot?: Snapshot): readonly Controller[] {
  const among = snapshot ?? noSnapshot
  const known = controllersByManifest.get(among) ?? new WeakMap<Manifest, readonly Controller[]>()
  controllersByManifest.set(among, known)
  const found = known.get(manifest) ?? readControllers(manifest, snapshot)
  known.set(manifest, found)
  return found
}

/** Many rules ask this of every workload; by the snapshot, or `noSnapshot` without one. */
const controllersByManifest = new WeakMap<object, WeakMap<Manifest, readonly Controller[]>>()
const noSnapshot = {}

function readControllers(manifest: Manifest, snapshot: Snapshot | undefined): Controller[] {
  if (valuedKinds.includes(groupKindOf(manifest.ref))) {
    return chartReleasesOf(manifest, snapshot).flatMap(installedBy)
  }
  if (!controllerKinds.includes(groupKindOf(manifest.ref))) return []
  const rollout = isStopped(manifest) ? rolloutOf(manifest, snapshot) : undefined
  if (isStopped(manifest) && !rollout) return []
  const containers = [...podOf(manifest).at('spec', 'containers').items()]
  return containers.flatMap((container) => {
    if (!container.at('image').string) return []
    return recognised(container, containers.length === 1, snapshot).map(({ facts, settings }) => ({
      ...read(facts, container, settings),
      parts: [...(rollout ? [rollout] : []), ...settings.parts],
    }))
  })
}

/** The controller in a container: by its program, else the image, else the labels of the Pods. */
function recognised(container: Cursor, alone: boolean, snapshot: Snapshot | undefined) {
  const { repository } = parseImage(container.at('image').string ?? '')
  const args = new Arguments(container)
  const labelled = alone || container.at('name').string === 'controller'
  const byImage = controllerFacts.filter(({ images }) => patterns.get(images)?.test(repository))
  const byProgram = controllerFacts.filter(({ binary }) => binary !== undefined && args.runs(binary))
  const byLabel = controllerFacts.filter((facts) => labelled && isLabelled(facts, container))
  const [found = []] = [byProgram, byImage, byLabel].filter((one) => one.length > 0)
  return found
    .filter(({ command }) => command === undefined || args.runs(command))
    .map((facts) => ({ facts, settings: settingsOf(facts, container, snapshot) }))
    .filter(({ facts, settings }) => isOn(facts, settings))
}

/** One expression for each row, as every workload that is read is tried. */
const patterns = new Map(controllerFacts.map(({ images }) => [images, new RegExp(images.join('|'))]))

/** Whether the name of its image shows what a controller is, and not only its program or its labels. */
export function isOfKnownImage({ facts: { images }, image }: Controller): boolean {
  return patterns.get(images)?.test(parseImage(image.string ?? '').repository) === true
}

function isLabelled({ labels }: ControllerFacts, container: Cursor): boolean {
  const written = podOf(container.manifest).at('metadata', 'labels')
  return labels !== undefined && Object.entries(labels).every(([key, value]) => written.at(key).string === value)
}

/** Whether a program that can be several things runs as this controller. */
function isOn({ enabledBy }: ControllerFacts, settings: Settings): boolean {
  return enabledBy === undefined || (settings.has(enabledBy) && settings.isOn(enabledBy, true) !== false)
}

function read(facts: ControllerFacts, container: Cursor, settings: Settings): Omit<Controller, 'parts'> {
  const { manifest } = container
  const args = new Arguments(container)
  const image = container.at('image')
  const parsed = parseImage(image.string ?? '')
  const release = releaseOf(parsed) ?? minorReleaseOf(parsed)
  const namespace = manifest.ref.namespace || homeOf(facts, settings)
  const claims = claimsOf(facts, settings, release)
  return {
    facts,
    manifest,
    image,
    release,
    namespace,
    place: args.place,
    inShell: args.inShell,
    watched: watchedBy(facts, settings),
    claims,
    status: statusOf(facts, settings, release, isOnNodes(container)),
    locks: locksOf(facts, settings, { release, namespace, className: claims[0]?.names[0] }),
    serviceAccount: accountOf(manifest),
    defaultCertificate: defaultCertificateOf(facts, settings),
    settings,
    wordsFor: (flag) => settings.wordsFor(flag),
    installed: undefined,
  }
}

/** The Rollout that runs the Pods of a Deployment in its place: https://argoproj.github.io/argo-rollouts/migrating/ */
function rolloutOf(manifest: Manifest, snapshot: Snapshot | undefined): Cursor | undefined {
  return (snapshot?.ofKind('Rollout.argoproj.io') ?? [])
    .filter((one) => shareNamespace(one, manifest) && one.root.at('spec', 'replicas').value !== 0)
    .map(({ root }) => root.at('spec', 'workloadRef'))
    .find((at) => at.at('kind').string === manifest.ref.kind && at.at('name').string === manifest.ref.name)
}

/** The namespace that its arguments set. */
function homeOf({ home }: ControllerFacts, settings: Settings): string {
  const [namespace = '', name] = (home === undefined ? undefined : settings.get(home)?.value)?.split('/') ?? []
  return name ? namespace : ''
}

function defaultCertificateOf({ certificate }: ControllerFacts, settings: Settings): Setting | undefined {
  const given = certificate?.default === undefined ? undefined : settings.get(certificate.default)
  return given?.maybe || given?.value === '' ? undefined : given
}

/** A controller's name, with its namespace if known. */
export function nameOfController({ manifest: { ref }, namespace, installed }: Controller): string {
  return nameOf(installed || ref.namespace ? ref : { ...ref, namespace })
}

/** The controllers that a release of a chart installs. */
function installedBy(release: ChartRelease): Controller[] {
  const { facts: chart, manifest, values, at } = release
  const whole = new ChartSettings(chart, release)
  if (whole.isCase(chart.idle)) return []
  const tag = values.get(chart.tag)
  const app = appOf(release)
  const namespace = whole.namespace ?? ''
  const onNodes = whole.isCase(chart.onNodes)
  const className = whole.take(chart.class)
  const made = className?.value
  const account = whole.take(chart.account)
  return controllerFacts.flatMap((facts): Controller[] => {
    if (!chart.controllers.includes(facts.name)) return []
    const settings = settingsOfRelease(facts, whole)
    const { enabledBy } = facts
    // If the rest of the settings is in a file, the file may enable it.
    if (enabledBy && settings === whole && !(whole.has(enabledBy) && whole.isOn(enabledBy, true))) return []
    const isMain = facts.name === chart.controllers[0]
    const claims = claimsOf(facts, settings, app).map((claim) => (isMain ? { ...claim, made } : claim))
    return [
      {
        facts,
        manifest,
        image: valueText(tag.value) === '' ? at : tag.at,
        release: app,
        namespace,
        place: whole.place,
        inShell: false,
        watched: watchedBy(facts, settings),
        claims,
        status: statusOf(facts, settings, app, onNodes),
        locks: locksOf(facts, settings, { release: app, namespace, className: claims[0]?.names[0] }),
        serviceAccount: {
          name: account ? (account.value ?? '') : 'default',
          namespace,
          at: account?.at ?? whole.place,
        },
        defaultCertificate: defaultCertificateOf(facts, settings),
        settings,
        parts: whole.parts,
        wordsFor: (flag) => whole.wordsFor(flag),
        installed: {
          release,
          service: whole.take(chart.service),
          fewestPods: whole.take(chart.scaler ?? []),
          className,
          mayBeDefault: className !== undefined && (!chart.default || whole.take(chart.default) !== undefined),
          isBound: !whole.isCase(chart.unbound) && !mayPatchRoles(manifest),
          fullname: whole.fullname(),
        },
      },
    ]
  })
}

/** Whether Kustomize may change the roles that the chart of a release makes. */
function mayPatchRoles({ object: { content } }: Manifest): boolean {
  return content.includes('postRenderers') && content.includes('Role')
}

/**
 * The places of a finding about a controller: the first of these, then one in each other object that it is read from.
 */
export function endsAt({ place, parts }: Controller, at: readonly Cursor[]): Cursor[] {
  const isFirst = ({ manifest }: Cursor, index: number, all: readonly Cursor[]) =>
    all.findIndex((one) => one.manifest === manifest) === index
  return at.concat(place, parts).filter(isFirst)
}

/** The version of the controller in a release: from the values, else the chart. */
function appOf({ facts: { apps, tag, digest }, version, values }: ChartRelease): string | undefined {
  const [named, pinned] = [tag, digest].map((path) => (path === undefined ? undefined : values.get(path)))
  if (named?.isKnown === false || pinned?.isKnown === false) return undefined
  const image = { repository: '', tag: valueText(named?.value) }
  if (image.tag !== '') return releaseOf(image) ?? minorReleaseOf(image)
  if (pinned && valueText(pinned.value) !== '') return undefined
  return Object.entries(apps).findLast(([from]) => gte(version, from))?.[1]
}

/** With the host's network or ports, the nodes receive the traffic. */
function isOnNodes(container: Cursor): boolean {
  const onHost = podOf(container.manifest).at('spec', 'hostNetwork').value === true
  return onHost || [...container.at('ports').items()].some((port) => port.at('hostPort').exists)
}

/**
 * The old name of the field still works: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
 */
function accountOf(manifest: Manifest): ServiceAccount {
  const pod = podOf(manifest).at('spec')
  const named = [pod.at('serviceAccountName'), pod.at('serviceAccount')]
  const at = named.find(({ string }) => string) ?? pod.at('serviceAccountName')
  return { name: at.string ?? 'default', namespace: manifest.ref.namespace, at }
}
