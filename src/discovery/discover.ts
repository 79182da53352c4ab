import path from 'node:path/posix'
import { readGitOps } from '../deployers/gitops'
import { gitOpsObjects } from '../deployers/gitops-objects'
import type { Named, PassedOver } from '../deployers/named'
import type { Side } from '../manifest/manifest'
import type { DeclaredRelease } from '../policy/config'
import { startOf } from '../region'
import type { Checkout } from '../revision/checkout'
import { localFolderOf, readChart } from '../sources/chart'
import { inside, type Kustomization, readKustomizations, rootsOf } from '../sources/kustomization'
import type { HelmSource, Knowledge, Source, Target } from '../sources/source'
import { asBefore } from './as-before'
import { ignorableIn } from './ignorable'

/** Why a file is no plain manifest. */
export interface Claim {
  /** Something that is rendered may hold it; else nobody deploys it. */
  readonly deployed: boolean
  readonly reason: string
}

/** What one side of a change deploys by rendering, and which files are therefore no plain manifests. */
export interface Discovery {
  readonly sources: readonly Source[]
  /** The folders of library charts. */
  readonly libraries: ReadonlySet<string>
  /** By path. */
  readonly claims: ReadonlyMap<string, Claim>
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** Argo CD and Flux objects of which something was not looked at. */
  readonly notInspected: readonly PassedOver[]
  /** Plain files that an Argo CD object deploys, and by which. */
  readonly plain: ReadonlyMap<string, string>
  /** Files that a glob of `ignore` takes, and that something deploys all the same. */
  readonly ignorable: ReadonlySet<string>
}

/** What discovery is told beside the files. */
export interface Known {
  readonly releases: readonly DeclaredRelease[]
  /** The names of this repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  /** What the base deploys, when the head is looked at. */
  readonly base?: Discovery
  /** Whether a path was not there at the base. */
  readonly isNew: (path: string) => boolean
  /** A source with what helm would learn of its cluster. */
  readonly informed: (source: Source) => Source
}

/** Finds what is deployed by rendering: what the config declares, what Argo CD and Flux name, charts and Kustomizations. */
export async function discover(checkout: Checkout, known: Known, side: Side): Promise<Discovery> {
  const charts = [...checkout.tree.entries.keys()]
    .filter((file) => path.basename(file) === 'Chart.yaml' && !checkout.tree.ignores(file))
    .map((file) => (file.includes('/') ? path.dirname(file) : ''))
    .sort()
  const written = await readKustomizations(checkout)
  const declared = known.releases.map(declaredSource)
  const parts = new Map(chartClaims(charts, checkout))
  const { named, kustomizations, claims } = await readNamed(checkout, parts, written, known, side)
  const told = [...declared, ...named.sources]
  const spoken = new Set(told.map(placeOf))
  const discovered = await discoveredCharts(checkout, charts, kustomizations, spoken)
  const roots = deployedRoots(kustomizations, known.base, spoken)
  const sources = [
    ...told,
    ...stillDiscovered(discovered.releases, known.base),
    ...roots.map((root): Source => {
      const at = { path: kustomizations.get(root)?.file ?? root, region: startOf(1) }
      const id = `kustomize:${root}`
      const beside = named.usesFlux ? { beside: true as const } : {}
      return { kind: 'kustomize', id, known: 'discovered', target: { path: at.path }, at, root, ...beside }
    }),
  ].map(known.informed)
  return {
    sources: [...sources, ...(await asBefore(known.base?.sources ?? [], { checkout, kustomizations, sources }))],
    libraries: discovered.libraries,
    claims,
    kustomizations,
    notInspected: named.notInspected,
    plain: named.plain,
    ignorable: new Set(ignorableIn(checkout, { named, kustomizations, claims })),
  }
}

/** The folder (or archive) that a source renders. */
export function placeOf(source: Source): string {
  return source.kind === 'helm' ? source.chart : source.root
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
        { deployed: false, reason: `an orphan: the Kustomization of ${folder || 'this folder'} does not list it` },
      ]
    }
  }
  // What leaves a Kustomization in this change is deployed by nobody; it does not become a plain file.
  for (const [file, place] of namedBy(base?.kustomizations.values() ?? [])) {
    if (checkout.has(file)) yield [file, { deployed: false, reason: `an orphan: ${place} no longer lists it` }]
  }
  for (const [file, place] of namedBy(all.values())) {
    if (checkout.has(file)) yield [file, { deployed: true, reason: `a part of the Kustomization ${place}` }]
  }
}

/** The files that Kustomizations name, each with the Kustomization's own file; that file is named too. */
function* namedBy(kustomizations: Iterable<Kustomization>): Iterable<[string, string]> {
  for (const { file, leadsTo, made } of kustomizations) {
    for (const place of made ? leadsTo : [file, ...leadsTo]) yield [place, file]
  }
}

/** What Flux passes by, and what came to be where only a link leads from the folder that was deployed, by which who deploys it does not go. */
function* passedByClaims(
  { unread, unfollowed, plain }: Named,
  checkout: Checkout,
  isNew: Known['isNew'],
): Iterable<[string, Claim]> {
  for (const [file, why] of unread) if (!plain.has(file)) yield [file, { deployed: false, reason: `an orphan: ${why}` }]
  for (const [link, why] of unfollowed) {
    for (const file of checkout.tree.at(checkout.tree.resolved.get(link) ?? link)) {
      if (isNew(file) && !plain.has(file)) yield [file, { deployed: false, reason: `an orphan: ${why}` }]
    }
  }
}

/** Plain files that lose the object that deployed them are deployed by nobody. */
function* plainClaims({ plain }: Named, checkout: Checkout, base: Discovery | undefined): Iterable<[string, Claim]> {
  for (const [file, object] of base?.plain ?? []) {
    if (checkout.has(file) && !plain.has(file))
      yield [file, { deployed: false, reason: `an orphan: ${object} no longer deploys it` }]
  }
}

/** Reads what Argo CD and Flux objects name, and which files are therefore no plain manifests. */
async function readNamed(
  checkout: Checkout,
  parts: ReadonlyMap<string, Claim>,
  written: ReadonlyMap<string, Kustomization>,
  { repository, base, isNew }: Known,
  side: Side,
) {
  let manifests = await gitOpsObjects(checkout, parts, side)
  for (;;) {
    const named = readGitOps(manifests, { checkout, kustomizations: written, repository })
    const kustomizations = new Map([...written, ...named.made])
    const claims = new Map([
      ...plainClaims(named, checkout, base),
      ...passedByClaims(named, checkout, base ? isNew : () => false),
      ...parts,
      ...kustomizeClaims(kustomizations, checkout, base),
    ])
    // An object that nobody applies deploys nothing, and what it would have applied may hold more of them.
    const applied = manifests.filter(({ origin }) => claims.get(origin.path)?.deployed !== false)
    if (applied.length === manifests.length) return { named, kustomizations, claims }
    manifests = applied
  }
}

/** Charts that nobody installs by name: each set of values it brings is tried as a cluster of its own. */
async function discoveredCharts(
  checkout: Checkout,
  folders: readonly string[],
  kustomizations: ReadonlyMap<string, Kustomization>,
  spoken: ReadonlySet<string>,
): Promise<{ releases: HelmSource[]; libraries: Set<string> }> {
  const charts = await Promise.all(folders.map((folder) => readChart(checkout, folder)))
  const taken = new Set([
    ...charts.flatMap((chart) => chart.dependencies.flatMap((dependency) => localFolderOf(chart, dependency) ?? [])),
    ...[...kustomizations.values()].flatMap((kustomization) => kustomization.charts.map(({ folder }) => folder)),
  ])
  const libraries = new Set(charts.flatMap(({ folder, library }) => (library ? [folder] : [])))
  const releases = charts
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
      const at = { path: path.join(folder, 'Chart.yaml'), region: startOf(1) }
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
  return { releases, libraries }
}

/**
 * At the head: the charts that were tried by themselves at the base, and new ones, which what was a library is too. A chart that loses the last object or
 * declaration that named it is deployed no longer.
 */
function stillDiscovered(found: readonly HelmSource[], base: Discovery | undefined): HelmSource[] {
  if (!base) return [...found]
  const before = discoveredIn(base)
  return found.filter(
    ({ chart }) => !base.claims.has(path.join(chart, 'Chart.yaml')) || base.libraries.has(chart) || before.has(chart),
  )
}

function discoveredIn({ sources }: Discovery): Set<string> {
  return new Set(sources.filter(({ known }) => known === 'discovered').map(placeOf))
}

/** At the head: what was deployed at the base and is still there, and what has come. A folder that loses its includer has not. */
function deployedRoots(
  all: ReadonlyMap<string, Kustomization>,
  base: Discovery | undefined,
  spoken: ReadonlySet<string>,
): string[] {
  const roots = rootsOf(all)
  if (!base) return [...roots].filter((root) => !spoken.has(root)).sort()
  const before = discoveredIn(base)
  const still = [...before].filter((root) => all.has(root) && !all.get(root)?.component)
  // A component that nobody took in was deployed by nobody, so it comes when it turns into what can be deployed.
  const taken = new Set([...base.kustomizations.values()].flatMap(({ leadsTo }) => leadsTo))
  const isNew = (root: string) => {
    const old = base.kustomizations.get(root)
    return !old || (old.component && !taken.has(root))
  }
  return [...new Set([...still, ...[...roots].filter(isNew)])].filter((root) => !spoken.has(root)).sort()
}
