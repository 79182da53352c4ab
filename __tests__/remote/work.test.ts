import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { guardOnline } from '../cli/guard'
import type { Server } from '../fetch/servers'
import { configMap } from '../source/objects'
import { TestRepository, temporaryFolder } from '../source/repository'
import { tool } from '../tools'
import { allowing, changeOnline, chartRepository, helmRelease, helmRepository, urlOf } from './charts'

const files = { 'templates/map.yaml': configMap('map') }
let server: Server
let url: string
beforeAll(async () => {
  server = await chartRepository({ web: { '1.0.0': files, '1.1.0': files } })
  url = urlOf(server)
})
afterAll(() => server.close())

/** A helm that takes note of each rendering. */
function counting(): { helm: string; renderings: () => number } {
  const folder = temporaryFolder()
  const [helm, log] = [path.join(folder, 'helm'), path.join(folder, 'log')]
  writeFileSync(helm, `#!/bin/sh\necho "$1" >> '${log}'\nexec '${tool('helm')}' "$@"\n`)
  chmodSync(helm, 0o755)
  return {
    helm,
    renderings: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((line) => line === 'template').length
        : 0,
  }
}

const release = (name: string, version: string) => helmRelease(name, { chart: 'web', version })
const releases = Object.fromEntries(
  Array.from({ length: 300 }, (_, index) => [`apps/${index}.yaml`, release(`app-${index}`, '1.0.0')]),
)

test('of 300 releases of one repository a bump of one asks for the index once and for two archives', async () => {
  const { helm, renderings } = counting()
  const base = { ...allowing(url), 'charts.yaml': helmRepository(url), ...releases }
  await changeOnline(base, { 'apps/7.yaml': release('app-7', '1.1.0') }, '--helm', helm)
  expect([...server.asked].sort()).toEqual(['/charts/index.yaml', '/charts/web-1.0.0.tgz', '/charts/web-1.1.0.tgz'])
  expect(renderings()).toBe(2)
})

test('a chart that several releases take at one version is fetched once', async () => {
  server.asked.length = 0
  const base = { ...allowing(url), 'charts.yaml': helmRepository(url) }
  await changeOnline(base, { 'a.yaml': release('a', '1.1.0'), 'b.yaml': release('b', '1.1.0') })
  expect(server.asked).toEqual(['/charts/index.yaml', '/charts/web-1.1.0.tgz'])
})

test('a cache keeps what was fetched for the next run', async () => {
  server.asked.length = 0
  const cache = temporaryFolder()
  const base = { ...allowing(url), 'charts.yaml': helmRepository(url), 'a.yaml': release('a', '1.0.0') }
  for (const _ of [1, 2]) await changeOnline(base, { 'a.yaml': release('a', '1.1.0') }, '--cache', cache)
  expect(server.asked.filter((asked) => asked.endsWith('.tgz')).sort()).toEqual([
    '/charts/web-1.0.0.tgz',
    '/charts/web-1.1.0.tgz',
  ])
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
