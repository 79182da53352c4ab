import path from 'node:path/posix'
import { gunzipSync } from 'node:zlib'
import type { GitOpsSources } from '../deployers/common/gitops-sources'
import { gitOpsGroups } from '../deployers/gitops-objects'
import { readHelmRelease } from '../gitops/helm-release'
import { deployerKinds, gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { mentions, mentionsOneOf, spelledOut } from '../manifest/mentions'
import { helmFiles } from '../render/tools/helm'
import type { Checkout } from '../revision/checkout'
import { closureOf, type Kustomization, placeInArtifact } from '../sources/kustomization'
import type { HelmSource, KustomizeSource, Source } from '../sources/source'

/** The largest content of a packed chart that is looked through. */
const maxUnpacked = 64 * 1024 * 1024

/** Annotations of Argo CD are on objects of every kind. */
const annotations = /\bargocd\.argoproj\.io\//g

/** Whether a text may contain an object that deploys others. */
function maySpeakOfDeployers(written: string): boolean {
  // Nearly all texts end here.
  if (!mentionsOneOf(written, ['argoproj.io', 'toolkit.fluxcd.io'])) return false
  const text = spelledOut(written).replace(annotations, '')
  return (
    (mentions(text, 'argoproj.io') && mentions(text, 'Application')) ||
    (mentions(text, 'toolkit.fluxcd.io') && mentionsOneOf(text, ['HelmRelease', 'kustomize.toolkit']))
  )
}

/** The words by which a patch gives a HelmRelease another chart. */
const chartWords = ['sourceRef', 'chartRef', '/spec/chart']

/** The groups of the deployers that are no HelmReleases. */
const otherDeployers = ['argoproj.io', 'kustomize.toolkit.fluxcd.io']

/** The contents that a file may add to the rendering that includes it. */
type PossibleContents = 'deployers' | 'releases' | 'chart words' | 'none'

/**
 * Decides which sources have to be rendered to know their Argo CD and Flux objects: those with texts that may contain
 * such objects and that do not include them unchanged.
 */
export class Brings {
  private readonly known = new Map<string, ReadonlySet<PossibleContents>>()
  private readonly manifests = new Map<string, Manifest[]>()

  /**
   * @param all the Argo CD and Flux objects of the files, patches as well
   * @param changed the paths that differ between the sides of a change
   */
  constructor(
    private readonly checkout: Checkout,
    private readonly named: GitOpsSources,
    private readonly all: readonly Manifest[],
    private readonly changed: ReadonlySet<string>,
  ) {
    for (const manifest of all) {
      const { path: file } = manifest.origin
      const there = this.manifests.get(file)
      if (there) there.push(manifest)
      else this.manifests.set(file, [manifest])
    }
  }

  async has(source: Source, kustomizations: ReadonlyMap<string, Kustomization>): Promise<boolean> {
    if (source.origin === 'probed') return false
    return source.kind === 'helm' ? this.inChart(source) : this.inKustomization(source, kustomizations)
  }

  private async inChart(source: HelmSource): Promise<boolean> {
    const files = (await helmFiles(source, this.checkout)).filter((file) => !/(?:^|\/)crds\//.test(file))
    const texts = await this.checkout.texts(files.filter((file) => !file.endsWith('.tgz')))
    const inline = source.values.flatMap((one) => ('text' in one ? [one.text] : []))
    const all = [...texts.values(), ...inline]
    const [spoken, filled] = [all.some(maySpeakOfDeployers), all.some((text) => speaksOfGroup(text))]
    // A template may take the kind or the apiVersion from values.
    if (spoken || (filled && all.some((text) => /\bkind["']?[ \t]*:[^\n{:]*\{\{/.test(text)))) return true
    const packed = await this.checkout.read(files.filter((file) => file.endsWith('.tgz')))
    return [...packed.values()].some((content) => !('missing' in content) && mayBePacked(content))
  }

  private async inKustomization(
    { root, components = [], overlay, substitutions }: KustomizeSource,
    kustomizations: ReadonlyMap<string, Kustomization>,
  ): Promise<boolean> {
    const taken = [root, ...components].flatMap((start) => closureOf(start, kustomizations))
    const files = [...new Set(taken.flatMap((one) => filesOf(one, this.checkout)))]
    const found = await this.contentsOf(files)
    // A file with another name is not searched for objects, even if it is included.
    const isHidden = (file: string) => !this.checkout.tree.files.has(file)
    if ([...found].some(([file, its]) => isHidden(file) && its.has('deployers'))) return true
    const contents = new Set([...found.values()].flatMap((its) => [...its]))
    const written = JSON.stringify(overlay ?? {})
    const isAltered = overlay !== undefined || components.length > 0 || taken.some(({ onlyTakesIn }) => !onlyTakesIn)
    const texts = substitutions === undefined ? [] : [...(await this.checkout.texts(files)).values()]
    const isFilled = texts.some((text) => text.includes('${'))
    if (!isAltered && !isFilled) return false
    if (contents.has('deployers') || mentionsOneOf(written.replace(annotations, ''), otherDeployers)) return true
    if (!contents.has('releases')) return false
    // The values of a release count where it is judged, which is where the change touches it.
    const isTouched = files.some((file) => this.changed.has(file))
    return isTouched || contents.has('chart words') || chartWords.some((word) => written.includes(word))
  }

  /** Whether a Kustomization includes a HelmRelease from files whose objects are read from a rendering. */
  async hasReleaseOf(
    files: ReadonlySet<string>,
    source: Source,
    kustomizations: ReadonlyMap<string, Kustomization>,
  ): Promise<boolean> {
    if (source.kind === 'helm' || source.origin === 'probed') return false
    const starts = [source.root, ...(source.components ?? [])]
    const shared = starts
      .flatMap((start) => closureOf(start, kustomizations))
      .flatMap((one) => filesOf(one, this.checkout))
      .filter((file) => files.has(file))
    return [...(await this.contentsOf(shared)).values()].some((its) => its.has('releases'))
  }

  private async contentsOf(files: readonly string[]): Promise<Map<string, ReadonlySet<PossibleContents>>> {
    const texts = await this.checkout.texts(files.filter((file) => !this.known.has(file)))
    return new Map(files.map((file) => [file, this.known.get(file) ?? this.contentsIn(file, texts.get(file))]))
  }

  private contentsIn(file: string, text: string | undefined): ReadonlySet<PossibleContents> {
    const found = new Set<PossibleContents>()
    this.known.set(file, found)
    if (text === undefined) return found
    const objects = this.manifests.get(file)
    if (objects) {
      for (const one of objects) found.add(this.contentOf(one))
    } else if (maySpeakOfDeployers(text)) {
      const isPatch = this.named.repositoryIndex.kustomizations.get(folderOf(file))?.file === file
      found.add(isPatch && !mentionsOneOf(text.replace(annotations, ''), otherDeployers) ? 'releases' : 'deployers')
    }
    if (chartWords.some((word) => text.includes(word)) && !objects) found.add('chart words')
    return found
  }

  private contentOf({ ref, root }: Manifest): PossibleContents {
    if (!deployerKinds.includes(groupKindOf(ref))) return 'none'
    if (groupKindOf(ref) !== gitOpsKind.helmRelease) return 'deployers'
    const { chart, chartRef } = readHelmRelease(root)
    const kind = textAt(chart.sourceRef.at('kind'))
    if (chartRef.exists) return textAt(chartRef.at('kind')) === 'HelmChart' ? 'deployers' : 'releases'
    if (textAt(chart.chart) === '' || kind === '') return chart.sourceRef.exists ? 'deployers' : 'releases'
    const written = textAt(chart.chart)
    const place = written.includes('$') ? '' : placeInArtifact(written)
    const isThere = place !== undefined && this.checkout.tree.at(place).length > 0
    const isHere = kind === 'GitRepository' && isThere && this.named.mayBeHere(chart.sourceRef, place, this.all)
    return isHere ? 'deployers' : 'releases'
  }
}

/** The Kustomization's own file, and the files that it names. */
function filesOf({ file, made, leadsTo, charts }: Kustomization, checkout: Checkout): string[] {
  const named = leadsTo.filter((place) => checkout.has(place))
  return [...(made ? [] : [file]), ...named, ...charts.flatMap(({ folder }) => checkout.below(folder))]
}

function mayBePacked(content: Uint8Array): boolean {
  try {
    const plain = gunzipSync(content, { maxOutputLength: maxUnpacked })
    return maySpeakOfDeployers(plain.toString('latin1'))
  } catch {
    return true
  }
}

function speaksOfGroup(text: string): boolean {
  return mentionsOneOf(text.replace(annotations, ''), gitOpsGroups)
}

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}
