import written from '../../../facts/resource-fields.yaml'
import { factsIn } from '../facts-format/facts-file'
import { FieldsFile, FieldTable } from './field-table'

/** The fields of the kinds through which ingress works, by `facts/resource-fields.yaml`. */
export const resourceFields = new FieldTable(
  factsIn(FieldsFile, written),
  ({ source, releases }) => `${source.split('/').slice(-2).join('/')} ${releases[0]}`,
)
