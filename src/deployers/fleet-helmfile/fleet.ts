import path from 'node:path/posix'
import { shortenedReleaseName } from '../../gitops/helm-release'
import type { Cursor } from '../../manifest/cursor'
import type { ReleaseLayer } from '../../manifest/load'
import type { Manifest } from '../../manifest/manifest'
import { asciiJson } from '../../sources/ascii-json'
import { goField } from '../../sources/go-field'
import { foldedKey } from '../../sources/go-keys'
import { inside } from '../../sources/kustomization'
import type { Target, Values } from '../../sources/source'
import { textOf } from '../../sources/untyped'
import type { FileDeployments } from '../common/file-deployments'
import { mayBeThere } from '../common/missing-values'
import { type FleetTarget, fleetTargets } from './fleet-targets'

/** The names of the file that makes a folder a bundle. */
export const fleetFile = /(?:^|\/)fleet\.ya?ml$/

/** Keys of Rancher's `fleet.yaml`: a file without any of them is another tool's. */
const fleetKeys = new Set(
  [
    ...['name', 'labels', 'defaultNamespace', 'namespace', 'helm', 'kustomize', 'yaml', 'targets'],
    ...['targetCustomizations', 'overrideTargets', 'dependsOn', 'diff', 'paused', 'rolloutStrategy', 'serviceAccount'],
    ...['keepResources', 'ignore', 'correctDrift', 'namespaceLabels', 'namespaceAnnotations', 'imageScans'],
  ].map(foldedKey),
)

/** Whether a document of a file of that name is Rancher Fleet's. */
export function isFleet({ root }: Manifest): boolean {
  const keys = [...root.entries()].map(([key]) => foldedKey(key))
  if (keys.includes('apiversion') || keys.includes('kind')) return false
  return keys.some((key) => fleetKeys.has(key))
}

/**
 * Reads a bundle of Rancher Fleet.
 *
 * A chart is rendered for each target, a Kustomization is built for each, and plain YAML is judged file by file.
 * https://fleet.rancher.io/ref-fleet-yaml
 */
export function readFleet(document: Manifest, deployments: FileDeployments): void {
  const bundle: Bundle = { document, deployments, folder: folderOf(document.origin.path) }
  const { targets, unread } = fleetTargets(document.root)
  for (const { at, reason } of unread) deployments.skip(at, reason)
  for (const target of targets) deploy(bundle, target)
  const reason = reasonWithoutPlain(bundle, targets)
  if (reason === undefined) return
  const { folder } = bundle
  const files = targets.flatMap(({ options }) =>
    options.flatMap((map) => [...goField(map, 'helm', 'valuesFiles').items()]),
  )
  const values = files.flatMap((file) => inside(folder, textOf(file.value)) ?? [])
  deployments.withoutPlain.push({ folder, values, reason })
}

/** The reason for which no target gets the plain YAML of a bundle; charts and Kustomizations take their files by themselves. */
function reasonWithoutPlain({ document, deployments, folder }: Bundle, targets: readonly FleetTarget[]) {
  const { checkout, kustomizations } = deployments.surroundings
  if (kustomizations.has(folder) || checkout.has(path.join(folder, 'Chart.yaml'))) return undefined
  const file = document.origin.path
  if (targets.length === 0) return `${file} has Fleet deploy it to no cluster, by doNotDeploy`
  const areCharts = targets.every((target) => {
    const option = optionsOf(target)
    return ['chart', 'repo'].some((key) => textOf(option('helm', key).value) !== '')
  })
  return areCharts ? `${file} has Fleet deploy a chart in place of the plain files of its folder` : undefined
}

interface Bundle {
  readonly document: Manifest
  readonly deployments: FileDeployments
  readonly folder: string
}

function deploy(bundle: Bundle, target: FleetTarget): void {
  const { folder, deployments } = bundle
  const { checkout, kustomizations } = deployments.surroundings
  const option = optionsOf(target)
  const written = textOf(option('helm', 'chart').value)
  const repository = textOf(option('helm', 'repo').value)
  const dir = inside(folder, textOf(option('kustomize', 'dir').value) || '.')
  if (dir === undefined) {
    deployments.skip(option('kustomize', 'dir'), 'its kustomize.dir leads out of this repository, and is not followed')
    return
  }
  const kustomization = kustomizations.get(dir)
  // Fleet knows the one name of the three.
  const isKustomized = kustomization !== undefined && path.basename(kustomization.file) === 'kustomization.yaml'
  if (written === '' && repository === '') {
    if (checkout.has(path.join(folder, 'Chart.yaml'))) deployChart(bundle, target, folder, isKustomized)
    else if (isKustomized) deployKustomization(bundle, target, dir)
    else deployPlain(bundle, target)
    return
  }
  if (repository !== '' || isElsewhere(written)) {
    deployRemote(bundle, target, { chart: written, repository, isKustomized })
    if (!isKustomized) return
    const what = `Fleet applies the Kustomization ${dir || '.'} to the chart ${written || repository}, which is not in this repository, so it is built alone`
    deployments.skip(option('kustomize'), what)
    deployKustomization(bundle, target, dir, true)
    return
  }
  const chart = inside(folder, written)
  if (chart === undefined)
    deployments.skip(option('helm', 'chart'), `its chart ${written} leads out of this repository, and is not followed`)
  else deployChart(bundle, target, chart, isKustomized)
}

/** Whether a chart is downloaded, in the forms of go-getter. */
function isElsewhere(chart: string): boolean {
  return /:\/\/|^[a-z0-9]+::|^(?:github|gitlab|bitbucket)\.(?:com|org)\/|^[^/@]+@[^/:]+:/i.test(chart)
}

/** Reads an option as the target has it, else as the bundle has it. */
function optionsOf({ options }: FleetTarget) {
  return (...keys: readonly string[]): Cursor => {
    const written = options.map((map) => goField(map, ...keys))
    return (
      written.findLast(({ value }) => value !== undefined && value !== null && value !== '') ?? (written[0] as Cursor)
    )
  }
}

function deployChart(bundle: Bundle, target: FleetTarget, chart: string, isKustomized: boolean): void {
  const { deployments } = bundle
  const option = optionsOf(target)
  const values = valuesOf(bundle, target)
  if (!values) return
  if (isKustomized)
    deployments.skip(option('kustomize'), `the chart ${chart} is rendered without the Kustomization over it`)
  const unknown = unknownValues(target)
  if (unknown) deployments.skip(unknown.at, unknown.reason)
  deployments.sources.push({
    ...common(bundle, target),
    ...(unknown ? { incomplete: true } : {}),
    kind: 'helm',
    chart,
    values,
    set: {},
    release: releaseOf(bundle, target),
    namespace: namespaceOf(target) || 'default',
  })
}

function deployKustomization(bundle: Bundle, target: FleetTarget, root: string, isIncomplete = false): void {
  const forced = textOf(optionsOf(target)('namespace').value)
  bundle.deployments.sources.push({
    ...common(bundle, target),
    kind: 'kustomize',
    root,
    namespace: namespaceOf(target) || 'default',
    ...(forced ? { overlay: { namespace: forced }, keepsNamespaces: true } : {}),
    ...(isIncomplete ? { incomplete: true } : {}),
  })
}

/** A chart from elsewhere: its values are read as those of other releases are. */
function deployRemote(
  bundle: Bundle,
  target: FleetTarget,
  { chart, repository, isKustomized }: { chart: string; repository: string; isKustomized: boolean },
) {
  const { document, deployments, folder } = bundle
  const option = optionsOf(target)
  const layers = target.options.flatMap((options): ReleaseLayer[] => {
    const helm = goField(options, 'helm')
    const values = goField(helm, 'values')
    const files = [...goField(helm, 'valuesFiles').items()].map((file): ReleaseLayer => {
      const place = inside(folder, textOf(file.value))
      if (place !== undefined) {
        findMissing(file, place, bundle, target)
        return { file: place }
      }
      deployments.skip(file, `its values ${textOf(file.value)} lead out of this repository, and are not followed`)
      return { hidden: true }
    })
    return [...(values.isMap ? [{ keys: values.path }] : []), ...files]
  })
  deployments.release({
    at: goField(document.root, 'helm'),
    deployer: 'Fleet',
    name: releaseOf(bundle, target),
    namespace: namespaceOf(target),
    cluster: target.clusters,
    chart: chart || path.basename(repository),
    repository: repository || chart,
    version: option('helm', 'version'),
    layers: unknownValues(target) ? [...layers, { hidden: true }] : layers,
    // Fleet applies a Kustomization beside it to what the chart creates.
    parameters: isKustomized ? undefined : [],
    place: option('helm', repository === '' ? 'chart' : 'repo'),
  })
}

/** Plain YAML is judged as it is, unless a target lays overlays over it. */
function deployPlain(bundle: Bundle, target: FleetTarget): void {
  const { folder, deployments } = bundle
  const overlays = target.options.flatMap((map) => [...goField(map, 'yaml', 'overlays').items()])
  const above = path.join(folder, 'overlays')
  const isInside = (name: Cursor) => inside(above, textOf(name.value))?.startsWith(`${above}/`) === true
  for (const name of overlays.filter((one) => !isInside(one)))
    deployments.skip(name, `its overlay ${textOf(name.value)} leads out of the folder overlays, and is not followed`)
  deployments.plain.push({
    folder,
    overlays: overlays.filter(isInside).map((name) => textOf(name.value)),
    source: common(bundle, target),
    namespace: namespaceOf(target),
    forced: textOf(optionsOf(target)('namespace').value),
  })
}

/** The values laid over a chart's own, later ones over earlier ones; undefined when some are out of reach. */
function valuesOf(bundle: Bundle, target: FleetTarget): Values[] | undefined {
  const { folder, deployments, document } = bundle
  const values: Values[] = []
  for (const map of target.options) {
    const helm = goField(map, 'helm')
    const inline = goField(helm, 'values').value
    if (inline !== undefined && inline !== null)
      values.push({ text: asciiJson(inline), name: `the values in ${document.origin.path}` })
    for (const file of goField(helm, 'valuesFiles').items()) {
      const place = inside(folder, textOf(file.value))
      if (place === undefined) {
        deployments.skip(file, `its values ${textOf(file.value)} lead out of this repository, and are not followed`)
        return undefined
      }
      findMissing(file, place, bundle, target)
      values.push({ path: place })
    }
  }
  return values
}

function findMissing(file: Cursor, place: string, bundle: Bundle, target: FleetTarget): void {
  const { missing, surroundings } = bundle.deployments
  const { path } = bundle.document.origin
  const written = textOf(file.value)
  if (written.includes('$') || mayBeThere(place, surroundings.checkout)) return
  const release = releaseOf(bundle, target)
  missing.push({ deployer: 'Fleet', path, region: file.region, release, written, place, list: 'values' })
}

/** Values that only a cluster knows: the chart may not render without them. */
function unknownValues(target: FleetTarget): { at: Cursor; reason: string } | undefined {
  const option = optionsOf(target)
  for (const key of ['valuesFrom', 'templateValues']) {
    const at = option('helm', key)
    if (at.exists) return { at, reason: `it is rendered without helm.${key}, which only the cluster knows` }
  }
  const filled = target.options
    .map((map) => goField(map, 'helm', 'values'))
    .find(({ value }) => /\$\{|global\.fleet\.clusterLabels\./.test(JSON.stringify(value ?? null)))
  if (!filled) return undefined
  return {
    at: filled,
    reason: 'the variables in its values are not filled in, as each cluster fills them in differently',
  }
}

function common({ document }: Bundle, given: FleetTarget) {
  const { clusters, mayBeUnused } = given
  const file = document.origin.path
  const forced = optionsOf(given)('namespace')
  const target: Target = clusters === '' ? { path: file } : { cluster: clusters }
  return {
    id: `fleet:${file}:${clusters}`,
    origin: 'named' as const,
    // If no known cluster takes it, a failure is no error.
    ...(mayBeUnused ? { incomplete: true as const } : {}),
    target,
    declaredAt: { path: file, region: document.object.region },
    ...(textOf(forced.value) ? { forcedAt: { path: file, region: forced.region } } : {}),
  }
}

function releaseOf({ document, folder }: Bundle, target: FleetTarget): string {
  const option = optionsOf(target)
  const written = textOf(option('helm', 'releaseName').value) || textOf(goField(document.root, 'name').value)
  const slug = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return written || shortenedReleaseName(slug || 'bundle')
}

function namespaceOf(target: FleetTarget): string {
  const option = optionsOf(target)
  return textOf(option('namespace').value) || textOf(option('defaultNamespace').value)
}

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}
