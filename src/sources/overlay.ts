import { entryOf } from '../entry'
import type { Checkout } from '../revision/checkout'
import { inside } from './places'
import { type Fields, fieldsOf, listOf, textOf } from './untyped'

/** The fields that Argo CD and Flux lay over a Kustomization under kustomize's own names. */
const sameNames = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'patches',
  'images',
  'replicas',
  'commonLabels',
  'commonAnnotations',
]

/** The fields that an Argo CD or Flux object lays over a Kustomization, in the form of a `kustomization.yaml`. */
export function overlayOf(fields: Fields): Fields | undefined {
  const overlay: Record<string, unknown> = Object.fromEntries(
    sameNames
      .map((name) => [name, entryOf(fields, name)])
      .filter(([, value]) => value !== undefined && value !== null && value !== ''),
  )
  if (overlay.images)
    overlay.images = listOf(overlay.images).map((one) => (typeof one === 'string' ? imageOf(one) : one))
  if (overlay.replicas)
    overlay.replicas = listOf(overlay.replicas).map((one) => ({ ...fieldsOf(one), count: Number(fieldsOf(one).count) }))
  return Object.keys(overlay).length > 0 ? overlay : undefined
}

/** Argo CD takes images as `kustomize edit set image` does: `name=new:tag`, `name:tag` or `name@digest`. */
function imageOf(written: string): Fields {
  const equals = written.indexOf('=')
  const [named = '', ...rest] = written.slice(equals + 1).split('@')
  const digest = rest.join('@')
  const colon = named.lastIndexOf(':')
  const tag = colon > named.lastIndexOf('/') ? named.slice(colon + 1) : ''
  const image = tag ? named.slice(0, colon) : named
  const name = equals === -1 ? image : written.slice(0, equals)
  return {
    name,
    ...(equals === -1 ? {} : { newName: image }),
    ...(tag ? { newTag: tag } : {}),
    ...(digest ? { digest } : {}),
  }
}

/** Flux's names for the same: https://fluxcd.io/flux/components/kustomize/kustomizations/ */
export function fluxOverlayOf(spec: Fields): Fields | undefined {
  const { labels, annotations } = fieldsOf(spec.commonMetadata)
  const { namePrefix, nameSuffix, patches, images, targetNamespace: namespace } = spec
  const overlay = overlayOf({ namePrefix, nameSuffix, patches, images, namespace, commonAnnotations: annotations })
  // Flux leaves selectors alone, as kustomize's commonLabels do not.
  return labels === undefined ? overlay : { ...overlay, labels: [{ pairs: labels }] }
}

/**
 * The components that Argo CD and Flux lay over a Kustomization, from the repository's root; one that is elsewhere as
 * written.
 */
export function componentsOf(
  { components, ignoreMissingComponents }: Fields,
  place: string,
  { tree }: Checkout,
): string[] {
  return listOf(components)
    .map(textOf)
    .filter((written) => written !== '')
    .map((written) => inside(place, written) ?? written)
    .filter((folder) => ignoreMissingComponents !== true || tree.at(folder).length > 0)
}
