import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { definitionsOf } from '../object/custom-resource'
import { misfitsOfObject, ofObject } from './object-misfits'
import { type Schema, shapeOfSchema } from './schema-shape'
import type { Misfit, Shape } from './shape'

/** The fields of a kind, by a CustomResourceDefinition of the cluster. */
export interface DefinedFields {
  readonly definition: Manifest
  readonly shape: Shape
}

/** By the version of a definition, as several objects are of one kind. */
const known = new WeakMap<Manifest, Map<string, DefinedFields | undefined>>()

/** The fields of the kind of an object, by each CustomResourceDefinition of the cluster that has its API version. */
export function definedFieldsOf({ object: { apiVersion, ref } }: Manifest, snapshot: Snapshot): DefinedFields[] {
  const version = apiVersion.split('/')[1] ?? ''
  return definitionsOf(snapshot, ref.group, ref.kind).flatMap((definition) => fieldsIn(definition, version) ?? [])
}

function fieldsIn(definition: Manifest, version: string): DefinedFields | undefined {
  const versions = known.get(definition) ?? new Map<string, DefinedFields | undefined>()
  known.set(definition, versions)
  if (!versions.has(version)) {
    const schema = schemaIn(definition, version)
    versions.set(version, schema && { definition, shape: ofObject(shapeOfSchema(schema)) })
  }
  return versions.get(version)
}

function schemaIn({ root }: Manifest, version: string): Schema | undefined {
  const its = [...root.at('spec', 'versions').items()].find((one) => one.at('name').string === version)
  const schema = its?.at('schema', 'openAPIV3Schema')
  return schema?.isMap ? (schema.value as Schema) : undefined
}

/** Whether a CustomResourceDefinition of the cluster takes a part of an object that the known releases do not take. */
export function isTakenByDefinition({ at }: Misfit, manifest: Manifest, snapshot: Snapshot): boolean {
  return definedFieldsOf(manifest, snapshot).some(({ shape }) =>
    misfitsOfObject(manifest, shape).every((misfit) => !isAround(misfit.at, at)),
  )
}

/** Whether a value is another one, or contains it. */
function isAround(outer: Cursor, inner: Cursor): boolean {
  return outer.path.every((step, index) => step === inner.path[index])
}
