import { describe, expect, test } from '@jest/globals'
import { kustomizationShape } from '../../src/sources/kustomize-fields'
import { readKustomizeText, readPlugins } from '../../src/sources/kustomize-reader'
import { patchEntriesIn } from '../../src/sources/patches'

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

describe('kustomize takes a key for a field in any case', () => {
  const read = (text: string) => readKustomizeText(text, kustomizationShape)

  test('in the form that it documents, with the files that the field names', () => {
    const { places, faults, keys, written } = read(
      'patchesJSON6902:\n  - Path: p.yaml\n    target: {Kind: Deployment, name: web}\nNamePrefix: a-\n',
    )
    expect(faults).toEqual([])
    expect(places).toMatchObject([{ text: 'p.yaml', field: 'patchesJson6902', region: { startLine: 2 } }])
    expect(keys).toEqual(['namePrefix', 'patchesJson6902'])
    expect(JSON.parse(written)).toEqual({
      patchesJson6902: [{ path: 'p.yaml', target: { kind: 'Deployment', name: 'web' } }],
      namePrefix: 'a-',
    })
  })

  test('of a chart, too', () => {
    expect(read('HelmCharts: [{Name: web, REPO: https://charts.example.com, Version: 1.2.0}]\n').charts).toMatchObject([
      { name: 'web', repo: 'https://charts.example.com', version: '1.2.0' },
    ])
  })

  test('but not a field twice, of which the last in byte order counts', () => {
    const { faults } = read('resources: [a.yaml]\nResources: [b.yaml]\nNAMEPREFIX: a-\nNamePrefix: b-\n')
    expect(faults).toMatchObject([
      { about: 'Resources', region: { startLine: 2 } },
      { about: 'NamePrefix', region: { startLine: 4 } },
    ])
  })
})

test('patches are listed from a field in another case', () => {
  const text =
    'patchesJSON6902:\n  - {Path: p.yaml, Target: {LabelSelector: app=web}}\n  - patch: |\n      - {op: remove, path: /a}\n'
  expect(patchEntriesIn(text)).toMatchObject([
    { path: 'p.yaml', target: { labelSelector: 'app=web' }, targetLine: 2, entryLine: 2 },
    { path: '', inline: '- {op: remove, path: /a}\n', line: 3 },
  ])
})
