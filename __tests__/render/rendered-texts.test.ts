import { expect, test } from '@jest/globals'
import { RenderedTexts } from '../../src/render/tools/rendered-texts'
import { configMap } from '../source/objects'

const piece = (path: string, text: string) => ({ path, template: '', text })

test('equal texts of any renderings are one file, with its objects', () => {
  const texts = new RenderedTexts()
  const [one, other] = texts.shared([piece('a', configMap('map')), piece('b', configMap('other'))])
  const [again] = texts.shared([piece('c', configMap('map'))])
  expect(again).toEqual(piece('c', configMap('map')))
  const file = texts.load(one?.text ?? '')
  expect(file.objects.map(({ ref }) => ref.name)).toEqual(['map'])
  expect(texts.load(again?.text ?? '')).toBe(file)
  expect(texts.load(other?.text ?? '').objects.map(({ ref }) => ref.name)).toEqual(['other'])
})

test('half a character stays what it is', () => {
  const text = 'kind: "\ud800"\n'
  expect(new RenderedTexts().shared([piece('a', text)])).toEqual([piece('a', text)])
})
