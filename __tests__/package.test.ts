import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { binFolder } from '../scripts/pinned-tools'
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

const npx = realpathSync(execFileSync('which', ['npx'], { encoding: 'utf8' }).trim())

test('the package is one package, under 2 MB packed', () => {
  expect(readdirSync(path.join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    'ingress-guard',
  ])
  expect(statSync(path.join(folder, tarball)).size).toBeLessThan(2_000_000)
})

test.each([20, 22, 24])('with Node %d, npx runs its demo, which stops the outages', (major) => {
  // npx itself needs a newer Node than the package does; it starts the command it finds with the first `node` of the
  // PATH.
  const bin = path.join(folder, `bin-${major}`)
  mkdirSync(bin)
  symlinkSync(path.resolve(binFolder, tool(`node${major}`)), path.join(bin, 'node'))
  const env = { ...options.env, npm_config_loglevel: 'error', PATH: `${bin}${path.delimiter}${process.env.PATH}` }
  const version = execFileSync('node', ['--version'], { ...options, env })
  const { status, stdout, stderr } = spawnSync(process.execPath, [npx, '--offline', 'ingress-guard', 'demo'], {
    ...options,
    env,
  })
  expect(version).toMatch(new RegExp(`^v${major}\\.`))
  expect(stderr).toBe('')
  expect(stdout).toContain('error ingress-tls/controller-crash teams/orders/ingress.yaml:21:13')
  expect(status).toBe(0)
})
