import { loadFile } from '../manifest/load'
import { Manifest } from '../manifest/manifest'
import type { Checkout } from '../revision/checkout'
import type { Selector } from './patches'
import type { KustomizeSource } from './source'
import { type Fields, fieldsOf, listOf } from './untyped'

/** A patch with a target in `spec.patches` of a Kustomization of Flux. */
export interface FluxPatch {
  readonly path: string
  readonly selector: Selector
  /** The object that it merges, or no fields for the operations of a JSON patch. */
  readonly content: Fields
}

/** The patches that Flux lays over a Kustomization, as far as the file that declares it has them as Flux reads them. */
export async function fluxPatchesOf(source: KustomizeSource, checkout: Checkout): Promise<FluxPatch[]> {
  const { declaredAt, overlay, flux } = source
  const laid = new Set(listOf(overlay?.patches).map((patch) => JSON.stringify(fieldsOf(patch).target)))
  if (!flux || laid.size === 0) return []
  const text = await checkout.text(declaredAt.path)
  const { startLine } = declaredAt.region
  const object = loadFile({ text: text ?? '' }).objects.find(
    ({ ref, region }) => ref.kind === 'Kustomization' && region.startLine <= startLine && startLine <= region.endLine,
  )
  if (!object) return []
  const { root } = new Manifest(object, 'head', { kind: 'file', path: declaredAt.path }, [])
  return [...root.at('spec', 'patches').items()].flatMap((entry) => {
    const target = entry.at('target')
    if (!target.isMap || !laid.has(JSON.stringify(target.value))) return []
    const selector = {
      fields: fieldsOf(target.value),
      path: declaredAt.path,
      region: target.region,
      ofComponent: false,
    }
    return [{ path: declaredAt.path, selector, content: fieldsOf(entry.at('patch').nested?.value) }]
  })
}
