import path from 'node:path/posix'
import { loadFile } from '../manifest/load'
import { Manifest, type Side } from '../manifest/manifest'
import type { DeclaredRelease } from '../policy/config'
import { localFolderOf, readChart } from './chart'
import type { Checkout } from './checkout'
import { type Named, readGitOps } from './gitops'
import { inside, type Kustomization, readKustomizations, rootsOf } from './kustomization'
import { firstLine } from './render/rendering'
import type { HelmSource, Knowledge, Source, Target } from './source'
import type { Skipped } from './tree'

/** Why a file is no plain manifest. */
export interface Claim {
  /** Something that is rendered may hold it; else nobody deploys it. */
  readonly deployed: boolean
  readonly reason: string
}

/** What one side of a change deploys by rendering, and which files are therefore no plain manifests. */
export interface Discovery {
  readonly sources: readonly Source[]
  /** By path. */
  readonly claims: ReadonlyMap<string, Claim>
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly notInspected: readonly Skipped[]
}

/** What discovery is told beside the files. */
export interface Known {
  readonly releases: readonly DeclaredRelease[]
  /** The names of this repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  /** What the base deploys, when the head is looked at. */
  readonly base?: Discovery
}

/** Finds what is deployed by rendering: what the config declares, what Argo CD and Flux name, charts and Kustomizations. */
export async function discover(checkout: Checkout, known: Known, side: Side): Promise<Discovery> {
  const charts = [...checkout.tree.entries.keys()]
    .filter((file) => path.basename(file) === 'Chart.yaml' && !checkout.tree.ignores(file))
    .map((file) => (file.includes('/') ? path.dirname(file) : ''))
    .sort()
  const kustomizations = await readKustomizations(checkout)
  const declared = known.releases.map(declaredSource)
  if (charts.length === 0 && kustomizations.size === 0 && declared.length === 0 && !known.base?.sources.length)
    return { sources: [], claims: new Map(), kustomizations, notInspected: [] }
  const claims = new Map([...chartClaims(charts, checkout), ...kustomizeClaims(kustomizations, checkout, known.base)])
  const named = await namedSources(checkout, claims, charts, kustomizations, known, side)
  const told = [...declared, ...named.sources]
  const spoken = new Set(told.map((source) => (source.kind === 'helm' ? source.chart : source.root)))
  const discovered = await discoveredCharts(checkout, charts, kustomizations, spoken)
  const roots = deployedRoots(kustomizations, known.base).filter((root) => !spoken.has(root))
  return {
    sources: [
      ...told,
      ...discovered,
      ...roots.map((root): Source => {
        const at = { path: kustomizations.get(root)?.file ?? root, region: firstLine }
        return { kind: 'kustomize', id: `kustomize:${root}`, known: 'discovered', target: { path: at.path }, at, root }
      }),
    ],
    claims,
    kustomizations,
    notInspected: named.notInspected,
  }
}

function declaredSource(declared: DeclaredRelease): HelmSource {
  const { chart, values = [], release, namespace, cluster, at } = declared
  const own = values.find((file) => !file.startsWith(`${chart}/`))
  const target: Target = cluster ? { cluster } : { path: own ?? path.join(chart, 'Chart.yaml') }
  return {
    kind: 'helm',
    id: `declared:${JSON.stringify([release, namespace, target])}`,
    known: 'declared',
    target,
    at,
    chart,
    values: values.map((file) => ({ path: file })),
    set: declared.set ?? {},
    release,
    namespace,
    ...(declared.kubeVersion ? { kubeVersion: declared.kubeVersion } : {}),
    ...(declared.apiVersions ? { apiVersions: declared.apiVersions } : {}),
  }
}

/** The parts of a chart's folder; what else lies in it may be a manifest that somebody applies. */
const partOfChart =
  /^(?:(?:Chart|requirements|values[^/]*)\.ya?ml|values\.schema\.json|(?:templates|crds|charts|ci|files|values|tests?|unittests?)\/.*)$/s

function* chartClaims(charts: readonly string[], checkout: Checkout): Iterable<[string, Claim]> {
  for (const folder of charts) {
    const start = folder === '' ? 0 : folder.length + 1
    for (const file of checkout.below(folder)) {
      if (partOfChart.test(file.slice(start)))
        yield [file, { deployed: true, reason: `a file of the Helm chart ${folder || '.'}` }]
    }
  }
}

/** What Kustomizations name, and what lies beside them unnamed: both are no plain manifests. */
function* kustomizeClaims(
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  base: Discovery | undefined,
): Iterable<[string, Claim]> {
  for (const { folder } of all.values()) {
    const start = folder === '' ? 0 : folder.length + 1
    for (const file of checkout.below(folder)) {
      if (file.slice(start).includes('/')) continue
      yield [
        file,
        { deployed: false, reason: `an orphan: the Kustomization of ${folder || 'this folder'} does not name it` },
      ]
    }
  }
  // What leaves a Kustomization in this change is deployed by nobody; it does not become a plain file.
  for (const [file, place] of namedBy(base?.kustomizations.values() ?? [])) {
    if (checkout.has(file)) yield [file, { deployed: false, reason: `an orphan: ${place} no longer names it` }]
  }
  for (const [file, place] of namedBy(all.values())) {
    if (checkout.has(file)) yield [file, { deployed: true, reason: `a part of the Kustomization ${place}` }]
  }
}

/** The files that Kustomizations name, each with the Kustomization's own file; that file is named too. */
function* namedBy(kustomizations: Iterable<Kustomization>): Iterable<[string, string]> {
  for (const { file, leadsTo } of kustomizations) {
    for (const place of [file, ...leadsTo]) yield [place, file]
  }
}

async function namedSources(
  checkout: Checkout,
  claims: ReadonlyMap<string, Claim>,
  charts: readonly string[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  { repository }: Known,
  side: Side,
): Promise<Named> {
  const chartFiles = new Set([...chartClaims(charts, checkout)].map(([file]) => file))
  const files = [...checkout.tree.files.keys()].filter((file) => !chartFiles.has(file))
  const manifests: Manifest[] = []
  for (const [file, text] of await checkout.texts(files)) {
    if (!/argoproj\.io\/|toolkit\.fluxcd\.io\//.test(text) || claims.get(file)?.deployed === false) continue
    const wants = (document: string) =>
      /argoproj\.io\/|toolkit\.fluxcd\.io\/|kind:\s*(?:ConfigMap|Secret)/.test(document)
    for (const object of loadFile({ text }, wants).objects)
      manifests.push(new Manifest(object, side, { kind: 'file', path: file }, []))
  }
  return readGitOps(manifests, { checkout, kustomizations, repository })
}

/** Charts that nobody installs by name: each set of values it brings is tried as a cluster of its own. */
async function discoveredCharts(
  checkout: Checkout,
  folders: readonly string[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  spoken: ReadonlySet<string>,
): Promise<HelmSource[]> {
  const charts = await Promise.all(folders.map((folder) => readChart(checkout, folder)))
  const taken = new Set([
    ...charts.flatMap((chart) => chart.dependencies.flatMap((dependency) => localFolderOf(chart, dependency) ?? [])),
    ...[...kustomizations.values()].flatMap((kustomization) => kustomization.charts.map(({ folder }) => folder)),
  ])
  return charts
    .filter(({ folder, library }) => !library && !taken.has(folder) && !spoken.has(folder))
    .filter(
      ({ folder }) =>
        !folders.some(
          (other) =>
            other !== folder &&
            inside(other, 'charts') !== undefined &&
            folder.startsWith(`${path.join(other, 'charts')}/`),
        ),
    )
    .flatMap(({ folder, name }) => {
      const start = folder === '' ? 0 : folder.length + 1
      const sets = checkout.below(folder).filter((file) => /^values(?:-[^/]*|\/[^/]*)\.ya?ml$/.test(file.slice(start)))
      const at = { path: path.join(folder, 'Chart.yaml'), region: firstLine }
      const release = (values: readonly string[], target: Target, known: Knowledge = 'discovered'): HelmSource => ({
        kind: 'helm',
        id: `chart:${folder}:${values.join()}`,
        known,
        target,
        at,
        chart: folder,
        values: values.map((file) => ({ path: file })),
        set: {},
        release: name,
        namespace: 'default',
      })
      const probes = checkout.below(folder).filter((file) => /^ci\/[^/]*-?values\.ya?ml$/.test(file.slice(start)))
      const installed =
        sets.length === 0
          ? [release([], { path: at.path })]
          : sets.map((file) => release([file], { cluster: `${folder || name}:${file.slice(start)}` }))
      return [...installed, ...probes.map((file) => release([file], { path: at.path }, 'probed'))]
    })
}

/** At the head: what was deployed at the base and is still there, and what has come. A folder that loses its includer has not. */
function deployedRoots(all: ReadonlyMap<string, Kustomization>, base: Discovery | undefined): string[] {
  const roots = rootsOf(all)
  if (!base) return [...roots].sort()
  const before = rootsOf(base.kustomizations)
  const still = [...before].filter((root) => all.has(root) && !all.get(root)?.component)
  return [...new Set([...still, ...[...roots].filter((root) => !base.kustomizations.has(root))])].sort()
}
