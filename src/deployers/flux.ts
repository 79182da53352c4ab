import path from 'node:path/posix'
import { type FluxKustomization, readFluxKustomization } from '../gitops/flux-kustomization'
import { readFluxSource } from '../gitops/flux-source'
import {
  type HelmReleaseChart,
  helmReleaseChartAt,
  readHelmRelease,
  type ValuesReference,
} from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { closureOf, inside } from '../sources/kustomization'
import { componentsOf, fluxOverlayOf } from '../sources/overlay'
import type { Target } from '../sources/source'
import { fieldsOf } from '../sources/untyped'
import type { ChartElsewhere } from './chart-elsewhere'
import { FluxArtifacts, notInArtifact } from './flux-artifacts'
import { dataOf, holderOf, valuesOf } from './flux-values'
import { generateKustomization } from './generated-kustomization'
import { declarationSite, type GitOpsSources } from './gitops-sources'
import { chartOfHelmRelease, idOfRelease } from './helm-release-chart'
import { isOfMainRevision, missingFolder, siteOfFolder, UndefinedSources } from './missing-folder'
import { foldersFor, mostFolders } from './path-variables'
import { postRenderersOf } from './post-renderers'
import { fluxRevision, provides } from './tracked-revision'

/** A Flux Kustomization of a folder of this repository. */
interface Tree {
  readonly manifest: Manifest
  readonly kustomization: FluxKustomization
  readonly place: string
  /** Every file that it applies something of. */
  readonly files: ReadonlySet<string>
  /** The Kustomizations that it takes in. */
  readonly written: readonly string[]
  /** The folder is not there. */
  readonly isMissing?: true
  /** The folder is one of those that its path may mean. */
  readonly isPossible?: true
}

/** The Flux objects of one side. Which of them applies which decides the cluster they go to. */
export class FluxObjects {
  private readonly trees: Tree[] = []
  private includedFiles: ReadonlySet<string> | undefined
  /** Made once every tree is read. */
  private treesByFile: Map<string, Tree[]> | undefined
  private readonly artifacts: FluxArtifacts
  private byName: Map<string, Manifest[]> | undefined
  private undefinedSources: UndefinedSources | undefined
  private readonly tracked = new Set<Manifest>()

  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly patches: readonly Manifest[],
    private readonly named: GitOpsSources,
  ) {
    this.artifacts = new FluxArtifacts(named.repositoryIndex)
  }

  /** The files that Kustomizations take in as they are. */
  private get included(): ReadonlySet<string> {
    this.includedFiles ??= new Set(
      [...this.named.repositoryIndex.kustomizations.values()].flatMap(({ folder, includes }) =>
        includes.flatMap(({ text }) => inside(folder, text) ?? []),
      ),
    )
    return this.includedFiles
  }

  read(): void {
    const ofKind = (kind: string) => this.manifests.filter(({ ref }) => groupKindOf(ref) === kind)
    // A suspended object is read like any other: what it deployed stays in the cluster, and a change takes effect when
    // it is resumed.
    const kustomizations = ofKind(gitOpsKind.fluxKustomization)
    this.named.usesFlux = kustomizations.length > 0
    for (const manifest of kustomizations) this.readTree(manifest)
    for (const tree of this.trees) this.deploy(tree)
    const releases = ofKind(gitOpsKind.helmRelease)
    const charts = new Map(releases.map((manifest) => [manifest, this.chartOf(manifest)]))
    const isRelease = ({ ref }: Manifest) => groupKindOf(ref) === gitOpsKind.helmRelease
    const patches = [...this.patches.filter(isRelease), ...releases.filter((manifest) => !charts.get(manifest))]
    for (const [manifest, chart] of charts) if (chart) this.helmRelease(manifest, chart, patches)
  }

  /** https://fluxcd.io/flux/components/kustomize/kustomizations/ */
  private readTree(manifest: Manifest, possible?: string): void {
    const kustomization = readFluxKustomization(manifest.root)
    const written = possible ?? textAt(kustomization.path)
    const place = inside('', written.replace(/^\/+/, '') || '.')
    const { sourceRef } = kustomization
    const url = this.urlOf(sourceRef, manifest.ref.namespace, manifest)
    const kind = textAt(sourceRef.at('kind'))
    const { checkout, kustomizations } = this.named.repositoryIndex
    const isThere = place !== undefined && checkout.tree.at(place).length > 0
    if (!isThere && kind === 'GitRepository' && this.readPossible(manifest, written, url)) return
    // A patch for a Kustomization in another file, which gets its source by this patch.
    const isTaken = this.named.bringerOf(manifest) !== undefined || this.included.has(manifest.origin.path)
    if (kind === '' && !(isThere && written !== '' && isTaken)) return
    // Flux's own GitRepository is often created at installation, and is only in the cluster.
    const here =
      place !== undefined && ['GitRepository', ''].includes(kind) && (url ? this.named.isHere(url, place) : isThere)
    if (place !== undefined && !isThere && this.isOurs(kustomization, manifest)) {
      this.named.skip(manifest, 'folder-missing', missingFolder(place))
      // What is suspended changes nothing, so it is no fault yet.
      if (kustomization.spec.at('suspend').value !== true)
        this.trees.push({ manifest, kustomization, place, files: new Set(), written: [], isMissing: true })
      return
    }
    if (!here) {
      const source = url ? this.sourceOf(sourceRef, manifest.ref.namespace, manifest) : undefined
      const at = source ? this.named.siteOf(source, readFluxSource(source.root).url) : undefined
      this.named.skip(
        manifest,
        'source-elsewhere',
        `${[url || `${kind} ${textAt(sourceRef.at('name'))}`, written].filter(Boolean).join(' ')} is not in this repository`,
        { at: at ?? this.named.siteOf(manifest, sourceRef.at('kind')) },
      )
      return
    }
    if (kind !== '') this.track(sourceRef, manifest.ref.namespace, manifest)
    const { generated } = this.named
    if (this.named.isIgnored(place)) {
      this.named.skip(manifest, 'ignored', `${written || '.'} is excluded by \`ignore\``)
      return
    }
    const artifact = this.artifacts.of(this.sourceOf(sourceRef, manifest.ref.namespace, manifest))
    const absent = this.artifacts.lacks(artifact, place)
    if (absent !== undefined) {
      this.named.skip(manifest, 'not-in-artifact', absent)
      return
    }
    if (!this.named.kustomization(place)) {
      const its = generateKustomization(place, manifest, artifact, this.named)
      if (its.leadsTo.length === 0) {
        this.named.skip(manifest, 'nothing-to-apply', `there is nothing to apply in ${written || '.'}`)
        return
      }
      generated.set(place, its)
    }
    const all = new Map([...kustomizations, ...generated])
    const taken = closureOf(place, all)
    const files = new Set(taken.flatMap(({ file, made: its, leadsTo }) => (its ? leadsTo : [file, ...leadsTo])))
    const tree = { manifest, kustomization, place, files, written: taken.map(({ file }) => file) }
    this.trees.push(possible === undefined ? tree : { ...tree, isPossible: true })
  }

  /** Reads each folder that a path with unknown variables may mean; whether there is one. */
  private readPossible(manifest: Manifest, written: string, url: string): boolean {
    const { folders = [], hasMore = false } = foldersFor(written, this.named.repositoryIndex.checkout) ?? {}
    const here = folders.filter((folder) => !url || this.named.isHere(url, folder))
    for (const folder of here) this.readTree(manifest, folder)
    if (hasMore && here.length > 0)
      this.named.skip(
        manifest,
        'too-many',
        `more than ${mostFolders} folders match its path ${written}; the rest is not judged as its own`,
      )
    return here.length > 0
  }

  /** Whether a Kustomization takes its folder of this repository, at the revision that this change is merged to. */
  private isOurs({ sourceRef, path: at }: FluxKustomization, manifest: Manifest): boolean {
    if (textAt(sourceRef.at('kind')) !== 'GitRepository' || /\$\{|\{\{/.test(textAt(at))) return false
    const { namespace } = manifest.ref
    const source = this.sourceOf(sourceRef, namespace, manifest)
    if (source) {
      const url = textAt(readFluxSource(source.root).url)
      const { repository } = this.named.repositoryIndex
      return isOfMainRevision(source) && repository.length > 0 && this.named.isHere(url, '')
    }
    const kustomizations = this.manifests.filter(({ ref }) => groupKindOf(ref) === gitOpsKind.fluxKustomization)
    this.undefinedSources ??= new UndefinedSources(kustomizations, this.named.repositoryIndex.checkout)
    return this.undefinedSources.areHere(sourceRef, namespace)
  }

  private deploy({ manifest, kustomization, place, isMissing, isPossible, written, files }: Tree): void {
    const { kubeConfig, postBuild, substituteFrom } = kustomization
    const spec = fieldsOf(kustomization.spec.value)
    const overlay = fluxOverlayOf(spec)
    const components = componentsOf(spec, place, this.named.repositoryIndex.checkout)
    // Each of several folders goes to the cluster that it is the folder of.
    const own = isPossible ? [{ path: written[0] ?? [...files][0] ?? place }] : this.targetsOf(manifest)
    const targets = kubeConfig.exists && !isPossible ? [elsewhere(manifest)] : own
    const holders = substituteFrom.flatMap(
      (reference) => holderOf(reference, manifest.ref.namespace, this.near(manifest, reference)) ?? [],
    )
    for (const target of targets) {
      this.named.add(
        {
          kind: 'kustomize',
          id: idOf(manifest, target),
          origin: 'named',
          target,
          declaredAt: isMissing ? siteOfFolder(manifest, kustomization.path) : declarationSite(manifest),
          root: place,
          ...(isPossible ? { incomplete: true as const } : {}),
          // https://github.com/fluxcd/pkg/blob/kustomize/v1.22.0/kustomize/kustomize_generator.go
          allowsOutsideFiles: true,
          ...(overlay ? { overlay } : {}),
          ...(components.length > 0 ? { components } : {}),
          definitionFiles: [...holders.map(({ origin }) => origin.path), ...this.appliedBy(manifest)],
          ...(postBuild.value ? { substitutions: substitutionsOf(kustomization, holders) } : {}),
        },
        manifest,
      )
    }
  }

  /** The clusters that an object is deployed to: those of the trees that apply it, otherwise those of its own file. */
  private targetsOf(manifest: Manifest): Target[] {
    const targets = new Map<string, Target>()
    const add = (target: Target) => targets.set(JSON.stringify(target), target)
    const seen = new Set([manifest])
    let inCircle: Manifest | undefined
    const open = [manifest]
    for (let one = open.pop(); one; one = open.pop()) {
      const own = one
      const bringer = this.named.bringerOf(own)
      if (bringer) {
        add(bringer.source.target)
        continue
      }
      const owners = this.ownersOf(own).filter((tree) => tree.manifest !== own)
      if (owners.length === 0) add({ path: own.origin.path })
      const further = owners.filter(({ manifest: above }) => !seen.has(above))
      if (further.length === 0) inCircle ??= own
      for (const { manifest: above, kustomization } of further) {
        seen.add(above)
        if (kustomization.kubeConfig.exists) add(elsewhere(above))
        else open.push(above)
      }
    }
    if (targets.size === 0) add({ path: (inCircle ?? manifest).origin.path })
    return [...targets.values()]
  }

  /** The files by which an object is applied: the trees above it, with the Kustomizations that they include. */
  private appliedBy(manifest: Manifest, seen = new Set<Tree>()): readonly string[] {
    const bringer = this.named.bringerOf(manifest)
    if (bringer) return bringer.definitionFiles
    return this.ownersOf(manifest).flatMap((owner) => {
      if (seen.has(owner)) return []
      seen.add(owner)
      return [owner.manifest.origin.path, ...owner.written, ...this.appliedBy(owner.manifest, seen)]
    })
  }

  private ownersOf({ origin }: Manifest): Tree[] {
    if (!this.treesByFile) {
      this.treesByFile = new Map()
      for (const tree of this.trees) {
        for (const file of tree.files) {
          const there = this.treesByFile.get(file)
          if (there) there.push(tree)
          else this.treesByFile.set(file, [tree])
        }
      }
    }
    return this.treesByFile.get(origin.path) ?? []
  }

  /** The chart of a HelmRelease; undefined for a patch of one, which has none. */
  private chartOf(manifest: Manifest): HelmReleaseChart | undefined {
    const { root, ref } = manifest
    const { chart, chartRef } = readHelmRelease(root)
    if (!chartRef.exists) return textAt(chart.chart) === '' ? undefined : chart
    const referred = this.sourceOf(chartRef, ref.namespace, manifest)
    if (textAt(chartRef.at('kind')) !== 'HelmChart')
      return { ...chart, chart: chartRef.at('name'), sourceRef: chartRef }
    return helmReleaseChartAt(referred ? referred.root.at('spec') : chartRef.at('spec'))
  }

  /** https://fluxcd.io/flux/components/helm/helmreleases/ */
  private helmRelease(manifest: Manifest, chart: HelmReleaseChart, patches: readonly Manifest[]): void {
    const release = readHelmRelease(manifest.root)
    const own = manifest.ref.namespace || this.namespaceOf(manifest)
    const written = textAt(chart.chart)
    const place = inside('', written.replace(/^\/+/, ''))
    const url = this.urlOf(chart.sourceRef, own, manifest)
    const { checkout } = this.named.repositoryIndex
    const here =
      textAt(chart.sourceRef.at('kind')) === 'GitRepository' &&
      place !== undefined &&
      (url ? this.named.isHere(url, place) : checkout.has(path.join(place, 'Chart.yaml')))
    if (!here) {
      const reason = `the chart ${written}${url ? ` of ${url}` : ''} is not in this repository`
      const id = idOfRelease(manifest)
      this.named.skipRelease(
        manifest,
        id,
        () => this.releaseElsewhere(manifest, chart, own),
        reason,
        url ? { url } : {},
      )
      return
    }
    this.track(chart.sourceRef, own, manifest)
    if (!this.artifacts.of(this.sourceOf(chart.sourceRef, own, manifest)).has(path.join(place, 'Chart.yaml'))) {
      const reason = notInArtifact(`its chart ${place}`)
      this.named.skip(manifest, 'not-in-artifact', reason)
      return
    }
    const holders = release.valuesFrom.map((one) => holderOf(one, own, this.near(manifest, one)))
    const values = valuesOf(manifest, { chart, place, holders }, this.named)
    if (!values) return
    const patch = patches.find(({ ref }) => ref.name === manifest.ref.name)
    if (patch) this.named.skip(manifest, 'patched', `it is rendered without the patch in ${patch.origin.path}`)
    const target = textAt(release.targetNamespace)
    for (const cluster of release.kubeConfig.exists ? [elsewhere(manifest)] : this.targetsOf(manifest)) {
      this.named.add(
        {
          kind: 'helm',
          id: idOf(manifest, cluster),
          origin: 'named',
          target: cluster,
          declaredAt:
            checkout.tree.at(place).length > 0 ? declarationSite(manifest) : siteOfFolder(manifest, chart.chart),
          definitionFiles: [...holders.flatMap((holder) => holder?.origin.path ?? []), ...this.appliedBy(manifest)],
          chart: place,
          values,
          set: {},
          ...postRenderersOf(release, manifest),
          release: release.releaseName,
          namespace: target || own || 'default',
        },
        manifest,
      )
    }
  }

  private releaseElsewhere(manifest: Manifest, chart: HelmReleaseChart, own: string): ChartElsewhere {
    const release = readHelmRelease(manifest.root)
    const { chartRef } = release
    const referred = chartRef.exists ? this.sourceOf(chartRef, own, manifest) : undefined
    const isChart = textAt(chartRef.at('kind')) === 'HelmChart'
    const artifact = isChart || !chartRef.exists ? this.sourceOf(chart.sourceRef, own, manifest) : referred
    const owners = this.ownersOf(manifest)
    return chartOfHelmRelease(manifest, {
      chart,
      artifact,
      definitions: [referred, artifact].filter((one) => one !== undefined),
      holders: release.valuesFrom.map((one) => holderOf(one, own, this.near(manifest, one))),
      namespace: textAt(release.targetNamespace) || own || 'default',
      targets: release.kubeConfig.exists ? [elsewhere(manifest)] : this.targetsOf(manifest),
      idOf: (target) => idOf(manifest, target),
      appliedBy: this.appliedBy(manifest),
      // What a rendering brings has its variables filled in.
      substitutions: this.named.bringerOf(manifest)
        ? []
        : owners.map(({ kustomization, manifest: owner }) => this.substitutionsBy(kustomization, owner)),
    })
  }

  /** The values that a Kustomization substitutes; undefined where it does not. */
  private substitutionsBy(kustomization: FluxKustomization, manifest: Manifest): Record<string, string> | undefined {
    const { postBuild, substituteFrom } = kustomization
    if (!postBuild.value) return undefined
    const holders = substituteFrom.flatMap(
      (reference) => holderOf(reference, manifest.ref.namespace, this.near(manifest, reference)) ?? [],
    )
    return substitutionsOf(kustomization, holders)
  }

  private urlOf(reference: Cursor, own: string, manifest: Manifest): string {
    const source = this.sourceOf(reference, own, manifest)
    return source ? textAt(readFluxSource(source.root).url) : ''
  }

  /** The objects that a reference of an object may mean, those that come with the object first. */
  private near(manifest: Manifest, { kind, name }: Pick<ValuesReference, 'kind' | 'name'>): readonly Manifest[] {
    if (!this.byName) {
      this.byName = new Map()
      for (const one of this.manifests) {
        const key = `${one.ref.kind}/${one.ref.name}`
        const there = this.byName.get(key)
        if (there) there.push(one)
        else this.byName.set(key, [one])
      }
    }
    return this.named.nearTo(manifest, this.byName.get(`${textAt(kind)}/${textAt(name)}`) ?? [])
  }

  private sourceOf(reference: Cursor, own: string, manifest: Manifest): Manifest | undefined {
    const namespace = textAt(reference.at('namespace')) || own
    const all = this.near(manifest, { kind: reference.at('kind'), name: reference.at('name') })
    const named = all.filter(({ ref }) => ref.group === 'source.toolkit.fluxcd.io')
    return named.find(({ ref }) => ref.namespace === namespace) ?? named[0]
  }

  /** Adds the GitRepository by which an object takes this repository. */
  private track(reference: Cursor, own: string, manifest: Manifest): void {
    const name = textAt(reference.at('name'))
    const namespace = textAt(reference.at('namespace')) || own
    const source = this.sourceOf(reference, own, manifest)
    const provider = source && provides(source, name, namespace) ? source : undefined
    const at = this.named.siteOf(manifest, reference.at('name'))
    this.named.references.push({ manifest, name, namespace, provider, at })
    if (!source || this.tracked.has(source)) return
    this.tracked.add(source)
    const revision = fluxRevision(readFluxSource(source.root))
    this.named.track(source, '', revision, revision.at)
  }

  /** The namespace that the Kustomization in an object's folder sets, or else the tree that applies it. */
  private namespaceOf(manifest: Manifest): string {
    const file = manifest.origin.path
    const beside = this.named.kustomization(file.includes('/') ? path.dirname(file) : '')?.namespace
    const [owner] = this.ownersOf(manifest)
    return beside || (owner ? textAt(owner.kustomization.targetNamespace) : '')
  }
}

/** The data of later holders win over those of earlier ones, and what is written in the object wins over both. */
function substitutionsOf({ substitute }: FluxKustomization, holders: readonly Manifest[]): Record<string, string> {
  const held = holders.flatMap((holder) => Object.entries(dataOf(holder)))
  const own = [...substitute.entries()].map(([key, value]) => [key, textAt(value)] as const)
  return Object.fromEntries([...held, ...own])
}

function idOf({ ref, origin }: Manifest, target: Target): string {
  return `flux:${ref.kind}/${ref.namespace}/${ref.name}:${origin.path}:${JSON.stringify(target)}`
}

/** An object with its own kubeconfig is deployed to a cluster that no other object names. */
function elsewhere({ ref, origin }: Manifest): Target {
  return { cluster: `${ref.name} of ${origin.path}` }
}
