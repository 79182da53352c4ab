import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import semver from 'semver'
import { bundledPolicies } from '../../src/host/bundled'
import { root } from '../harness'
import { temporaryFolder } from '../source/repository'

const id = 'ingress-tls/class-named'

/** A copy of the package that is worked on, with the dependencies of this one. */
function copy(): string {
  const folder = temporaryFolder()
  const files = execFileSync('git', ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter((name) => name !== '' && !name.startsWith('dist/')))
    if (existsSync(path.join(root, file))) cpSync(path.join(root, file), path.join(folder, file))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  return folder
}

/** Runs a script of the package in a folder, and throws with its output when it fails. */
function npm(folder: string, ...args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', ...args], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm run ${args.join(' ')} ended with status ${status}: ${stdout}${stderr}`)
}

/** The tests of rules and policies that are red in a folder. */
function red(folder: string): string[] {
  const file = path.join(folder, 'results.json')
  const args = ['test', '--', '__tests__/rules.test.ts', '__tests__/policies.test.ts', '--json', '--outputFile', file]
  spawnSync('npm', args, { cwd: folder })
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as {
    testResults: { message: string; assertionResults: { status: string; fullName: string }[] }[]
  }
  expect(testResults).toHaveLength(2)
  return testResults.flatMap(({ message, assertionResults }) =>
    assertionResults.length === 0
      ? [message]
      : assertionResults.filter(({ status }) => status !== 'passed').map(({ fullName }) => fullName),
  )
}

/** The newest version of the policy in a folder. */
function newest(folder: string): string {
  const versions = bundledPolicies(folder).filter(({ file }) => file.policy === 'ingress-tls')
  return semver.rsort(versions.map(({ file }) => file.version))[0] ?? ''
}

test('a new rule is one red fixture, then the rule alone makes it green, and it is released', () => {
  const folder = copy()
  const before = newest(folder)
  npm(folder, 'new-rule', '--', id)
  expect(newest(folder)).toBe(`${semver.inc(before, 'minor')}-rc.1`)
  npm(folder, 'lint')
  npm(folder, 'types')
  expect(red(folder)).toEqual([`${id} fires.yaml`])

  const file = path.join(folder, 'src', 'rules', `${id}.ts`)
  writeFileSync(file, readFileSync(file, 'utf8').replace('theFieldYouRead', 'ingressClassName'))
  expect(red(folder)).toEqual([])

  npm(folder, 'new-rule', '--', 'ingress-tls/port-named')
  expect(newest(folder)).toBe(`${semver.inc(before, 'minor')}-rc.1`)
  expect(red(folder)).toEqual(['ingress-tls/port-named fires.yaml'])
  const second = path.join(folder, 'src', 'rules', 'ingress-tls', 'port-named.ts')
  writeFileSync(second, readFileSync(second, 'utf8').replace('theFieldYouRead', 'ingressClassName'))

  npm(folder, 'release-policy')
  expect(newest(folder)).toBe(semver.inc(before, 'minor'))
  expect(red(folder)).toEqual([])
})
