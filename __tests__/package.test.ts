import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { root } from './harness'
import { gitSettings, temporaryFolder } from './source/repository'
import { tool } from './tools'

const folder = temporaryFolder()
const options = { cwd: folder, encoding: 'utf8', env: { ...process.env, ...gitSettings } } as const
const [tarball = ''] = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
  ...options,
  cwd: root,
})
  .trim()
  .split('\n')
  .slice(-1)
writeFileSync(path.join(folder, 'package.json'), '{}')
execFileSync('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`], options)

test('the package is one package, under 2 MB packed', () => {
  expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'ingress-guard',
  ])
  expect(statSync(path.join(folder, tarball)).size).toBeLessThan(2_000_000)
})

test.each([
  ['this Node', process.execPath],
  ['Node 24', tool('node24')],
])('with %s, its demo stops the outages', (_, node) => {
  const bin = path.join(folder, 'node_modules', '.bin', 'ingress-guard')
  const { status, stdout, stderr } = spawnSync(node, [bin, 'demo'], options)
  expect(stderr).toBe('')
  expect(stdout).toContain('error ingress-tls/secret-type teams/orders/ingress.yaml:12:19')
  expect(status).toBe(0)
})
