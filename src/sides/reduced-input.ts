import type { Checkout } from '../revision/checkout'
import { LaidOver } from '../revision/laid-over'
import { type Kustomization, readKustomization } from '../sources/kustomization'
import type { Lack } from '../sources/lack'
import {
  completedTemplate,
  emptiedSchemas,
  reducedCharts,
  renderableTemplates,
  valuesBeside,
  versionedChart,
} from '../sources/reduced-chart'
import { type LeftOutPatch, reducedKustomization } from '../sources/reduced-kustomization'
import type { HelmSource, Source } from '../sources/source'
import { packedTemplates } from './packed-templates'

/** A source and the files that it is rendered from. */
export interface RenderingInput {
  readonly source: Source
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
}

/** The input of a rendering without the parts that cannot be built here. */
export interface ReducedInput extends RenderingInput {
  /** Whether the omitted parts may change objects that stay. */
  readonly changesOthers: boolean
  readonly patches: readonly LeftOutPatch[]
}

/**
 * A source without its missing parts, as if its files had never had them: helm and kustomize process it like any other.
 *
 * @returns undefined if no part of it can be left out for that
 */
export async function reducedInput(
  source: Source,
  lacks: readonly Lack[],
  { checkout, kustomizations, newFolder }: Omit<RenderingInput, 'source'> & { newFolder(): string },
): Promise<ReducedInput | undefined> {
  if (lacks.length === 0) return undefined
  if (source.kind === 'helm') return reducedRelease(source, lacks, { checkout, kustomizations, newFolder })
  const reduced = await reducedKustomization(source, lacks, kustomizations, checkout)
  const { texts, changesOthers, patches } = reduced
  if (texts.size === 0 && reduced.source === source) return undefined
  const edited = checkout.edited(texts, newFolder)
  const again = new Map<string, Kustomization>()
  for (const [folder, { file, made }] of kustomizations) {
    const text = made ? undefined : texts.get(checkout.tree.resolved.get(file) ?? file)
    if (text !== undefined) again.set(folder, readKustomization(folder, file, text, edited))
  }
  const itsKustomizations = new LaidOver(kustomizations, again)
  return { source: reduced.source, checkout: edited, kustomizations: itsKustomizations, changesOthers, patches }
}

async function reducedRelease(
  source: HelmSource,
  lacks: readonly Lack[],
  { checkout, kustomizations, newFolder }: Omit<RenderingInput, 'source'> & { newFolder(): string },
): Promise<ReducedInput | undefined> {
  const bareCharts = await reducedCharts(lacks, checkout)
  const renderable = await renderableTemplates(source.chart, lacks, checkout)
  const own = checkout.edited(new Map([...renderable, ...bareCharts]), newFolder)
  const completed =
    bareCharts.size > 0
      ? await completedTemplate(source.chart, own, (archives) => packedTemplates(archives, checkout))
      : new Map<string, string>()
  const emptied = await emptiedSchemas(source.chart, lacks, checkout)
  const versioned = await versionedChart(source.chart, lacks, checkout)
  const texts = new Map([...renderable, ...versioned, ...bareCharts, ...completed, ...emptied])
  const { postRenderers, ...bare } = source
  const isBare = postRenderers !== undefined && lacks.some(({ what }) => what === 'post-renderers')
  // Placeholders, which rules take for unknown.
  const missing = lacks.flatMap(({ what, about }) => (what === 'value' ? [about] : []))
  const supposed = [...missing, ...(await valuesBeside(source.chart, missing, checkout))].map(
    (about) => [about, `<${about}>`] as const,
  )
  if (texts.size === 0 && !isBare && supposed.length === 0) return undefined
  const set = { ...Object.fromEntries(supposed), ...source.set }
  return {
    source: { ...(isBare ? bare : source), set },
    kustomizations,
    checkout: texts.size === 0 ? checkout : checkout.edited(texts, newFolder),
    changesOthers: isBare || completed.size > 0 || supposed.length > 0 || lacks.some(({ what }) => what === 'refusal'),
    patches: [],
  }
}
