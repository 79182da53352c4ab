import type { BlocksOfChart, LoadedObject } from '../../manifest/load'
import type { ObjectRef } from '../../manifest/manifest'
import type { RenderedSide } from '../../sides/rendered-side'

/** The rendered releases of an object, by name. */
interface RenderedOf {
  readonly by: ObjectRef
  readonly releases: Map<string, BlocksOfChart>
}

/** The releases of charts that were fetched and rendered, by the objects that install them. */
export class RenderedReleases {
  private readonly byName = new Map<string, RenderedOf[]>()

  constructor(rendered: readonly RenderedSide[]) {
    for (const { source, failure, partial } of rendered) {
      if (source.kind !== 'helm' || !source.fetched || failure || partial) continue
      const { by, blocks } = source.fetched
      const there = this.byName.get(keyOf(by)) ?? []
      const same = there.find((one) => one.by.namespace === by.namespace)
      if (same) same.releases.set(source.release, blocks)
      else this.byName.set(keyOf(by), [...there, { by, releases: new Map([[source.release, blocks]]) }])
    }
  }

  /** An object with its releases that are rendered. */
  marked(object: LoadedObject): LoadedObject {
    if (this.byName.size === 0) return object
    const { namespace } = object.ref
    const its = this.byName.get(keyOf(object.ref))
    // An object of a Kustomization may be written without its namespace.
    const found = its?.find(({ by }) => by.namespace === namespace || by.namespace === '' || namespace === '')
    if (!found) return object
    const { files = new Map(), applications, ...context } = object.context ?? {}
    const rendered = found.releases
    const generated = applications?.map((one) => ({
      ...one,
      context: { files: new Map(), ...one.context, rendered },
    }))
    return { ...object, context: { ...context, files, ...(generated ? { applications: generated } : {}), rendered } }
  }
}

function keyOf({ group, kind, name }: ObjectRef): string {
  return JSON.stringify([group, kind, name])
}
