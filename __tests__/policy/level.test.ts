import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { configMap, ingress } from '../source/objects'
import { TestRepository, temporaryFolder, writeFiles } from '../source/repository'

const file = '.github/ingress-guard.yaml'
const secret = (type: string, name: string) =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: shop}\ntype: ${type}\n`

/** Judges two holes whole: an uncovered host at line 11 of web.yaml, and a Secret of a wrong type at its line 8. */
async function judged(rules: string) {
  const folder = temporaryFolder()
  writeFiles(folder, {
    [file]: `format: 1\npolicies:\n  - use: ingress-tls\n    rules: ${rules}\n`,
    'web.yaml': ingress('web', ['a.example.com'], ['b.example.com']),
    'secret.yaml': secret('kubernetes.io/dockercfg', 'web-tls'),
  })
  const report = await checkJson('--all', '--head', folder)
  return [report.status, ...lines(report)]
}

const [host, type] = ['head/web.yaml:11 ingress-tls/host-covered', 'head/web.yaml:8 ingress-tls/secret-type']

describe('levels', () => {
  test.each<[string, (string | number)[]]>([
    ['{}', [1, `existing error ${type}`, `existing error ${host}`]],
    ['{ingress-tls/host-covered: {level: warning}}', [1, `existing error ${type}`, `existing warning ${host}`]],
    ['{ingress-tls/host-covered: {level: off}}', [1, `existing error ${type}`]],
    [
      '{ingress-tls/host-covered: {level: notice}, ingress-tls/secret-type: {level: warning}}',
      [0, `existing warning ${type}`, `existing notice ${host}`],
    ],
    ['{ingress-tls/secret-type: {levels: {wrongType: off}}}', [1, `existing error ${host}`]],
    [
      '{ingress-tls/secret-type: {levels: {missingKeys: off}}}',
      [1, `existing error ${type}`, `existing error ${host}`],
    ],
    [
      '{ingress-tls/secret-type: {level: off, levels: {wrongType: warning}}}',
      [1, `existing warning ${type}`, `existing error ${host}`],
    ],
    ['{ingress-tls/secret-type: {level: off}, ingress-tls/host-covered: {level: off}}', [0]],
  ])('%s', async (rules, expected) => {
    expect(await judged(rules)).toEqual(expected)
  })
})

test('a list among the params adds to the policy’s', async () => {
  const repo = new TestRepository()
  repo.commit({
    [file]: 'format: 1\npolicies:\n  - use: protected-rbac\n    params: {protect: [ConfigMap/mine-*]}\n',
    'a.yaml': configMap('mine-1'),
    'b.yaml': configMap('other'),
    'c.yaml': 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: view}\n',
  })
  repo.commit({ 'a.yaml': null, 'b.yaml': null, 'c.yaml': null })
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(lines(report)).toEqual([
    'introduced error base/a.yaml:1 protected-rbac/object-kept',
    'introduced error base/c.yaml:1 protected-rbac/object-kept',
  ])
  expect(report.findings[0]?.text).toMatch(
    /^This change removes ConfigMap mine-1, which `protect` covers \(ConfigMap\/mine-\*\)\. /,
  )
})

test('a param of one rule adds as well', async () => {
  const repo = new TestRepository()
  repo.commit({
    [file]:
      'format: 1\npolicies:\n  - use: protected-rbac\n    params: {protect: [ConfigMap/a]}\n    rules:\n      protected-rbac/object-kept:\n        params: {protect: [ConfigMap/b]}\n',
    'a.yaml': configMap('a'),
    'b.yaml': configMap('b'),
  })
  repo.commit({ 'a.yaml': null, 'b.yaml': null })
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(lines(report)).toEqual([
    'introduced error base/a.yaml:1 protected-rbac/object-kept',
    'introduced error base/b.yaml:1 protected-rbac/object-kept',
  ])
})

test('fail-on of the config, and of the command line over it', async () => {
  const folder = temporaryFolder()
  writeFiles(folder, {
    [file]: 'format: 1\nfail-on: never\n',
    'web.yaml': ingress('web', ['a.example.com'], ['b.example.com']),
  })
  expect((await checkJson('--all', '--head', folder)).status).toBe(0)
  expect((await checkJson('--all', '--head', folder, '--fail-on', 'error')).status).toBe(1)
})
