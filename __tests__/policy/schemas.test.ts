import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import Ajv2020 from 'ajv/dist/2020'
import { root } from '../harness'

const folder = path.join(root, 'schemas')

test.each(readdirSync(folder))('%s is a JSON Schema of 2020-12', (name) => {
  const ajv = new Ajv2020()
  ajv.validateSchema(JSON.parse(readFileSync(path.join(folder, name), 'utf8')))
  expect(ajv.errors ?? []).toEqual([])
})

test('something that is no JSON Schema is refused', () => {
  expect(new Ajv2020().validateSchema({ type: 'text' })).toBe(false)
})
