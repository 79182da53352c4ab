import { closest } from '../../closest'
import { builtInFields } from '../../kubernetes/fields/built-in-fields'
import { placeOf } from '../../kubernetes/fields/field-place'
import { fateOf, metadataFaultsOf } from '../../kubernetes/fields/object-metadata'
import { fateOfUnknown, lossOf, refusalOfField, remedyFor } from '../../kubernetes/fields/refusal'
import { written } from '../../kubernetes/fields/written-path'
import { webhookFaultsOf } from '../../kubernetes/protection/webhook-faults'
import { alternatives } from '../../listing'
import { nameOf } from '../../manifest/manifest'
import { inQuotes } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Field = Record<'object' | 'field', string>

/** With what is lost besides the object. */
type Rejected = Field & { loss: string }

export default defineRule({
  id: 'ingress-tls/objects-accepted',
  summary: "The API server knows every field of the objects of Kubernetes' own kinds, and accepts its form.",
  since: '1.11.0',
  scope: 'manifest',
  kinds: builtInFields.kinds,
  messages: {
    misspelled: ({ object, field, meant }: Field & { meant: string }) =>
      `${object} sets ${field}, which is no field: ${refusalOfField}. Write ${meant}.`,
    misplaced: ({ object, field, place }: Field & { place: string }) =>
      `${object} sets ${field}, which is no field there: ${refusalOfField}. Write it as ${place}.`,
    unknown: ({ object, field, newest }: Field & { newest: string }) =>
      `${object} sets ${field}, which is no field up to ${newest}: ${refusalOfField}. Remove it, or write it where it belongs.`,
    leftOut: ({ object, field, fate, remedy }: Field & { fate: string; remedy: string }) =>
      `${object} sets ${field}, which is no field there: ${fate}. ${remedy}`,
    form: ({ object, field, wanted, loss, remedy }: Rejected & { wanted: string; remedy: string }) =>
      `The API server rejects ${object}, because ${field} is not ${wanted}: ${loss}. ${remedy}`,
    value: ({ object, field, value, loss, meant }: Rejected & { value: string; meant: string }) =>
      `The API server rejects ${object}, because ${field} is ${value}, which is none of its values: ${loss}. Write ${meant}.`,
    metadata: ({ object, fault, remedy }: { object: string; fault: string; remedy: string }) =>
      `The API server rejects ${object}, because ${fault}. ${remedy}`,
    unquoted: ({ object, fault, fate, remedy }: Record<'object' | 'fault' | 'fate' | 'remedy', string>) =>
      `In ${object}, ${fault}: kubectl, Helm and Argo CD fail to apply it, and ${fate}. ${remedy}`,
    webhook: ({ object, fault, loss, remedy }: Record<'object' | 'fault' | 'loss' | 'remedy', string>) =>
      `The API server rejects ${object}, because ${fault}: ${loss}. ${remedy}`,
  },
  later: { webhook: '1.25.0' },
  check({ manifest, report }) {
    const known = builtInFields.fieldsOf(manifest)
    if (!known) return
    const object = nameOf(manifest.ref)
    const loss = lossOf(manifest)
    for (const { at, fault, remedy, unquoted } of metadataFaultsOf(manifest.root)) {
      const fate = unquoted && fateOf(unquoted, manifest)
      if (fate) report(at, 'unquoted', { object, fault, fate, remedy }, { keys: [fault] })
      else report(at, 'metadata', { object, fault, remedy }, { keys: [fault] })
    }
    for (const { at, fault, remedy } of webhookFaultsOf(manifest))
      report(at, 'webhook', { object, fault, loss, remedy }, { keys: [fault] })
    for (const misfit of builtInFields.misfitsIn(manifest)) {
      const { at } = misfit
      const field = written(at)
      const args = { object, field }
      const keys = [field]
      if ('wanted' in misfit) {
        // Whether Flux fills in variables of its own is not known here.
        if (misfit.byDefault) continue
        const { wanted } = misfit
        const fix = wanted === 'a string' ? inQuotes(at) : undefined
        const remedy = fix ? 'Put the value in quotes.' : `Write ${wanted}.`
        report(at, 'form', { ...args, wanted, loss, remedy }, { keys, ...(fix && { fix }) })
      } else if ('values' in misfit) {
        const { value, values } = misfit
        // An empty text is the default.
        if (value === '') continue
        const meant = values.find((one) => one.toLowerCase() === value.toLowerCase()) ?? closest(value, values)
        report(at, 'value', { ...args, value, loss, meant: meant ?? alternatives(values) }, { keys })
      } else {
        const place = placeOf(at, misfit.key, known.shape)
        const meant = closest(misfit.key, misfit.fields)
        const fate = fateOfUnknown(manifest)
        if (fate) report(at, 'leftOut', { ...args, fate, remedy: remedyFor(place, meant) }, { keys })
        else if (place) report(at, 'misplaced', { ...args, place }, { keys })
        else if (meant) report(at, 'misspelled', { ...args, meant }, { keys })
        else report(at, 'unknown', { ...args, newest: known.newest }, { keys })
      }
    }
  },
})
