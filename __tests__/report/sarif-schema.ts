import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { root } from '../harness'

/** As `sarif-schema/README.md` says. */
const hash = 'c3b4bb2d6093897483348925aaa73af03b3e3f4bd4ca38cef26dcb4212a2682e'

/** The errors that the official schema of SARIF 2.1.0 finds in a log. */
export function sarifErrors(log: unknown): unknown[] {
  validate(log)
  return validate.errors ?? []
}

const validate = compiled()

function compiled() {
  const file = path.join(root, '__tests__', 'report', 'sarif-schema', 'sarif-schema-2.1.0.json')
  const text = readFileSync(file, 'utf8')
  if (createHash('sha256').update(text).digest('hex') !== hash) throw new Error('This is not the official schema.')
  // The schema is JSON Schema 4, but uses only features that later versions read in the same way, except for the name
  // of its id.
  const { $schema: _, id: $id, ...schema } = JSON.parse(text)
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajv.addFormat('uri', (uri) => URL.canParse(uri))
  ajv.addFormat('uri-reference', (uri) => /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/.test(uri) && URL.canParse(uri, 'file:///'))
  ajv.addFormat('date-time', (time) => !Number.isNaN(Date.parse(time)))
  return ajv.compile({ $id, ...schema })
}
