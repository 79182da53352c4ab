import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { day, factsFile, proof, strict, text, texts } from '../facts-format/facts-file'
import { misfitsOfObject, ofObject } from './object-misfits'
import type { Misfit, Shape } from './shape'
import { shapeIn } from './shape-notation'

/** A table of facts with the fields of kinds, which a script writes. */
export const FieldsFile = factsFile({
  checked: day,
  parts: Type.Array(Type.Object({ name: text, fields: text }, strict)),
  upstreams: Type.Array(
    Type.Object(
      {
        source: proof.source,
        /** The newest one first. */
        releases: texts,
        /** Those with the same fields in one row. */
        rows: Type.Array(Type.Object({ kinds: texts, apiVersions: texts, fields: text }, strict)),
      },
      strict,
    ),
  ),
})

type Facts = Static<typeof FieldsFile>

/** The fields of a kind. */
export interface KnownFields {
  readonly shape: Shape
  /** The newest release that was read for them, as messages name it: `istio/api v1.30.3`. */
  readonly newest: string
}

interface Row {
  readonly fields: string
  readonly newest: string
}

/** The fields of the kinds of one table. */
export class FieldTable {
  /** The kinds with known fields. */
  readonly kinds: readonly GroupKind[]
  private readonly rows: ReadonlyMap<string, Row>
  private readonly misfits = new WeakMap<Manifest, readonly Misfit[]>()
  /** The texts that were parsed: few runs ask for many. */
  private readonly shapes = new Map<string, Shape>()
  private readonly parts = new Map<string, Shape>()

  constructor(
    private readonly facts: Facts,
    newestOf: (upstream: Facts['upstreams'][number]) => string,
  ) {
    this.rows = new Map(
      facts.upstreams.flatMap((upstream) =>
        upstream.rows.flatMap(({ kinds, apiVersions, fields }) =>
          kinds.flatMap((kind) =>
            apiVersions.map((apiVersion): [string, Row] => [
              `${kind} ${apiVersion}`,
              { fields, newest: newestOf(upstream) },
            ]),
          ),
        ),
      ),
    )
    this.kinds = [...new Set([...this.rows.keys()].map(groupKindIn))]
  }

  /** The fields that the API servers know of an object; undefined of another kind or API version. */
  fieldsOf({ object: { apiVersion, ref } }: Manifest): KnownFields | undefined {
    return this.fieldsIn(ref.kind, apiVersion)
  }

  fieldsIn(kind: string, apiVersion: string): KnownFields | undefined {
    const row = this.rows.get(`${kind} ${apiVersion}`)
    return row && { shape: this.shapeOf(row.fields), newest: row.newest }
  }

  /** The parts of an object that are not as its kind has them. Several stages ask for those of one object. */
  misfitsIn(manifest: Manifest): readonly Misfit[] {
    const before = this.misfits.get(manifest)
    if (before) return before
    const known = this.fieldsOf(manifest)
    const found = known ? misfitsOfObject(manifest, known.shape) : []
    this.misfits.set(manifest, found)
    return found
  }

  private shapeOf(fields: string): Shape {
    const before = this.shapes.get(fields)
    if (before) return before
    const { parts } = this
    if (parts.size === 0) for (const part of this.facts.parts) parts.set(part.name, shapeIn(part.fields, parts))
    const shape = ofObject(shapeIn(fields, parts))
    this.shapes.set(fields, shape)
    return shape
  }
}

/** `Deployment.apps` of `Deployment apps/v1`. */
function groupKindIn(row: string): GroupKind {
  const [kind, apiVersion = ''] = row.split(' ')
  const [group, version] = apiVersion.split('/')
  return version === undefined ? `${kind}` : `${kind}.${group}`
}
