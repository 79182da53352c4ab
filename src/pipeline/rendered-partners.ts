import { type Manifest, manifestsOf, type Side } from '../manifest/manifest'
import { mentionsOneOf } from '../manifest/mentions'
import type { ActiveRule } from '../policy/policy'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { Source } from '../sources/source'
import { substituted } from '../sources/substitution'
import { partnersWanted, type Wanted } from './partners'
import { readableSide } from './read-in-part'

/**
 * Renders, of the sources this change does not reach, those that may hold a partner of a touched object. Rendered
 * objects may have partners too, so this repeats until nothing new is found.
 */
export async function renderPartners(
  head: SideOfChange,
  unreached: (source: Source) => boolean,
  rules: readonly ActiveRule[],
  touched: readonly Manifest[],
): Promise<RenderedSide[]> {
  const open = new Map<Source, readonly string[]>()
  for (const source of head.discovery.sources.filter((one) => one.origin !== 'probed' && unreached(one))) {
    const files = await head.files(source)
    // The content of a packaged chart is known only after rendering.
    const packed = files.some((file) => file.endsWith('.tgz'))
    const texts = packed ? [] : [...(await head.checkout.texts(files)).values()]
    open.set(source, source.kind === 'kustomize' ? texts.map((text) => substituted(text, source.substitutions)) : texts)
  }
  const rendered: RenderedSide[] = []
  for (let frontier = touched; frontier.length > 0 && open.size > 0; ) {
    const wanted = partnersWanted(rules, frontier)
    const next = [...open].filter(([source, texts]) => wanted.some((one) => mayHold(source, texts, one)))
    for (const [source] of next) open.delete(source)
    const sides = await Promise.all(next.map(async ([source]) => readableSide(head, await head.render(source))))
    rendered.push(...sides)
    frontier = looseManifests('head', sides).filter((manifest) => wanted.some((one) => isWanted(manifest, one)))
  }
  return rendered
}

/** Whether a source may render to an object of one of the kinds with one of the strings in it. */
function mayHold(source: Source, texts: readonly string[], { kinds, strings }: Wanted): boolean {
  if (strings.length === 0) return false
  if (texts.length === 0) return true
  if (kinds.includes('HelmChart') && texts.some(inflatesCharts)) return true
  if (kinds.length > 0 && !texts.some((text) => mentionsOneOf(text, kinds) || fillsInKind(text))) return false
  return putsWordsTogether(source, texts) || texts.some((text) => mentionsOneOf(text, strings))
}

function isWanted({ ref, object }: Manifest, { kinds, strings }: Wanted): boolean {
  if (kinds.length > 0 && !kinds.includes(ref.kind)) return false
  return mentionsOneOf(object.content, strings)
}

/** Whether a template leaves a kind, or a part of it, to be filled in. */
function fillsInKind(text: string): boolean {
  return /\bkind["']?[ \t]*:[^\n{:]*\{\{/.test(text)
}

/** Whether a Kustomization inflates charts: remote charts install objects that are in no file. */
function inflatesCharts(text: string): boolean {
  return mentionsOneOf(text, ['helmCharts', 'HelmChartInflationGenerator'])
}

const keysThatMakeWords = ['namePrefix', 'nameSuffix', 'secretGenerator', 'replacements', 'vars', 'helmCharts']

/** Templates, and Kustomizations that change names, render strings that are in no file. */
function putsWordsTogether(source: Source, texts: readonly string[]): boolean {
  if (source.kind === 'helm' || source.overlay?.namePrefix || source.overlay?.nameSuffix) return true
  return texts.some((text) => mentionsOneOf(text, keysThatMakeWords))
}

/** Manifests of renderings, before it is known to which clusters they go. */
export function looseManifests(side: Side, rendered: readonly RenderedSide[]): Manifest[] {
  return rendered.flatMap(({ objects }) =>
    objects.flatMap(({ object, origin }) => manifestsOf(object, side, origin, [])),
  )
}
