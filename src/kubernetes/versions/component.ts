import { minVersion, satisfies, valid } from 'semver'
import { parseImage, releaseOf } from '../../cluster/image'
import { isStopped, podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { inlineValuesOf, readApplication } from '../../gitops/application'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { inflatedChart } from '../charts/chart-release'
import { controllerFactsOf } from '../workload/controller-facts'
import { type ComponentFacts, componentFacts, type PartFacts } from './component-facts'

/** A product that a manifest deploys, and whose release must match that of others. */
export interface Component {
  readonly facts: ComponentFacts
  readonly part: PartFacts
  readonly manifest: Manifest
  /** The container that runs it; undefined where an object only names a release. */
  readonly container: Cursor | undefined
  /** The place of its release: the image, or a field. */
  readonly at: Cursor
  /** Undefined for `latest`, a bare digest, and any other text that is no release. */
  readonly release: string | undefined
  /** The values of a chart, as far as the release itself contains them. */
  readonly values?: Cursor | undefined
  /** The releases of the component by the versions in the object: those of a chart or an operator. */
  readonly writtenReleases?: Readonly<Record<string, string>> | undefined
}

/** The charts that an object has installed, by the kind of the object. */
const chartsByKind: ReadonlyMap<GroupKind, (root: Cursor) => NamedChart[]> = new Map([
  [gitOpsKind.helmRelease, ofHelmRelease],
  [gitOpsKind.application, ofApplication],
  [gitOpsKind.k3sChart, ofK3sChart],
  ['CiliumConfig.cilium.io', ofCiliumConfig],
  [gitOpsKind.ociRepository, ofRegistry],
  [inflatedChart, ofInflatedChart],
])
const writtenKinds = componentFacts.flatMap(({ parts }) => parts.flatMap(({ object }) => object ?? []))

/** The kinds that deploy components: workloads, and objects from which an operator creates them. */
export const componentKinds: readonly GroupKind[] = [...workloadKinds, ...chartsByKind.keys(), ...writtenKinds]

/** Each manifest that deploys a component contains one of these strings. */
export function marksOf(manifest: Manifest): string[] {
  return [...new Set(componentsOf(manifest).flatMap(({ facts }) => facts.marks))]
}

const known = new WeakMap<Manifest, readonly Component[]>()

/** The components that an object brings: a workload one for each container. */
export function componentsOf(manifest: Manifest): readonly Component[] {
  const before = known.get(manifest)
  if (before) return before
  const components = read(manifest)
  known.set(manifest, components)
  return components
}

/**
 * The components that a snapshot's objects deploy. A chart's release counts only if the chart was not rendered:
 * otherwise the workloads show the component. Workloads of other releases do not show it.
 */
export function componentsIn(snapshot: Snapshot): readonly Component[] {
  const before = knownIn.get(snapshot)
  if (before) return before
  const all = componentKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(componentsOf)
  const run = new Set(all.filter((one) => one.container && !isOfFetched(one)).map(({ facts }) => facts))
  const components = all.filter((one) => one.container || !(isRendered(one) || run.has(one.facts)))
  knownIn.set(snapshot, components)
  return components
}

/** Whether a workload was rendered from a chart that was fetched for one release. */
function isOfFetched({ manifest: { origin } }: Component): boolean {
  return origin.kind === 'rendered' && origin.source.kind === 'helm' && origin.source.repository !== undefined
}

/** Whether the chart of a release was fetched and rendered. */
function isRendered({ manifest }: Component): boolean {
  return (manifest.object.context?.rendered?.size ?? 0) > 0
}

const knownIn = new WeakMap<Snapshot, readonly Component[]>()

/** `calico/node:v3.20.0`, `chart cilium 1.14.2`: the name of a component's image or chart in messages. */
export function writtenAs({ at, container, facts, release }: Component): string {
  return container ? (at.string ?? '').replace(/@sha256:.*/, '') : `${facts.title} ${release ?? at.string ?? ''}`
}

/** A release of a component as advice names it: by the version that is written where it is changed. */
export function adviceOf(component: Component, release: string): string {
  const { facts, container, writtenReleases } = component
  const name = `${facts.title} ${release}`
  if (!writtenReleases) return name
  const written = writtenFor(component, release)
  const what = container ? 'operator' : 'chart'
  return written === undefined ? `the ${what} of ${name}` : `version ${written} of the ${what} (${name})`
}

/** The written version for a release: that of the last chart or operator with it, if they have their own versions. */
export function writtenFor({ writtenReleases }: Component, release: string): string | undefined {
  if (!writtenReleases) return release
  return Object.keys(writtenReleases).findLast((one) => entryOf(writtenReleases, one) === release)
}

/** The release that a written version means. */
export function releaseBehind({ writtenReleases }: Component, written: string): string | undefined {
  return writtenReleases ? entryOf(writtenReleases, written) : written
}

/** Whether it represents the whole component: the first part, or the object by which an operator deploys it. */
export function isMain({ facts, part, container }: Component): boolean {
  return part === facts.parts[0] || !container || part.releases !== undefined
}

function read(manifest: Manifest): Component[] {
  const kind = groupKindOf(manifest.ref)
  if (workloadKinds.includes(kind)) return runBy(manifest)
  const chartsOf = chartsByKind.get(kind)
  return chartsOf ? chartsOf(manifest.root).flatMap((chart) => chartRelease(manifest, chart)) : written(manifest, kind)
}

const patterns = componentFacts.flatMap((facts) =>
  facts.parts.map((part) => ({
    facts,
    part,
    images: [...(part.images ?? []), ...(part.controller ? controllerFactsOf(part.controller).images : [])].map(
      (pattern) => new RegExp(pattern),
    ),
  })),
)

function runBy(manifest: Manifest): Component[] {
  if (isStopped(manifest)) return []
  const pod = podOf(manifest).at('spec')
  // An init container may run another program of the same image, which has none of the component's settings.
  return [...pod.at('containers').items(), ...pod.at('initContainers').items()].flatMap((container) => {
    const at = container.at('image')
    if (!at.string) return []
    const image = parseImage(at.string)
    const found = patterns.find(
      ({ part, images }) =>
        images.some((pattern) => pattern.test(image.repository)) ||
        (part.container !== undefined &&
          part.container === container.at('name').string &&
          image.repository.split('/').at(-1) === part.name),
    )
    if (!found) return []
    const { facts, part } = found
    const release = releaseOf(image)
    return [
      {
        facts,
        part,
        manifest,
        container,
        at,
        release: part.releases ? entryOf(part.releases, release ?? '') : release,
        writtenReleases: part.releases,
      },
    ]
  })
}

interface NamedChart {
  readonly name: Cursor
  readonly version: Cursor
  readonly values: Cursor | undefined
}

function ofHelmRelease(root: Cursor): NamedChart[] {
  const { chart, chartRef, values } = readHelmRelease(root)
  // An OCIRepository is named like its chart, by custom.
  const name = chart.chart.exists ? chart.chart : chartRef.at('name')
  return [{ name, version: chart.version, values }]
}

function ofApplication(root: Cursor): NamedChart[] {
  return readApplication(root).sources.map((source) => ({
    name: source.chart,
    version: source.targetRevision,
    values: inlineValuesOf(source).map,
  }))
}

function ofK3sChart(root: Cursor): NamedChart[] {
  const { chart, version, valuesContent } = readK3sChart(root)
  return [{ name: chart, version, values: valuesContent.nested }]
}

/** The object of Cilium's own operator holds the values alone. */
function ofCiliumConfig(root: Cursor): NamedChart[] {
  const spec = root.at('spec')
  return [{ name: root.at('kind'), version: spec.at('version'), values: spec }]
}

/** Flux takes a chart from a registry by its address and tag; the HelmRelease names this object. */
function ofRegistry(root: Cursor): NamedChart[] {
  const { url, ref, spec } = readFluxSource(root)
  return [{ name: url, version: ref.at('tag'), values: spec.at('values') }]
}

/** A chart that a Kustomization inflates, or that another chart includes. */
function ofInflatedChart(root: Cursor): NamedChart[] {
  return [{ name: root.at('name'), version: root.at('version'), values: root.at('valuesInline') }]
}

function chartRelease(manifest: Manifest, { name, version, values }: NamedChart): Component[] {
  const chart = name.string?.split('/').at(-1)
  const facts = componentFacts.find(({ charts }) => charts?.some((one) => one.name === chart))
  const part = facts?.parts[0]
  if (!facts || !part) return []
  const itself = facts.charts?.find((one) => one.name === chart)
  if (itself?.value) {
    const at = values?.at(...itself.value.split('.'))
    return at?.exists ? [{ facts, part, manifest, container: undefined, at, release: releaseIn(at), values }] : []
  }
  const tag = part.value ? values?.at(...part.value.split('.')) : undefined
  const ofTag = tag?.string ? releaseOf({ repository: '', tag: tag.string }) : undefined
  if (tag?.exists) return [{ facts, part, manifest, container: undefined, at: tag, release: ofTag, values }]
  const written = valid(version.string)
  const isIts = written !== null && (!itself?.versions || satisfies(written, itself.versions))
  const exact = isIts ? written : null
  const releases = itself?.releases
  const release = exact === null ? undefined : releases ? entryOf(releases, exact) : exact
  if (!version.exists) return []
  return [{ facts, part, manifest, container: undefined, at: version, release, values, writtenReleases: releases }]
}

/** An object that an installer reads, with its release in a field, or else as a label. */
function written(manifest: Manifest, kind: GroupKind): Component[] {
  return componentFacts.flatMap((facts) =>
    facts.parts.flatMap((part) => {
      if (part.object !== kind) return []
      const at = manifest.root.at(...(part.field?.split('.') ?? ['metadata', 'labels', 'version']))
      return at.exists ? [{ facts, part, manifest, container: undefined, at, release: releaseIn(at) }] : []
    }),
  )
}

/** The release that a field has: of a range of patches, such as `2.8.x`, the first one; none of a wider range. */
function releaseIn(at: Cursor): string | undefined {
  const text = at.string?.trim() ?? ''
  return /^v?\d+\.\d+\.[x*]$/i.test(text) ? minVersion(text)?.version : releaseOf({ repository: '', tag: text })
}
