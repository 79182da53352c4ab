import path from 'node:path'
import { expect, test } from '@jest/globals'
import { guardOnline } from '../cli/guard'
import { countingTool } from '../source/counting'
import { configMap } from '../source/objects'
import { TestRepository, temporaryFolder } from '../source/repository'
import { changeOnline, helmRelease, serveCharts } from './charts'

const files = { 'templates/map.yaml': configMap('map') }
const charts = serveCharts({ web: { '1.0.0': files, '1.1.0': files } })

const release = (name: string, version: string) => helmRelease(name, { chart: 'web', version })
const releases = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`apps/${index}.yaml`, release(`app-${index}`, '1.0.0')]),
)

test('of 300 releases of one repository a bump of one asks for the index once and for two archives', async () => {
  const helm = countingTool('helm')
  const base = { ...charts.used(), ...releases }
  await changeOnline(base, { 'apps/7.yaml': release('app-7', '1.1.0') }, '--helm', helm.program)
  expect([...charts.asked].sort()).toEqual(['/charts/index.yaml', '/charts/web-1.0.0.tgz', '/charts/web-1.1.0.tgz'])
  expect(helm.count('template')).toBe(2)
})

test('a chart that several releases take at one version is fetched once', async () => {
  charts.asked.length = 0
  const base = charts.used()
  await changeOnline(base, { 'a.yaml': release('a', '1.1.0'), 'b.yaml': release('b', '1.1.0') })
  expect(charts.asked).toEqual(['/charts/index.yaml', '/charts/web-1.1.0.tgz'])
})

test('a cache keeps what was fetched and rendered for the next run', async () => {
  charts.asked.length = 0
  const helm = countingTool('helm')
  const cache = temporaryFolder()
  const base = { ...charts.used(), 'a.yaml': release('a', '1.0.0') }
  for (const _ of [1, 2])
    await changeOnline(base, { 'a.yaml': release('a', '1.1.0') }, '--cache', cache, '--helm', helm.program)
  expect(helm.count('template')).toBe(2)
  expect([...charts.asked].sort()).toEqual(['/charts/index.yaml', '/charts/web-1.0.0.tgz', '/charts/web-1.1.0.tgz'])
})

test('a cache inside of the checkout is refused', async () => {
  const repo = new TestRepository()
  repo.commit({ 'a.yaml': configMap('a') })
  const { status, stderr } = await guardOnline([
    'check',
    '--repo',
    repo.dir,
    '--cache',
    path.join(repo.dir, 'cache/charts'),
  ])
  expect(status).toBe(2)
  expect(stderr).toContain('is inside of the checkout, where a change could write to it')
})
