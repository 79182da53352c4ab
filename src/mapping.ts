import * as Type from 'typebox'

interface MappingOptions extends Type.TSchemaOptions {
  /** The regular expression of its keys; by default, any key is taken. */
  readonly keys?: string
}

/**
 * The schema of an object whose keys are names: `Type.Record`, which would bring an evaluator of types of 90 kB into
 * every run.
 */
export function Mapping<Value extends Type.TSchema>(values: Value, { keys = '^.*$', ...options }: MappingOptions = {}) {
  return Type.Unsafe<Record<string, Type.Static<Value>>>({
    type: 'object',
    patternProperties: { [keys]: values },
    ...options,
  })
}
