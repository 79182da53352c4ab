// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { expect, test } from '@jest/globals'
import { application, chart, discovered, many, variablesOf, wide } from './discovered'
import { kustomization, repository } from './flux-objects'
import { whole } from './probe'

test('renderings of one round count, all of them', async () => {
  const files = { ...chart, 'root.yaml': many(12, (index) => application(`app-${index}`, 'apps')) }
  const { rendered, listed } = await discovered(files, { ...wide, renderings: 5 }, () => '')
  expect(rendered).toHaveLength(5)
  expect(listed.map(({ cause }) => cause)).toEqual(Array(7).fill('too-many'))
  expect(listed[0]?.reason).toContain('its rendering is not searched for further deployers, as 5 renderings were')
})

test('a rendering that brings two of itself ends', async () => {
  const files = { ...chart, 'root.yaml': application('a', 'apps') }
  const twice = (release: string) => many(2, (index) => application(`${release}${index}`, 'apps'))
  const byDepth = await discovered(files, { ...wide, depth: 3 }, twice)
  expect(byDepth.rendered).toHaveLength(1 + 2 + 4 + 8)
  expect(byDepth.listed.map(({ cause }) => cause)).toEqual(Array(16).fill('too-deep'))
  const byCount = await discovered(files, { ...wide, renderings: 10 }, twice)
  expect(byCount.rendered).toHaveLength(10)
  expect(new Set(byCount.listed.map(({ cause }) => cause))).toEqual(new Set(['too-many']))
})

test('the objects that renderings bring count', async () => {
  const files = { ...chart, 'root.yaml': application('a', 'apps') }
  const { rendered, listed } = await discovered(files, { ...wide, objects: 20 }, (release) =>
    release === 'a' ? many(30, (index) => application(`b${index}`, 'apps')) : '',
  )
  expect(rendered).toHaveLength(1)
  expect(listed).toHaveLength(30)
})

test('each of many Applications is a source, however few are searched', async () => {
  const files = { ...chart, 'root.yaml': many(300, (index) => application(`app-${index}`, 'apps')) }
  const { rendered, sources } = await discovered(files, { ...wide, renderings: 3 }, () => '')
  expect([rendered.length, sources.length]).toEqual([3, 300])
})

test.each([
  ['${UP}', undefined],
  ['${UP}/outside', 'outside'],
  ['apps/${UP}', undefined],
  ['${NONE:=../..}/outside', 'outside'],
  ['./${UP}/../apps', 'apps'],
])('a path of Flux that its variables lead above the repository stops at its root: %s', async (written, missing) => {
  const parent = kustomization('parent', './clusters', "postBuild: {substitute: {UP: '../..'}}")
  const files = {
    'flux.yaml': `${repository()}---\n${parent}`,
    'clusters/kustomization.yaml': 'resources: [child.yaml]\n',
    'clusters/child.yaml': kustomization('child', written),
  }
  const { inspected } = await whole(files)
  const listed = `clusters/child.yaml: Kustomization flux-system/child: there is no folder ${missing} in this repository`
  expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual(missing ? [listed] : [])
})

test('the values of many ConfigMaps, the last one over the others', async () => {
  expect(await variablesOf(60)).toMatchObject({ substitutions: { FOLDER: 'team-59' } })
})
