import { expect, test } from '@jest/globals'
import { documentsIn } from '../../src/deployers/common/document'

const objectOf = (text: string) => documentsIn('fleet.yaml', text).documents[0]?.object

test('a text is read once, until many others were read', () => {
  const text = 'defaultNamespace: shop\n'
  const first = objectOf(text)
  expect(objectOf(text)).toBe(first)
  const long = '#'.padEnd(4_000_000, 'x')
  for (let index = 0; index < 6; index++) documentsIn('fleet.yaml', `a: ${index}\n${long}\n`)
  const again = objectOf(text)
  expect(again).not.toBe(first)
  expect(again?.content).toBe(text)
})
