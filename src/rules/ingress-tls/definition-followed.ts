import { closest } from '../../closest'
import { definedFieldsOf } from '../../kubernetes/fields/defined-fields'
import { placeOf } from '../../kubernetes/fields/field-place'
import { isPatch, misfitsOfObject } from '../../kubernetes/fields/object-misfits'
import { fateOfUnknown, lossOf, refusalOfField, remedyFor } from '../../kubernetes/fields/refusal'
import { missingFieldsOf } from '../../kubernetes/fields/required-fields'
import { resourceFields } from '../../kubernetes/fields/resource-fields'
import { written } from '../../kubernetes/fields/written-path'
import { definitionKind } from '../../kubernetes/object/custom-resource'
import { isOfKubernetes } from '../../kubernetes/versions/served-apis'
import { alternatives, enumerated } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Field = Record<'object' | 'field' | 'definition', string>
type Rejected = Field & Record<'loss' | 'remedy', string>

export default defineRule({
  id: 'ingress-tls/definition-followed',
  summary: 'Each custom object has the form that its CustomResourceDefinition in the repository describes.',
  since: '1.12.0',
  scope: 'snapshot',
  kinds: '*',
  direct: true,
  messages: {
    misplaced: ({ object, field, definition, remedy }: Field & { remedy: string }) =>
      `${object} sets ${field}, which is no field by ${definition}: ${refusalOfField}. ${remedy}`,
    unknown: ({ object, field, definition }: Field) =>
      `${object} sets ${field}, which is no field by ${definition}: ${refusalOfField}. Write it where it belongs, remove it, or first deploy a definition that has it.`,
    leftOut: ({ object, field, definition, fate, remedy }: Field & Record<'fate' | 'remedy', string>) =>
      `${object} sets ${field}, which is no field by ${definition}: ${fate}. ${remedy}`,
    form: ({ object, field, definition, wanted, loss, remedy }: Rejected & { wanted: string }) =>
      `The API server rejects ${object}, because ${field} is not ${wanted}, as ${definition} has it: ${loss}. ${remedy}`,
    value: ({ object, field, definition, value, loss, remedy }: Rejected & { value: string }) =>
      `The API server rejects ${object}, because ${field} is ${value}, which is none of its values by ${definition}: ${loss}. ${remedy}`,
    missing: ({ object, lacks, definition, loss, remedy }: Omit<Rejected, 'field'> & { lacks: string }) =>
      `The API server rejects ${object}, because it has ${lacks}, which ${definition} requires: ${loss}. ${remedy}`,
  },
  *partners(manifest, _, __, isTouched) {
    // The name of a definition ends in its group.
    if (isTouched && isJudged(manifest)) yield `.${manifest.ref.group}`
  },
  partnerKinds: () => [definitionKind],
  check({ manifest, snapshot, report }) {
    if (!isJudged(manifest)) return
    const [best] = definedFieldsOf(manifest, snapshot)
      .map((defined) => ({
        ...defined,
        misfits: misfitsOfObject(manifest, defined.shape),
        missing: [...missingFieldsOf(manifest.root, defined.shape)],
      }))
      .sort((a, b) => a.misfits.length + a.missing.length - b.misfits.length - b.missing.length)
    if (!best) return
    const common = {
      object: nameOf(manifest.ref),
      definition: nameOf(best.definition.ref),
      loss: lossOf(manifest),
    }
    for (const { at, fields } of best.missing) {
      const lacks = enumerated(fields.map((field) => `no ${field}`))
      report(at, 'missing', { ...common, lacks, remedy: `Set ${enumerated(fields)}.` }, { keys: fields })
    }
    for (const misfit of best.misfits) {
      const { at } = misfit
      const args = { ...common, field: written(at) }
      const keys = { keys: [args.field] }
      if ('wanted' in misfit) {
        // Whether Flux fills in variables is not known here.
        if (misfit.byDefault) continue
        report(at, 'form', { ...args, wanted: misfit.wanted, remedy: `Write ${misfit.wanted}.` }, keys)
      } else if ('values' in misfit) {
        const { value, values } = misfit
        const meant = closest(value, values) ?? alternatives(values)
        report(at, 'value', { ...args, value, remedy: `Write ${meant}.` }, keys)
      } else {
        const [place, meant] = [placeOf(at, misfit.key, best.shape), closest(misfit.key, misfit.fields)]
        const remedy = remedyFor(place, meant)
        const fate = fateOfUnknown(manifest)
        if (fate) report(at, 'leftOut', { ...args, fate, remedy }, keys)
        else if (place || meant) report(at, 'misplaced', { ...args, remedy }, keys)
        else report(at, 'unknown', args, keys)
      }
    }
  },
})

/** Whether an object is of a kind that only a definition describes, and whole. */
function isJudged(manifest: Manifest): boolean {
  const { apiVersion, ref } = manifest.object
  if (!ref.group.includes('.') || isOfKubernetes(apiVersion) || isPatch(manifest)) return false
  return resourceFields.fieldsOf(manifest) === undefined
}
