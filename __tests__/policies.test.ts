import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import semver from 'semver'
import { bundledPolicies } from '../src/host/bundled'
import { findFailure, readOwnDocument } from '../src/policy/document'
import { type Policy, resolvePolicies } from '../src/policy/policy'
import { PolicyFile } from '../src/policy/schema'
import { rules } from '../src/rules/index'
import { root } from './harness'

const policies = bundledPolicies(root)
const released = JSON.parse(readFileSync(path.join(root, 'policies', 'released.json'), 'utf8')) as Record<
  string,
  string
>

const isCandidate = ({ file }: Policy) => semver.prerelease(file.version) !== null
/** All but candidates that are still worked on, which have no hash. */
const frozen = policies.filter((policy) => !isCandidate(policy) || released[policy.path] !== undefined)

test.each(policies.map((policy) => [policy.path, policy] as const))(
  '%s is called like its version',
  (_, { name, version, file }) => {
    expect([name, version]).toEqual([file.policy, file.version])
  },
)

test('dist has each policy as a value, by its text, so that no run parses it', () => {
  const bundle = readFileSync(path.join(root, 'dist', 'core.cjs'), 'utf8')
  for (const { path: file } of policies) {
    const digest = createHash('sha1')
      .update(readFileSync(path.join(root, file)))
      .digest('hex')
    expect([file, bundle.includes(digest)]).toEqual([file, true])
  }
})

// A run reads them without this.
test.each(policies.map((policy) => [policy.path, policy] as const))('%s fits its schema', (file, { name, version }) => {
  const text = readFileSync(path.join(root, file), 'utf8')
  expect(readOwnDocument(text, file, PolicyFile, 'policy').value).toMatchObject({ policy: name, version })
})

test.each(policies.map((policy) => [policy.path, policy] as const))('%s gives each rule its params', (_, policy) => {
  const { rules: active } = resolvePolicies([{ use: `${policy.name}@${policy.version}` }], policies, rules)
  expect(active.map(({ rule }) => rule.id)).toEqual(Object.keys(policy.file.rules))
  for (const { rule, params } of active) expect(rule.params && findFailure(rule.params, params)).toBeUndefined()
})

test.each(frozen.map(({ path }) => path))('%s is as it was released', (file) => {
  const hash = createHash('sha256')
    .update(readFileSync(path.join(root, file)))
    .digest('hex')
  const advice = released[file]
    ? `${file} was released and has changed: copy it to a new version.`
    : `${file} has no hash: npm run release-policy writes it.`
  expect(released[file] === hash ? 'as released' : advice).toBe('as released')
})

test('no released policy is gone', () => {
  expect(frozen.map((policy) => policy.path)).toEqual(Object.keys(released))
})

test('the newest version of some policy has each rule, since the version the rule names', () => {
  for (const rule of rules) {
    const having = policies.filter(({ file }) => rule.id in file.rules).map(({ file }) => file.version)
    expect([rule.id, semver.sort(having)[0]?.replace(/-.*/, '')]).toEqual([rule.id, rule.since])
  }
})

test('a range takes releases alone; a candidate is in force where it is named', () => {
  const newest = (use: string) => resolvePolicies([{ use }], policies, rules).policies.map(({ version }) => version)
  const releases = policies
    .filter((policy) => policy.file.policy === 'ingress-tls' && !isCandidate(policy))
    .map(({ file }) => file.version)
  const newestRelease = semver.rsort(releases)[0]
  expect(newest('ingress-tls@^1')).toEqual([newestRelease])
  expect(newest('ingress-tls')).toEqual([newestRelease])
  expect(newest('ingress-tls@~1.1')).toEqual(['1.1.0'])
  expect(newest('ingress-tls@1.0.0')).toEqual(['1.0.0'])
  expect(newest('ingress-tls@1.1.0-rc.1')).toEqual(['1.1.0-rc.1'])
})

test('a released policy states no message that came later', () => {
  const { rules: active } = resolvePolicies([{ use: 'ingress-tls@1.0.0' }], policies, rules)
  const levels = active.flatMap(({ rule, levelOf }) => Object.keys(rule.messages).filter((message) => levelOf(message)))
  expect(levels).toEqual(['uncovered', 'wrongType', 'missingKeys', 'generatedName'])
})
