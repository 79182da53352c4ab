import * as Type from 'typebox'
import written from '../../../facts/resource-fields.yaml'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'
import { day, factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { type Misfit, misfitsOf, type Shape } from './shape'
import { shapeIn } from './shape-notation'

/** `facts/resource-fields.yaml`, which `npm run resource-fields` writes. */
export const ResourceFieldsFile = factsFile({
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

const facts = factsIn(ResourceFieldsFile, written)

/** The fields of a kind. */
export interface KnownFields {
  readonly shape: Shape
  /** The newest release that was read for them, with its repository: `istio/api v1.30.3`. */
  readonly newest: string
}

interface Row {
  readonly fields: string
  readonly newest: string
}

const rows: ReadonlyMap<string, Row> = new Map(
  facts.upstreams.flatMap((upstream) => {
    const newest = `${upstream.source.split('/').slice(-2).join('/')} ${upstream.releases[0]}`
    return upstream.rows.flatMap(({ kinds, apiVersions, fields }) =>
      kinds.flatMap((kind) =>
        apiVersions.map((apiVersion): [string, Row] => [`${kind} ${apiVersion}`, { fields, newest }]),
      ),
    )
  }),
)

/** The kinds with known fields. */
export const kindsWithFields: readonly GroupKind[] = [
  ...new Set(
    [...rows.keys()].map((key) => {
      const [kind, apiVersion = ''] = key.split(' ')
      return `${kind}.${apiVersion.split('/')[0]}`
    }),
  ),
]

/** The fields that the API servers know of an object; undefined of another kind or API version. */
export function fieldsOf({ object: { apiVersion, ref } }: Manifest): KnownFields | undefined {
  const row = rows.get(`${ref.kind} ${apiVersion}`)
  return row && { shape: shapeOf(row.fields), newest: row.newest }
}

/** The parts of an object that are not as its kind has them. Several stages ask for those of one object. */
export function misfitsIn(manifest: Manifest): readonly Misfit[] {
  const before = misfits.get(manifest)
  if (before) return before
  const known = fieldsOf(manifest)
  // A patch is no whole object.
  const isJudged = known && !manifest.object.content.includes('$patch:')
  const found = isJudged ? misfitsOf(manifest.root, known.shape).filter(({ at }) => !isOfSops(at)) : []
  misfits.set(manifest, found)
  return found
}

/** A key or a value that is gone once an encrypted object is decrypted. Source: https://getsops.io/docs/ */
function isOfSops({ path: [top], string, manifest }: Cursor): boolean {
  return manifest.root.at('sops', 'mac').exists && (top === 'sops' || string?.startsWith('ENC[') === true)
}

const misfits = new WeakMap<Manifest, readonly Misfit[]>()

function shapeOf(fields: string): Shape {
  const before = shapes.get(fields)
  if (before) return before
  if (parts.size === 0) for (const part of facts.parts) parts.set(part.name, shapeIn(part.fields, parts))
  const shape = ofObject(shapeIn(fields, parts))
  shapes.set(fields, shape)
  return shape
}

/** The texts that were parsed: few runs ask for many. */
const shapes = new Map<string, Shape>()
const parts = new Map<string, Shape>()

/** With what every object has. */
function ofObject(shape: Shape): Shape {
  if (typeof shape === 'string' || !('keys' in shape)) return shape
  return { keys: { apiVersion: 'anything', kind: 'anything', metadata: 'anything', status: 'anything', ...shape.keys } }
}
