import { satisfies } from 'semver'
import { parseImage, releaseOf } from '../../cluster/image'
import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { readHelmRelease } from '../../gitops/helm-release'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from '../charts/remote-release'
import { isPlaceholder } from '../ingress/ingress'
import { Arguments } from '../workload/arguments'
import type { Settings } from '../workload/settings'

/** An ExternalDNS of a cluster. */
export interface DnsInstance {
  readonly manifest: Manifest
  /** The image or the version of the chart. */
  readonly at: Cursor
  /** Its release; undefined if it is unknown. */
  readonly release: string | undefined
  /** The prefix of the annotations that it reads; undefined if it is unknown. */
  readonly prefix: string | undefined
  /** Whether the policy for its records is set, or may be. */
  readonly hasPolicy: boolean
  /** Whether it exits without one. Source: https://github.com/kubernetes-sigs/external-dns/pull/6508 */
  readonly needsPolicy: boolean
}

/**
 * The prefixes that ExternalDNS reads by default, before 0.22.0 and from then on; it reads none beside its own. Source:
 * https://github.com/kubernetes-sigs/external-dns/pull/6424, source/annotations/annotations.go at v0.21.0 and v0.22.0.
 */
export const dnsPrefixes = {
  before: 'external-dns.alpha.kubernetes.io/',
  since: 'external-dns.kubernetes.io/',
} as const

/** The images of the program as it is released; others may have flags of their own. */
export const asReleased = /(?:^|\/)(?:external-dns|bitnami|bitnamilegacy)\/external-dns$/

/** The ExternalDNS that an object runs or installs. */
export function dnsInstancesOf(manifest: Manifest, snapshot: Snapshot): DnsInstance[] {
  if (!workloadKinds.includes(groupKindOf(manifest.ref)))
    return remoteReleasesOf(manifest, snapshot).flatMap((release) => ofRelease(release))
  return [...podOf(manifest).at('spec', 'containers').items()].flatMap((container) => ofContainer(container, snapshot))
}

function ofContainer(container: Cursor, snapshot: Snapshot): DnsInstance[] {
  const image = parseImage(container.at('image').string ?? '')
  if (!asReleased.test(image.repository)) return []
  const args = new Arguments(container, { variables: 'EXTERNAL_DNS_' }, snapshot)
  const policy = args.get('policy')
  const release = releaseOf(image)
  return [
    {
      manifest: container.manifest,
      at: container.at('image'),
      release,
      prefix: annotationPrefix(args, release),
      hasPolicy: args.opaque || policy !== undefined,
      needsPolicy: isLater(release),
    },
  ]
}

/** The prefix of the annotations that it reads, by its flags and its release; undefined if it is unknown. */
export function annotationPrefix(settings: Settings, release: string | undefined): string | undefined {
  const prefix = settings.get('annotation-prefix')
  const isUnknown = settings.opaque || (prefix && (prefix.value === undefined || isPlaceholder(prefix.value)))
  return isUnknown ? undefined : (prefix?.value ?? prefixBy(release))
}

/**
 * A release of the chart of kubernetes-sigs. Its minor versions are those of the program, `1.21` for `0.21`, and up to this one it
 * sets a policy by default; later ones do not render without a policy.
 */
function ofRelease(release: RemoteRelease): DnsInstance[] {
  const { manifest, chart, layers, elsewhere, version } = release
  if (chart.split('/').at(-1) !== 'external-dns') return []
  const values = seenValuesOf(release)
  const tag = values.get('image').get('tag')
  const minor = /^v?1\.(\d+)\.\d+$/.exec(version)?.[1]
  const program = tag.isSet ? releaseOf({ repository: '', tag: String(tag.scalar) }) : minor && `0.${minor}.0`
  const prefix = values.get('annotationPrefix')
  const more = JSON.stringify(['extraArgs', 'env'].map((key) => values.get(key).at?.value))
  const isUnknown =
    elsewhere.length > 0 ||
    layers.some((layer) => 'hidden' in layer) ||
    /annotation.prefix/i.test(more) ||
    isPlaceholder(String(prefix.scalar ?? ''))
  const written = prefix.isSet ? String(prefix.scalar) : prefixBy(program || undefined)
  return [
    {
      manifest,
      at: tag.at ?? versionOf(manifest),
      release: program || undefined,
      prefix: isUnknown ? undefined : written,
      hasPolicy: true,
      needsPolicy: isLater(program || undefined),
    },
  ]
}

/** The version of the chart, where the object names it itself. */
function versionOf({ root }: Manifest): Cursor {
  const places = [
    readHelmRelease(root).chart.version,
    ...readApplication(root).sources.map((one) => one.targetRevision),
  ]
  return places.find(({ exists }) => exists) ?? root
}

function prefixBy(release: string | undefined): string | undefined {
  if (release === undefined) return undefined
  return isLater(release) ? dnsPrefixes.since : dnsPrefixes.before
}

function isLater(release: string | undefined): boolean {
  return release !== undefined && satisfies(release, '>=0.22.0')
}
