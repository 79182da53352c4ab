import path from 'node:path/posix'
import type { NotInspected } from '../../deployers/common/gitops-sources'
import { readApplication } from '../../gitops/application'
import { readK3sChart } from '../../gitops/helm-chart'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { assumedByRelease } from '../../kubernetes/charts/assumed-objects'
import { inflatedChart, isKnownChart, releaseKinds } from '../../kubernetes/charts/chart-release'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import type { CoveredRelease } from '../../ledger/coverage'
import { groupKindOf, Manifest, nameOf, ownGroup } from '../../manifest/manifest'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { type HelmSource, nameOfSource } from '../../sources/source'
import { failureOf } from '../failure-of'
import { type IdleInput, isLeftover } from '../idle-sources'
import { nameIn } from './not-followed'
import { causeOfFailure } from './rendered-files'
import { isPartial } from './unseen-deployers'

interface Seen {
  readonly head: SideOfChange
  readonly rendered: readonly RenderedSide[]
  /** All objects of the head. */
  readonly manifests: readonly Manifest[]
  readonly idle: IdleInput
}

/** Every release of one side, and how much of it is seen. */
export function releasesSeen({ head, rendered, manifests, idle }: Seen): CoveredRelease[] {
  const byValues = namesJudgedByValues(manifests)
  const sightOf = (manifest: Manifest) => (byValues.has(keyOf(manifest)) ? 'by-values' : 'not-seen')
  const { notInspected, fileDeployments } = head.discovery
  return [
    ...rendered.flatMap((side) => ofSource(side, { byValues, idle, lacking: lackingOf(head) })),
    ...unique(notInspected.flatMap((one) => ofObject(one, sightOf))),
    ...manifests.flatMap((manifest) => ofK3s(manifest, sightOf)),
    ...rendered.flatMap((side) => inflated(side, byValues)),
    ...unique(ofFiles(fileDeployments, byValues)),
  ]
}

/**
 * The objects that install a chart from elsewhere which is judged by its values: a known one, or one with an Ingress.
 */
function namesJudgedByValues(manifests: readonly Manifest[]): ReadonlySet<string> {
  const known = manifests.filter(
    (manifest) => releaseKinds.includes(groupKindOf(manifest.ref)) && chartReleasesOf(manifest, undefined).length > 0,
  )
  return new Set([...known, ...assumedByRelease(manifests).keys()].map(keyOf))
}

function keyOf({ ref }: Pick<Manifest, 'ref'>): string {
  return nameIn(ref)
}

/** The missing parts of the renderings that an object declares, by the id of the source. */
function lackingOf({ discovery: { deployers, notInspected } }: SideOfChange): Map<string, NotInspected> {
  const parts = new Map(notInspected.flatMap((one) => (isPartial(one.cause) ? [[one.manifest, one] as const] : [])))
  return new Map(
    [...deployers].flatMap(([id, manifest]) => {
      const part = parts.get(manifest)
      return part ? [[id, part] as const] : []
    }),
  )
}

interface SightInput {
  readonly byValues: ReadonlySet<string>
  readonly idle: IdleInput
  readonly lacking: ReadonlyMap<string, NotInspected>
}

function ofSource(side: RenderedSide, { byValues, idle, lacking }: SightInput): CoveredRelease[] {
  const { source, partial, objects } = side
  if (source.origin === 'probed' || source.baseSourceId !== undefined) return []
  const failure = failureOf(side)
  if (failure && isLeftover(source, failure, idle)) return []
  const release = { path: source.declaredAt.path, name: nameOfSource(source) }
  if (!failure) {
    const [part, remote] = [lacking.get(source.id), side.remote[0]]
    if (part) return [{ ...release, sight: 'rendered', cause: part.cause, reason: `${release.name}: ${part.reason}` }]
    if (!remote) return [{ ...release, sight: 'rendered' }]
    const reason = `it uses ${remote.text}, which is not in this repository`
    return [{ path: remote.path, name: release.name, sight: 'rendered', cause: 'remote-entry', reason }]
  }
  const asWritten = partial?.manner === 'written'
  const because = {
    cause: causeOfFailure({ source, failure, asWritten }),
    reason: `${release.name}: ${failure.reason}`,
  }
  const own = objects.filter(({ object: { ref } }) => ref.group !== ownGroup)
  if (partial && own.length > 0) return [{ ...release, sight: 'rendered', ...because }]
  const parts = objects.filter(({ object }) => groupKindOf(object.ref) === inflatedChart)
  if (source.kind === 'helm' && parts.some(({ object }) => byValues.has(keyOf(object))))
    return [{ ...release, files: filesOfRelease(source), sight: 'by-values' }]
  const [from] = parts.flatMap(
    ({ object, origin }) => textAt(new Manifest(object, 'head', origin, []).root.at('repo')) || [],
  )
  return [{ ...release, sight: 'not-seen', ...because, ...(from === undefined ? {} : { from }) }]
}

/** The files that ask for the charts of a release and give them values. */
function filesOfRelease({ chart, values, declaredAt }: HelmSource): string[] {
  const own = ['Chart.yaml', 'Chart.lock', 'requirements.yaml', 'requirements.lock', 'values.yaml']
  const given = values.flatMap((one) => ('path' in one ? [one.path] : []))
  return [declaredAt.path, ...own.map((file) => path.join(chart, file)), ...given]
}

function ofObject(
  { manifest, cause, reason, url }: NotInspected,
  sightOf: (manifest: Manifest) => 'by-values' | 'not-seen',
): CoveredRelease[] {
  // A source with such a cause deploys nothing, or the rest of it is rendered.
  if (isPartial(cause) || cause === 'folder-missing' || cause === 'nothing-to-apply') return []
  const release = { path: manifest.origin.path, name: nameOf(manifest.ref) }
  const isKnown = cause === 'chart-elsewhere' && isKnownChart(url ?? '', url ?? '')
  const isElsewhere = cause === 'chart-elsewhere' || cause === 'source-elsewhere'
  const sight = isKnown ? 'by-values' : isElsewhere ? sightOf(manifest) : 'not-seen'
  if (sight === 'by-values') return [{ ...release, sight }]
  const from = url ?? (cause === 'chart-elsewhere' ? repositoryOf(manifest) : '')
  return [{ ...release, sight, cause, reason: `${release.name}: ${reason}`, ...(from ? { from } : {}) }]
}

function repositoryOf({ ref, root }: Manifest): string {
  const application = ref.kind === 'ApplicationSet' ? root.at('spec', 'template') : root
  const source = readApplication(application).sources.find(({ chart }) => chart.exists)
  return source ? textAt(source.repoURL) : ''
}

function ofK3s(manifest: Manifest, sightOf: (manifest: Manifest) => 'by-values' | 'not-seen'): CoveredRelease[] {
  if (groupKindOf(manifest.ref) !== gitOpsKind.k3sChart) return []
  const [release, sight] = [{ path: manifest.origin.path, name: nameOf(manifest.ref) }, sightOf(manifest)]
  if (sight === 'by-values') return [{ ...release, sight }]
  const { chart, repo } = readK3sChart(manifest.root)
  return [{ ...release, sight, ...elsewhere(release.name, textAt(chart), textAt(repo)) }]
}

/** The charts from elsewhere that a Kustomization inflates. */
function inflated({ charts }: RenderedSide, byValues: ReadonlySet<string>): CoveredRelease[] {
  return charts
    .filter(({ vendored }) => !vendored)
    .map(({ name, repo, path, object }) => {
      const release = { path, name: `the chart ${name}` }
      if (isKnownChart(name, repo) || byValues.has(keyOf(object))) return { ...release, sight: 'by-values' }
      return { ...release, sight: 'not-seen', ...elsewhere(release.name, name, repo) }
    })
}

/** The releases that files of Fleet and helmfile declare, except rendered ones. */
function ofFiles(
  { releases, unread }: SideOfChange['discovery']['fileDeployments'],
  byValues: ReadonlySet<string>,
): CoveredRelease[] {
  return [
    ...releases.map(({ path, name, chart, repository, object }): CoveredRelease => {
      const release = { path, name: `release ${name}` }
      if (isKnownChart(chart, repository) || byValues.has(keyOf(object))) return { ...release, sight: 'by-values' }
      return { ...release, sight: 'not-seen', ...elsewhere(release.name, chart, repository) }
    }),
    ...unread.flatMap(({ path, release, reason, unreadable }): CoveredRelease[] =>
      release === undefined || unreadable
        ? []
        : [{ path, name: `release ${release}`, sight: 'not-seen', cause: 'release-not-rendered', reason }],
    ),
  ]
}

function elsewhere(name: string, chart: string, repository: string) {
  const from = repository === '' || repository === chart ? '' : repository
  const reason = `${name}: the chart ${[chart, from].filter(Boolean).join(' of ')} is not in this repository`
  return { cause: 'chart-elsewhere', reason, ...(from ? { from } : {}) }
}

/** An object that is out of sight for several reasons is one release. */
function unique(releases: readonly CoveredRelease[]): CoveredRelease[] {
  const first = new Map<string, CoveredRelease>()
  for (const release of releases) {
    const key = JSON.stringify([release.path, release.name])
    if (!first.has(key)) first.set(key, release)
  }
  return [...first.values()]
}
