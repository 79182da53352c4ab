import written from '../../../facts/built-in-fields.yaml'
import { factsIn } from '../facts-format/facts-file'
import { FieldsFile, FieldTable } from './field-table'

/** The fields of Kubernetes' own kinds, by `facts/built-in-fields.yaml`. */
export const builtInFields = new FieldTable(
  factsIn(FieldsFile, written),
  ({ releases: [newest = ''] }) => `Kubernetes ${newest.split('.').slice(0, 2).join('.')}`,
)
