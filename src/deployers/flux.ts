import path from 'node:path/posix'
import { type FluxKustomization, readFluxKustomization } from '../gitops/flux-kustomization'
import { readFluxSource } from '../gitops/flux-source'
import { type HelmReleaseChart, helmReleaseChartAt, readHelmRelease } from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import type { Cursor } from '../manifest/cursor'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { closureOf, inside } from '../sources/kustomization'
import { componentsOf, fluxOverlayOf } from '../sources/overlay'
import type { Target } from '../sources/source'
import { fieldsOf } from '../sources/untyped'
import { dataOf, holderOf, valuesOf } from './flux-values'
import { generateKustomization } from './generated-kustomization'
import { declarationSite, type GitOpsSources } from './gitops-sources'

/** A Flux Kustomization of a folder of this repository. */
interface Tree {
  readonly manifest: Manifest
  readonly kustomization: FluxKustomization
  readonly place: string
  /** Every file that it applies something of. */
  readonly files: ReadonlySet<string>
  /** The Kustomizations that it takes in. */
  readonly written: readonly string[]
}

/** The Flux objects of one side. Which of them applies which decides the cluster they go to. */
export class FluxObjects {
  private readonly trees: Tree[] = []
  private includedFiles: ReadonlySet<string> | undefined
  /** Made once every tree is read. */
  private treesByFile: Map<string, Tree[]> | undefined

  constructor(
    private readonly manifests: readonly Manifest[],
    private readonly named: GitOpsSources,
  ) {}

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
    const patches = releases.filter((manifest) => !charts.get(manifest))
    for (const [manifest, chart] of charts) if (chart) this.helmRelease(manifest, chart, patches)
  }

  /** https://fluxcd.io/flux/components/kustomize/kustomizations/ */
  private readTree(manifest: Manifest): void {
    const kustomization = readFluxKustomization(manifest.root)
    const written = textAt(kustomization.path)
    const place = inside('', written.replace(/^\/+/, '') || '.')
    const { sourceRef } = kustomization
    const url = this.urlOf(sourceRef, manifest.ref.namespace)
    const kind = textAt(sourceRef.at('kind'))
    const { checkout, kustomizations } = this.named.repositoryIndex
    const isThere = place !== undefined && checkout.tree.at(place).length > 0
    // A patch for a Kustomization in another file, which gets its source by this patch.
    if (kind === '' && !(isThere && written !== '' && this.included.has(manifest.origin.path))) return
    // Flux's own GitRepository is often created at installation, and is only in the cluster.
    const here =
      place !== undefined && ['GitRepository', ''].includes(kind) && (url ? this.named.isHere(url, place) : isThere)
    if (!here) {
      this.named.skip(
        manifest,
        'source-elsewhere',
        `${[url || `${kind} ${textAt(sourceRef.at('name'))}`, written].filter(Boolean).join(' ')} is not in this repository`,
      )
      return
    }
    const { generated } = this.named
    if (this.named.isIgnored(place)) {
      this.named.skip(manifest, 'ignored', `${written || '.'} is left out by \`ignore\``)
      return
    }
    if (!this.named.kustomization(place)) {
      const its = generateKustomization(place, manifest, this.named)
      if (its.leadsTo.length === 0) {
        this.named.skip(manifest, 'nothing-to-apply', `there is nothing to apply in ${written || '.'}`)
        return
      }
      generated.set(place, its)
    }
    const all = new Map([...kustomizations, ...generated])
    const taken = closureOf(place, all)
    const files = new Set(taken.flatMap(({ file, made: its, leadsTo }) => (its ? leadsTo : [file, ...leadsTo])))
    this.trees.push({ manifest, kustomization, place, files, written: taken.map(({ file }) => file) })
  }

  private deploy({ manifest, kustomization, place }: Tree): void {
    const { kubeConfig, postBuild, substituteFrom } = kustomization
    const spec = fieldsOf(kustomization.spec.value)
    const overlay = fluxOverlayOf(spec)
    const components = componentsOf(spec, place, this.named.repositoryIndex.checkout)
    const targets = kubeConfig.exists ? [elsewhere(manifest)] : this.targetsOf(manifest)
    const holders = substituteFrom.flatMap(
      (reference) => holderOf(reference, manifest.ref.namespace, this.manifests) ?? [],
    )
    for (const target of targets) {
      this.named.sources.push({
        kind: 'kustomize',
        id: idOf(manifest, target),
        origin: 'named',
        target,
        declaredAt: declarationSite(manifest),
        root: place,
        // https://github.com/fluxcd/pkg/blob/kustomize/v1.22.0/kustomize/kustomize_generator.go
        allowsOutsideFiles: true,
        ...(overlay ? { overlay } : {}),
        ...(components.length > 0 ? { components } : {}),
        definitionFiles: [...holders.map(({ origin }) => origin.path), ...this.appliedBy(manifest)],
        ...(postBuild.value ? { substitutions: substitutionsOf(kustomization, holders) } : {}),
      })
    }
  }

  /** To which clusters an object goes: those of the trees that apply it, or of its own file when none does. */
  private targetsOf(manifest: Manifest): Target[] {
    const targets = new Map<string, Target>()
    const add = (target: Target) => targets.set(JSON.stringify(target), target)
    const seen = new Set([manifest])
    let inCircle: Manifest | undefined
    const open = [manifest]
    for (let one = open.pop(); one; one = open.pop()) {
      const own = one
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

  /** The files that have an object applied: the trees above it, with the Kustomizations that they include. */
  private appliedBy(manifest: Manifest, seen = new Set<Tree>()): string[] {
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
  private chartOf({ root, ref }: Manifest): HelmReleaseChart | undefined {
    const { chart, chartRef } = readHelmRelease(root)
    if (!chartRef.exists) return textAt(chart.chart) === '' ? undefined : chart
    const referred = this.sourceOf(chartRef, ref.namespace)
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
    const url = this.urlOf(chart.sourceRef, own)
    const { checkout } = this.named.repositoryIndex
    const here =
      textAt(chart.sourceRef.at('kind')) === 'GitRepository' &&
      place !== undefined &&
      (url ? this.named.isHere(url, place) : checkout.has(path.join(place, 'Chart.yaml')))
    if (!here) {
      this.named.skip(
        manifest,
        'chart-elsewhere',
        `the chart ${written}${url ? ` of ${url}` : ''} is not in this repository`,
        url,
      )
      return
    }
    const holders = release.valuesFrom.map((one) => holderOf(one, own, this.manifests))
    const values = valuesOf(manifest, { chart, place, holders }, this.named)
    if (!values) return
    const patch = patches.find(({ ref }) => ref.name === manifest.ref.name)
    if (patch)
      this.named.skip(manifest, 'patched', `it is rendered as it is written, without the patch in ${patch.origin.path}`)
    if (release.postRenderers.at(0).exists)
      this.named.skip(manifest, 'post-renderers', 'it is rendered as its chart has it, without its postRenderers')
    const target = textAt(release.targetNamespace)
    for (const cluster of release.kubeConfig.exists ? [elsewhere(manifest)] : this.targetsOf(manifest)) {
      this.named.sources.push({
        kind: 'helm',
        id: idOf(manifest, cluster),
        origin: 'named',
        target: cluster,
        declaredAt: declarationSite(manifest),
        definitionFiles: [...holders.flatMap((holder) => holder?.origin.path ?? []), ...this.appliedBy(manifest)],
        chart: place,
        values,
        set: {},
        release: release.releaseName,
        namespace: target || own || 'default',
      })
    }
  }

  private urlOf(reference: Cursor, own: string): string {
    const source = this.sourceOf(reference, own)
    return source ? textAt(readFluxSource(source.root).url) : ''
  }

  private sourceOf(reference: Cursor, own: string): Manifest | undefined {
    const namespace = textAt(reference.at('namespace')) || own
    const [kind, name] = [textAt(reference.at('kind')), textAt(reference.at('name'))]
    const named = this.manifests.filter(
      ({ ref }) => ref.group === 'source.toolkit.fluxcd.io' && ref.kind === kind && ref.name === name,
    )
    return named.find(({ ref }) => ref.namespace === namespace) ?? named[0]
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

/** An object with a kubeconfig of its own goes to a cluster that no other object names. */
function elsewhere({ ref, origin }: Manifest): Target {
  return { cluster: `${ref.name} of ${origin.path}` }
}
