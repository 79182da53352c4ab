import type { LoadedObject } from '../manifest/load'
import { Manifest, type Origin, pathOf } from '../manifest/manifest'
import { skimIdentities } from '../manifest/skim'
import { startOf } from '../region'
import { guessesOf } from '../render/answers/guesses'
import { neverTypesPaths } from '../render/answers/path-types'
import type { Renderer } from '../render/renderer'
import type { Failure, Rendering } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import { heldFolderOf } from '../revision/held-files'
import { placeOf, type Source } from '../sources/source'
import { deployerOf, described, fluxOf, unplacedOf } from './described'
import { staysInstalled, withNamespace } from './rendered-objects'
import type { RenderedSide } from './rendered-side'
import { unsetOf } from './unset-variables'

interface RenderingReader {
  readonly checkout: Checkout
  readonly renderer: Renderer
  /** The difference of the rendering from that of the whole source. */
  readonly unbuilt: 'reduced' | undefined
}

/** The objects of a rendering. */
export async function readRendering(
  source: Source,
  rendering: Rendering,
  { checkout, renderer, unbuilt }: RenderingReader,
): Promise<RenderedSide> {
  const { charts = [], data = [] } = rendering
  if ('failure' in rendering) {
    const failure = inSight(rendering.failure, source)
    return { source, objects: [], unreadable: [], failure, remote: failure.remote ?? [], charts, data }
  }
  const { supposed, lacking, byPlugin } = source.kind === 'helm' ? source : {}
  const isGuess = await guessesOf(source, checkout)
  const untypedIn = async (path: string, its: readonly LoadedObject[]): Promise<{ untyped?: true }> => {
    if (source.kind !== 'helm' || !its.some(({ ref }) => ref.kind === 'Ingress')) return {}
    const template = (await checkout.texts([path])).get(path)
    return template !== undefined && neverTypesPaths(template) ? { untyped: true } : {}
  }
  const objects: RenderedSide['objects'][number][] = []
  const unreadable: RenderedSide['unreadable'][number][] = []
  for (const { path, template, text, open = [] } of rendering.pieces) {
    renderer.budget.doing(`reading the rendered manifests of ${path}`, path)
    const file = renderer.texts.load(text)
    // Of a chart that was fetched a reader can open the line that asks for it.
    const seen = source.fetched?.at.path || path
    const place = { path: seen, template, id: source.id, source: described(source), ...deployerOf(source) }
    const own: Origin = {
      kind: 'rendered',
      ...place,
      ...(supposed === undefined ? {} : { supposed }),
      ...(lacking === undefined ? {} : { lacking }),
      ...(byPlugin ? { byPlugin } : {}),
      ...unplacedOf(source),
    }
    const origin: Origin = {
      ...own,
      ...(unbuilt ? { unbuilt } : {}),
      ...fluxOf(source),
      ...unsetOf(open, source),
      ...(await untypedIn(path, file.objects)),
    }
    const staying = file.objects.filter(
      (object) => source.kind !== 'helm' || staysInstalled(new Manifest(object, 'head', origin, []), source),
    )
    for (const object of staying) {
      const guessed = isGuess(object.apiVersion, path)
      objects.push({ object: withNamespace(object, source), origin: guessed ? { ...origin, guessed } : origin })
    }
    const reasons = [...file.unreadable, ...file.incomplete].map(({ reason }) => reason)
    const about = reasons.length > 0 ? skimIdentities(text).map(pathOf).join() : ''
    unreadable.push(...reasons.map((reason) => ({ cause: 'unreadable-output' as const, path: seen, about, reason })))
    const most = renderer.limits.objects
    if (objects.length > most) {
      const reason = `it renders to more than ${most} objects`
      const failure = { cause: 'too-many-objects' as const, reason, path: seen, region: startOf(1) }
      return { source, objects: [], unreadable: [], failure, remote: [], charts, data }
    }
  }
  return { source, objects, unreadable, failure: undefined, remote: rendering.remote ?? [], charts, data }
}

/** A failure in a chart or Kustomization that was fetched, at the line that asks for it. */
function inSight(failure: Failure, source: Source): Failure {
  if (!source.fetched) return failure
  const [folder, tree] = [placeOf(source), heldFolderOf(placeOf(source))]
  const isInside = failure.path.startsWith(tree)
  if (!isInside && source.kind === 'helm') return failure
  const reason = failure.reason
    .replaceAll(`${folder}/`, '')
    .replaceAll(`${tree}/`, '')
    .replaceAll(folder, nameOf(source))
  return { ...failure, ...(isInside ? source.fetched.at : {}), reason }
}

function nameOf({ fetched }: Source): string {
  return fetched ? `${fetched.chart} of ${fetched.repository}` : ''
}
