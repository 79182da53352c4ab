import { expect, test } from '@jest/globals'
import { readPlugins } from '../../src/sources/kustomize-reader'

test('a file of plugins has each place at its own line', () => {
  const generator = (file: string) =>
    `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [${file}]\n`
  const text = `# plugins\n---\n${generator('a.conf')}---\n# another\n\n${generator('b.conf')}`
  const { places } = readPlugins(text)
  expect(places.map(({ text: place, region }) => [place, region.startLine])).toEqual([
    ['a.conf', 6],
    ['b.conf', 13],
  ])
})
