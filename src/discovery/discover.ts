import path from 'node:path/posix'
import { generatorFilesOf } from '../deployers/argocd/generated-elements'
import { type ArgoFiles, argoFilesIn } from '../deployers/common/argocd-files'
import type { ChartElsewhere } from '../deployers/common/chart-elsewhere'
import type { FileDeployments } from '../deployers/common/file-deployments'
import { type IgnoreFiles, sourceIgnoresIn } from '../deployers/common/flux-artifact'
import type { GeneratedBySet, NotInspected, PlainOwner } from '../deployers/common/gitops-sources'
import type { MissingValues } from '../deployers/common/missing-values'
import { TouchedPlaces } from '../deployers/common/touched-places'
import type { SourceReference, TrackedRevision } from '../deployers/common/tracked-revision'
import type { HelmInstall } from '../deployers/fleet-helmfile/helm-installs'
import { ignorableBundles, readDeploymentFiles } from '../deployers/fleet-helmfile/read-deployment-files'
import { releasesOfFiles } from '../deployers/fleet-helmfile/releases-elsewhere'
import { readGitOps } from '../deployers/gitops'
import { gitOpsObjects } from '../deployers/gitops-objects'
import { k3sReleases } from '../deployers/k3s-chart'
import type { LoadedFile } from '../manifest/load'
import type { Manifest, Side } from '../manifest/manifest'
import type { DeclaredRelease } from '../policy/config'
import type { Checkout } from '../revision/checkout'
import type { Kustomization } from '../sources/kustomization'
import { readKustomizations } from '../sources/read-kustomizations'
import { placeOf, type Source } from '../sources/source'
import { appliedByScripts } from './applied-by-scripts'
import { withoutArchived } from './archive'
import { declaredSource } from './declared-source'
import { filesDeployingOwnFolder } from './deploying-own-folder'
import { deployedRoots, discoveredAgain, discoveredCharts, discoveredKustomization } from './discovered-sources'
import { Followed, type FollowLimits, type Render } from './followed'
import { IdleDeployers } from './idle-deployers'
import { ignorableIn } from './ignorable'
import { helmScripts, installedBy } from './installed-by-scripts'
import { mirroredNames } from './mirrored-names'
import { takesOutsideFiles } from './outside-files'
import { chartFiles, type FileOwnership, ignoredFiles, kustomizationFiles, undeployedPlainFiles } from './ownership'
import { isAppliedAsIs, patchFilesOf } from './patch-files'
import { previousDefinitions } from './previous-definitions'
import { type Appliers, appliersIn, prunedFiles } from './pruned'
import { type Roots, readRoots } from './roots'

/** The sources that one side of a change renders, and the files that are therefore not plain manifests. */
export interface Discovery {
  readonly sources: readonly Source[]
  /** The folders of library charts. */
  readonly libraries: ReadonlySet<string>
  /** By path. */
  readonly ownership: ReadonlyMap<string, FileOwnership>
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** Argo CD and Flux objects that were not fully inspected. */
  readonly notInspected: readonly NotInspected[]
  /** The revisions of this repository that Argo CD and Flux objects deploy. */
  readonly revisions: readonly TrackedRevision[]
  /** The references of Flux objects to this repository. */
  readonly references: readonly SourceReference[]
  /** The releases whose charts are not in this repository and may be fetched, by their ids. */
  readonly elsewhere: ReadonlyMap<string, () => ChartElsewhere>
  /** The Argo CD and Flux objects, also those in renderings. */
  readonly objects: readonly Manifest[]
  /** Values files that releases name and that are not there. */
  readonly missing: readonly MissingValues[]
  /** The deployments of Fleet and helmfile. */
  readonly fileDeployments: FileDeployments
  /** Plain files that an Argo CD object deploys, and that object. */
  readonly plain: ReadonlyMap<string, PlainOwner>
  /** Files that a glob of `ignore` excludes although something deploys them. */
  readonly ignorable: ReadonlySet<string>
  /**
   * The charts and Kustomizations that no object was known to deploy when they were rendered for the objects in them.
   */
  readonly firstRoots: ReadonlySet<string>
  /** The sources that may bring Argo CD and Flux objects and could not be rendered. */
  readonly unfollowed: readonly Source[]
  /** The sources whose renderings bring the objects of others, by the ids of those others. */
  readonly bringers: ReadonlyMap<string, string>
  /** The objects that deploy sources, by the sources' ids. */
  readonly deployers: ReadonlyMap<string, Manifest>
  /** The Applications of the ApplicationSets. */
  readonly generatedBySets: ReadonlyMap<Manifest, GeneratedBySet>
  readonly roots: Roots
  readonly appliers: Appliers
  /** Whether there are Applications of Argo CD, and Kustomizations of Flux. */
  readonly usesArgo: boolean
  readonly usesFlux: boolean
  /** The names of this repository on other hosts, by the objects of the base. */
  readonly mirrors: readonly string[]
  /** Whether all Kustomizations may take in files that are not in their folder, by the files of the base. */
  readonly allowsOutsideFiles: boolean
  /** The files that scripts of the base apply. */
  readonly applied: ReadonlySet<string>
  /** The scripts of the base that may run helm, with their texts: no change of them takes a release. */
  readonly scripts: ReadonlyMap<string, string>
}

/** The inputs of discovery other than the files. */
export interface DiscoveryInput {
  readonly releases: readonly DeclaredRelease[]
  /** The names of this repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  /** The discovery of the base, when the head is inspected. */
  readonly base?: Discovery
  /** Whether a path was not there at the base. */
  readonly isNew: (path: string) => boolean
  /** The paths that differ between the sides of a change. */
  readonly changed?: ReadonlySet<string> | undefined
  /** Renders a source for the Argo CD and Flux objects in it; without it, no rendering is followed. */
  readonly render?: Render
  readonly load?: (text: string) => LoadedFile
  /** The clusters that the config of the base declares. */
  readonly clusterNames?: readonly string[]
  /** The limits for following renderings, if not the usual ones. */
  readonly limits?: FollowLimits
  /** Adds the Kubernetes version of its cluster to a source. */
  readonly informed: (source: Source) => Source
}

/**
 * Finds the sources to render: declared in the config, named by Argo CD and Flux, and the other charts and
 * Kustomizations.
 */
export async function discover(checkout: Checkout, known: DiscoveryInput, side: Side): Promise<Discovery> {
  const charts = [...checkout.tree.entries.keys()]
    .filter((file) => path.basename(file) === 'Chart.yaml' && !checkout.tree.ignores(file))
    .map((file) => (file.includes('/') ? path.dirname(file) : ''))
    .sort()
  const kustomizationsInFiles = await readKustomizations(checkout)
  const declared = known.releases.map(declaredSource)
  const parts = new Map(chartFiles(charts, checkout))
  const inFiles = await gitOpsObjects(checkout, parts, side)
  const all = known.base ? withoutArchived(inFiles, kustomizationsInFiles, known.base, known.isNew) : inFiles
  const mirrors = known.base?.mirrors ?? mirroredNames(all, known.repository)
  const allowsOutsideFiles =
    known.base?.allowsOutsideFiles ?? (await takesOutsideFiles(checkout, kustomizationsInFiles))
  const applied =
    known.base?.applied ?? (kustomizationsInFiles.size > 0 ? await appliedByScripts(checkout) : new Set<string>())
  const scripts = known.base?.scripts ?? (charts.length > 0 ? await helmScripts(checkout) : new Map<string, string>())
  const changed =
    known.base && charts.length > 0 ? await helmScripts(checkout, known.changed) : new Map<string, string>()
  const installs = installedBy([...scripts, ...changed], charts, checkout)
  const sourceIgnores = await sourceIgnoresIn(checkout)
  const followed = new Followed(
    all,
    { checkout, side, changed: known.changed ?? new Set(), load: known.load },
    known.render,
    known.limits,
  )
  const fileDeployments = await readDeploymentFiles({ checkout, kustomizations: kustomizationsInFiles }, parts)
  const generatorFiles = await generatorFilesOf(all, checkout)
  const argoFiles = await argoFilesIn(checkout, all, parts)
  const read = {
    checkout,
    declared,
    parts,
    kustomizationsInFiles,
    sourceIgnores,
    generatorFiles,
    argoFiles,
    touched: new TouchedPlaces(known.changed, kustomizationsInFiles),
    generatedBySets: new Map<Manifest, GeneratedBySet>(),
    patchFiles: patchFilesOf(kustomizationsInFiles),
    allowsOutsideFiles,
    applied,
    installs,
    known: { ...known, repository: [...known.repository, ...mirrors] },
    followed,
    all,
    fileDeployments,
  }
  let round = await readRound(charts, read)
  while (await followed.ask(round)) round = await readRound(charts, read)
  followed.reportLimits(round.gitOps)
  const { gitOps, manifests, kustomizations, ownership, explicit, sources, discovered } = round
  const isPlain = (file: string) => !ownership.has(file)
  const objects = followed.objects(manifests)
  const deploying = {
    objects,
    deployers: gitOps.deployers,
    bringers: followed.bringers(gitOps),
    appliers: appliersIn({ manifests: objects, gitOps, kustomizations }),
  }
  const { aliases } = checkout.tree
  const base = known.base && { ...known.base, aliases: new Map() }
  const idle = new IdleDeployers(base, { ...deploying, plain: gitOps.plain, aliases })
  const lost = new Map(idle.lostFiles())
  for (const [file, why] of lost) ownership.set(file, { deployed: false, reason: `an orphan: ${why}` })
  return {
    ...deploying,
    generatedBySets: read.generatedBySets,
    sources: [
      ...sources.filter((source) => !idle.isLost(source)),
      ...(await previousDefinitions(known.base?.sources ?? [], { checkout, kustomizations, sources })),
    ],
    libraries: discovered.libraries,
    ownership,
    kustomizations,
    notInspected: gitOps.notInspected,
    revisions: gitOps.revisions,
    references: gitOps.references,
    elsewhere: new Map([
      ...gitOps.elsewhere,
      ...releasesOfFiles(fileDeployments, checkout, side),
      ...(await k3sReleases(checkout, side, isPlain)),
    ]),
    missing: [...fileDeployments.missing, ...gitOps.missing],
    fileDeployments,
    plain: new Map([...gitOps.plain].filter(([file]) => !lost.has(file))),
    firstRoots: new Set(followed.roots),
    unfollowed: followed.unknown,
    ignorable: new Set([
      ...ignorableIn(checkout, { gitOps, kustomizations, ownership }),
      ...(await ignorableBundles(checkout)),
    ]),
    roots: await readRoots({ checkout, manifests: objects, gitOps, kustomizations, explicit }),
    usesArgo: gitOps.usesArgo,
    usesFlux: gitOps.usesFlux,
    mirrors,
    allowsOutsideFiles,
    applied,
    scripts,
  }
}

/** The files of one side and the objects read from them. */
interface SideReading {
  readonly checkout: Checkout
  readonly declared: readonly Source[]
  /** The files of charts, which are templates. */
  readonly parts: ReadonlyMap<string, FileOwnership>
  readonly kustomizationsInFiles: ReadonlyMap<string, Kustomization>
  readonly sourceIgnores: IgnoreFiles
  readonly generatorFiles: ReadonlyMap<string, string>
  readonly argoFiles: ArgoFiles
  readonly touched: TouchedPlaces
  readonly generatedBySets: Map<Manifest, GeneratedBySet>
  /** The files of patches. */
  readonly patchFiles: ReadonlySet<string>
  readonly allowsOutsideFiles: boolean
  readonly applied: ReadonlySet<string>
  readonly installs: readonly HelmInstall[]
  readonly known: DiscoveryInput
  readonly followed: Followed
  /** The Argo CD and Flux objects of the files. */
  readonly all: readonly Manifest[]
  readonly fileDeployments: FileDeployments
}

/** The sources, as far as the files and the followed renderings show them. */
async function readRound(charts: readonly string[], reading: SideReading) {
  const { checkout, declared, known, fileDeployments, allowsOutsideFiles } = reading
  const { gitOps, manifests, kustomizations, ownership } = readGitOpsSources(reading)
  for (const file of fileDeployments.files) ownership.delete(file)
  for (const [file, reason] of [...fileDeployments.patches, ...fileDeployments.applied])
    ownership.set(file, { deployed: true, reason })
  for (const [file, why] of fileDeployments.ignored)
    if (!ownership.has(file) && !gitOps.plain.has(file))
      ownership.set(file, { deployed: false, reason: `an orphan: ${why}` })
  const explicit = [...declared, ...gitOps.sources, ...fileDeployments.sources]
  const explicitPlaces = new Set([...explicit.map(placeOf), ...gitOps.asDirectories.keys()])
  const discovered = await discoveredCharts(checkout, charts, kustomizations, explicitPlaces, reading.installs)
  const roots = deployedRoots(kustomizations, known.base, explicitPlaces)
  const sources = [
    ...explicit,
    ...discoveredAgain(discovered.releases, known.base),
    ...roots.map((root) => discoveredKustomization(root, kustomizations, gitOps)),
  ]
    .map((one): Source => (one.kind === 'kustomize' && allowsOutsideFiles ? { ...one, allowsOutsideFiles } : one))
    .map(known.informed)
  return { gitOps, manifests, kustomizations, ownership, discovered, explicit, sources }
}

/** Reads the sources of Argo CD and Flux objects, and the files that are therefore not plain manifests. */
function readGitOpsSources(reading: SideReading) {
  const { checkout, declared, parts, kustomizationsInFiles, known, followed, all, fileDeployments } = reading
  const { sourceIgnores, generatorFiles, argoFiles, touched, generatedBySets, patchFiles, applied: byScripts } = reading
  const { repository, base, isNew } = known
  let manifests = all.filter(({ origin }) => !patchFiles.has(origin.path))
  const appliedAlone = new Set([...byScripts, ...filesDeployingOwnFolder(manifests)])
  let patches = all.filter(({ origin }) => patchFiles.has(origin.path))
  for (;;) {
    const gitOps = readGitOps(followed.objects(manifests), patches, {
      checkout,
      kustomizations: kustomizationsInFiles,
      repository,
      sourceIgnores,
      generatorFiles,
      argoFiles,
      touched,
      generatedBySets,
      clusterNames: known.clusterNames ?? [],
      broughtBy: followed.broughtBy,
      writtenAs: followed.writtenAs,
    })
    const both = patches.filter((manifest) => isAppliedAsIs(manifest, gitOps))
    if (both.length > 0) {
      manifests = [...manifests, ...both]
      patches = patches.filter((manifest) => !both.includes(manifest))
      continue
    }
    const kustomizations = new Map([...kustomizationsInFiles, ...fileDeployments.generated, ...gitOps.generated])
    const ownership = new Map([
      ...undeployedPlainFiles(gitOps, checkout, base),
      ...ignoredFiles(gitOps, checkout, base ? isNew : () => false),
      ...parts,
      ...kustomizationFiles(kustomizations, checkout, base, appliedAlone),
    ])
    for (const file of [...gitOps.asDirectories.values()].flat()) ownership.delete(file)
    if (base) {
      const explicit = [...declared, ...gitOps.sources, ...fileDeployments.sources]
      const places = new Set([...explicit.map(placeOf), ...gitOps.asDirectories.keys()])
      const roots = deployedRoots(kustomizations, base, places)
      const after = { manifests: followed.objects(manifests), gitOps, kustomizations, declared, roots }
      for (const [file, why] of prunedFiles(base.appliers, after))
        if (checkout.has(file)) ownership.set(file, { deployed: false, reason: `an orphan: ${why}` })
    }
    // An object that is not applied deploys nothing, and the sources it would deploy may contain further such objects.
    const applied = manifests.filter(({ origin }) => ownership.get(origin.path)?.deployed !== false)
    if (applied.length === manifests.length) return { gitOps, manifests, kustomizations, ownership }
    manifests = applied
  }
}
