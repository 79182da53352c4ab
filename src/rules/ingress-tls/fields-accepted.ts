import { closest } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { definedFieldsOf, isTakenByDefinition } from '../../kubernetes/fields/defined-fields'
import { placeOf } from '../../kubernetes/fields/field-place'
import { fateOf, metadataFaultsOf } from '../../kubernetes/fields/object-metadata'
import { isPatch } from '../../kubernetes/fields/object-misfits'
import { fateOfUnknown, refusal, refusalOfField, remedyFor } from '../../kubernetes/fields/refusal'
import { type MissingFields, missingFieldsOf } from '../../kubernetes/fields/required-fields'
import { resourceFields } from '../../kubernetes/fields/resource-fields'
import { written } from '../../kubernetes/fields/written-path'
import { definitionKind } from '../../kubernetes/object/custom-resource'
import { abridged, enumerated } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Unknown = Record<'object' | 'field' | 'newest', string>

export default defineRule({
  id: 'ingress-tls/fields-accepted',
  summary: 'The API server knows every field of the objects through which ingress works, and accepts its form.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: resourceFields.kinds,
  reads: [definitionKind],
  messages: {
    misspelled: ({ object, field, meant }: { object: string; field: string; meant: string }) =>
      `${object} sets ${field}, which is no field: ${refusalOfField}. Write ${meant}.`,
    misplaced: ({ object, field, place }: { object: string; field: string; place: string }) =>
      `${object} sets ${field}, which is no field there: ${refusalOfField}. Write it as ${place}.`,
    unknown: ({ object, field, newest }: Unknown) =>
      `${object} sets ${field}, which is no field up to ${newest}: ${refusalOfField}. Remove it, unless a newer release is installed that has it.`,
    leftOut: ({ object, field, fate, remedy }: Record<'object' | 'field' | 'fate' | 'remedy', string>) =>
      `${object} sets ${field}, which is no field there: ${fate}. ${remedy}`,
    form: ({ object, field, wanted }: { object: string; field: string; wanted: string }) =>
      `The API server rejects ${object}, because ${field} is not ${wanted}. Write ${wanted}.`,
    byDefault: ({ object, field, value }: Record<'object' | 'field' | 'value', string>) =>
      `${object} sets ${field} to a variable with the default ${value}, which Flux fills in without quotes: it is no string then, and the API server rejects the object. Leave the field out where the default is meant, or give the variable a value that is a text.`,
    value: ({ object, field, value, meant }: Record<'object' | 'field' | 'value' | 'meant', string>) =>
      `The API server rejects ${object}, because ${field} is ${value}, which is none of its values. Write ${meant}.`,
    otherValue: ({ object, field, value, values, newest }: Unknown & { value: string; values: string }) =>
      `${object} sets ${field} to ${value}, which is none of its values up to ${newest}: ${refusal}. Use ${values}, unless a newer release is installed that has it.`,
    metadata: ({ object, fault, remedy }: { object: string; fault: string; remedy: string }) =>
      `The API server rejects ${object}, because ${fault}. ${remedy}`,
    unquoted: ({ object, fault, fate, remedy }: Record<'object' | 'fault' | 'fate' | 'remedy', string>) =>
      `In ${object}, ${fault}: kubectl, Helm and Argo CD fail to apply it, and ${fate}. ${remedy}`,
    missing: ({ object, lacks, newest, remedy }: Record<'object' | 'lacks' | 'newest' | 'remedy', string>) =>
      `The API server rejects ${object}, because it has ${lacks}, which all releases up to ${newest} require. ${remedy}`,
  },
  later: { leftOut: '1.12.0', missing: '1.28.0' },
  *partners(manifest) {
    // Only what is not as expected needs a second opinion.
    if (groupKindOf(manifest.ref) !== definitionKind && hasFault(manifest)) yield `.${manifest.ref.group}`
  },
  partnerKinds: () => [definitionKind],
  check({ manifest, snapshot, report }) {
    const known = resourceFields.fieldsOf(manifest)
    if (!known) return
    const { root, ref } = manifest
    const object = nameOf(ref)
    for (const { at, fault, remedy, unquoted } of metadataFaultsOf(root)) {
      const fate = unquoted && fateOf(unquoted, manifest)
      if (fate) report(at, 'unquoted', { object, fault, fate, remedy }, { keys: [fault] })
      else report(at, 'metadata', { object, fault, remedy }, { keys: [fault] })
    }
    // A field in a wrong place, or with a wrong name, is missing where it belongs.
    const meantFields = new Set<string>()
    for (const misfit of resourceFields.misfitsIn(manifest)) {
      if (isTakenByDefinition(misfit, manifest, snapshot)) continue
      const { at } = misfit
      const field = written(at)
      const args = { object, field, newest: known.newest }
      const keys = { keys: [field] }
      if ('wanted' in misfit && misfit.byDefault)
        report(at, 'byDefault', { object, field, value: misfit.byDefault }, keys)
      else if ('wanted' in misfit) report(at, 'form', { object, field, wanted: misfit.wanted }, keys)
      else if ('values' in misfit) {
        const { value, values } = misfit
        const meant = closest(value, values)
        if (meant) report(at, 'value', { object, field, value, meant }, keys)
        else report(at, 'otherValue', { ...args, value, values: abridged(values, 8) }, keys)
      } else {
        const place = placeOf(at, misfit.key, known.shape)
        const meant = closest(misfit.key, misfit.fields)
        meantFields.add(place ?? withoutIndexes(written({ path: [...at.path.slice(0, -1), meant ?? misfit.key] })))
        const message = place ? 'misplaced' : meant ? 'misspelled' : 'unknown'
        const hints = { ...args, place: place ?? '', meant: meant ?? '' }
        const fate = fateOfUnknown(manifest)
        if (!fate) report(at, message, hints, keys)
        else report(at, 'leftOut', { ...hints, fate, remedy: remedyFor(place, meant) }, { ...keys, before: message })
      }
    }
    for (const { at, fields } of missingIn(manifest)) {
      const isMeant = (field: string) => meantFields.has(withoutIndexes(field))
      const required = fields.filter((field) => !isMeant(field) && !isOptionalByDefinition(field, manifest, snapshot))
      const lacks = enumerated(required.map((field) => `no ${field}`))
      const args = { object, lacks, newest: known.newest, remedy: `Set ${enumerated(required)}.` }
      if (required.length > 0) report(at, 'missing', args, { keys: required })
    }
  },
})

function withoutIndexes(field: string): string {
  return field.replace(/\[\d+\]/g, '[]')
}

function hasFault(manifest: Manifest): boolean {
  return resourceFields.misfitsIn(manifest).length > 0 || missingIn(manifest).length > 0
}

/** The required fields that an object does not have, unless something may set them that is not read. */
function missingIn(manifest: Manifest): MissingFields[] {
  const known = resourceFields.fieldsOf(manifest)
  return known && isWhole(manifest) ? [...missingFieldsOf(manifest.root, known.shape)] : []
}

/** Whether an object is all that is applied: not assumed, no patch, and not read from the file of a source that is not built. */
function isWhole(manifest: Manifest): boolean {
  const { assumption, origin } = manifest
  if (assumption || isPatch(manifest)) return false
  return origin.kind === 'file' || !(origin.unbuilt || origin.byPlugin || origin.lacking)
}

/** Whether a CustomResourceDefinition of the cluster does not require a field. */
function isOptionalByDefinition(field: string, manifest: Manifest, snapshot: Snapshot): boolean {
  return definedFieldsOf(manifest, snapshot).some(({ shape }) =>
    [...missingFieldsOf(manifest.root, shape)].every(({ fields }) => !fields.includes(field)),
  )
}
