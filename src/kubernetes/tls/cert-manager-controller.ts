import { parseImage } from '../../cluster/image'
import { isStopped, lastingKinds, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { type AddOnRelease, addOnReleasesOf } from '../charts/add-on-release'
import { releaseKinds } from '../charts/chart-release'
import { isPlaceholder } from '../ingress/ingress'
import { Arguments } from '../workload/arguments'
import type { Setting, Settings } from '../workload/settings'
import { certManagerGroups, issuerOf, issuersOf } from './cert-manager'

/** A controller of cert-manager that a workload runs, or a release whose chart is elsewhere. */
export interface CertManager {
  readonly manifest: Manifest
  /** The only namespace in which it looks; undefined where it looks in all. */
  readonly watched: Setting | undefined
  /** Which of its parts it runs, as a list of names; none where it runs the default ones. */
  readonly parts: readonly Setting[]
  /** The namespace of the Secrets of ClusterIssuers. */
  readonly resources: Setting | undefined
  /** Whether its arguments cannot be read, or are in a file. */
  readonly isOpaque: boolean
}

/** The repositories of its image, as it is released and as it is copied. */
const images = /(?:cert-manager-controller|bitnami(?:legacy)?\/cert-manager)$/

/** The controllers that a workload or a release runs; none while it runs no Pods. */
export function certManagersOf(manifest: Manifest, snapshot: Snapshot): CertManager[] {
  const releases = releasesOfCertManager(manifest, snapshot)
  if (releases.length > 0)
    return releases.flatMap(({ facts, settings }) =>
      settings.isCase(facts.idle) ? [] : [controller(manifest, settings)],
    )
  if (!lastingKinds.includes(groupKindOf(manifest.ref)) || isStopped(manifest)) return []
  return [...podOf(manifest).at('spec', 'containers').items()].flatMap((container) =>
    images.test(parseImage(container.at('image').string ?? '').repository)
      ? [controller(manifest, new Arguments(container, {}, snapshot))]
      : [],
  )
}

/** The releases of its chart that an object installs, and that are read from their values alone. */
export function releasesOfCertManager(manifest: Manifest, snapshot: Snapshot): AddOnRelease[] {
  return addOnReleasesOf(manifest, 'cert-manager', snapshot)
}

function controller(manifest: Manifest, settings: Settings): CertManager {
  return {
    manifest,
    watched: settings.get('namespace'),
    parts: settings.all('controllers'),
    resources: settings.get('cluster-resource-namespace'),
    isOpaque: settings.opaque || settings.has('config'),
  }
}

const known = new WeakMap<Snapshot, readonly CertManager[]>()

export function certManagersIn(snapshot: Snapshot): readonly CertManager[] {
  const before = known.get(snapshot)
  if (before) return before
  const found = [...lastingKinds, ...releaseKinds]
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((one) => certManagersOf(one, snapshot))
  known.set(snapshot, found)
  return found
}

/** The flag by which a controller leaves an object alone that requests a certificate. */
export interface Neglect {
  readonly by: 'namespace' | 'controllers'
  readonly at: Setting
  /** What it does not run. */
  readonly part: string
}

/**
 * The reason for which a controller certainly issues no certificate for an object; undefined if it may. With
 * `--namespace` it runs no part for ClusterIssuers. Source: cert-manager 1.21, cmd/controller/app/options/options.go,
 * EnabledControllers; that only disabled parts mean all others was not always so.
 */
export function neglectOf(one: CertManager, user: Manifest, snapshot: Snapshot): Neglect | undefined {
  if (one.isOpaque) return undefined
  const { watched, parts } = one
  const only = watched?.value
  const named = issuerOf(user)
  if (watched && only && !isPlaceholder(only)) {
    const { namespace } = user.ref
    const isElsewhere = namespace !== '' && !isPlaceholder(namespace) && namespace !== only
    if (isElsewhere || named?.kind === 'ClusterIssuer') return { by: 'namespace', at: watched, part: only }
  }
  const [at] = parts.slice(-1)
  if (!at || parts.some(({ value }) => value === undefined || isPlaceholder(value))) return undefined
  const names = parts.flatMap(({ value = '' }) => value.split(',')).map((name) => name.trim())
  const part = partsFor(user, snapshot).find((name) => !isRun(name, names))
  return part === undefined ? undefined : { by: 'controllers', at, part }
}

function isRun(part: string, names: readonly string[]): boolean {
  if (names.includes(`-${part}`)) return false
  return names.includes('*') || names.includes(part) || names.every((name) => name.startsWith('-'))
}

/** The parts without which no certificate is issued for an object. */
function partsFor(user: Manifest, snapshot: Snapshot): string[] {
  const named = issuerOf(user)
  const issuers = issuersOf(user, snapshot)
  const isAcme = issuers.length > 0 && issuers.every(({ root }) => root.at('spec', 'acme').exists)
  return [
    'certificates-trigger',
    'certificates-key-manager',
    'certificates-request-manager',
    'certificates-issuing',
    ...(user.ref.kind === 'Ingress' ? ['ingress-shim'] : []),
    ...(named ? [named.kind === 'ClusterIssuer' ? 'clusterissuers' : 'issuers'] : []),
    ...(isAcme ? ['certificaterequests-issuer-acme', 'orders', 'challenges'] : []),
  ]
}

/** The kinds of the objects that request certificates. */
export const requesterKinds: readonly GroupKind[] = [
  'Ingress.networking.k8s.io',
  'Gateway.gateway.networking.k8s.io',
  ...certManagerGroups.map((group) => `Certificate.${group}`),
]
