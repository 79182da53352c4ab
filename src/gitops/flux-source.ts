import type { Cursor } from '../manifest/cursor'

/**
 * A GitRepository, OCIRepository, HelmRepository or Bucket of Flux: where its content comes from.
 * https://fluxcd.io/flux/components/source/
 */
export interface FluxSource {
  readonly spec: Cursor
  readonly url: Cursor
  readonly ref: Cursor
  /** The version of a chart in a registry: a range, or else a tag; the place of `ref` where it gives neither. */
  readonly version: Cursor
  /** Patterns as in a `.sourceignore`, which win over those. */
  readonly ignore: Cursor
  /** The folders that are checked out; all of them without it. */
  readonly sparseCheckout: Cursor
  /** Other GitRepositories whose files it has in folders. */
  readonly include: Cursor
}

export function readFluxSource(root: Cursor): FluxSource {
  const spec = root.at('spec')
  const ref = spec.at('ref')
  return {
    spec,
    url: spec.at('url'),
    ref,
    ignore: spec.at('ignore'),
    sparseCheckout: spec.at('sparseCheckout'),
    include: spec.at('include'),
    version: [ref.at('semver'), ref.at('tag')].find(({ exists }) => exists) ?? ref,
  }
}
