import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { compare } from 'semver'
import { checkJson, guard } from '../cli/guard'
import { root } from '../harness'
import { configMap } from '../source/objects'
import { temporaryFolder, writeFiles } from '../source/repository'

const file = '.github/ingress-guard.yaml'

function folderWith(config: string): string {
  const folder = temporaryFolder()
  writeFiles(folder, { [file]: config, 'a.yaml': configMap('a') })
  return folder
}

/** The versions of a policy, a candidate among them. */
const versions = readdirSync(path.join(root, 'policies', 'ingress-tls'))
  .map((name) => name.replace(/\.yaml$/, ''))
  .sort(compare)
  .join(', ')

const keys = 'format, policies, fail-on, ignore, clusters, helm, network, source, exceptions'
const exceptionKeys = 'rule, object, path, cluster, keys, reason, expires'
const exception = (more: string) => `format: 1\nexceptions:\n  - ${more}\n`
const use = (more: string) => `format: 1\npolicies:\n  - use: ingress-tls@1.0.0\n${more}`
const bomb = Array.from(
  { length: 20 },
  (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]`,
)

describe('a config that is wrong ends the run with status 2, at its line', () => {
  test.each<[name: string, config: string, sentence: string]>([
    ['an unknown key', 'format: 1\npolicy: []\n', `2:1: The key \`policy\` is not allowed here; the keys are ${keys}.`],
    ['no format', 'policies: []\n', `1:1: The file lacks the key \`format\`; the keys are ${keys}.`],
    ['another format', 'format: 2\n', '1:9: `format` must be 1, not 2.'],
    ['a wrong type', 'format: 1\nignore: vendor/**\n', '2:9: `ignore` must be a list, not "vendor/**".'],
    ['a wrong item', 'format: 1\nignore: [a, 7]\n', '2:13: `ignore[1]` must be a string, not 7; quote it.'],
    [
      'an unknown level',
      'format: 1\nfail-on: fatal\n',
      '2:10: `fail-on` must be one of error, warning, notice, never, not "fatal".',
    ],
    ['a list', '- a\n', '1:1: The file must be a map, not a list.'],
    ['no YAML', 'format: 1\n\tx: y\n', '2:1: This file is not valid YAML: tabs are not allowed as indentation.'],
    ['a key twice', 'format: 1\nformat: 1\n', '2:1: This file is not valid YAML: a key is written twice in one map.'],
    [
      'two documents',
      'format: 1\n---\nformat: 1\n',
      '2:1: This file is not valid YAML: it has more than one document; write one.',
    ],
    [
      'an alias bomb',
      `format: 1\nl0: &l0 [x]\n${bomb.join('\n')}\n`,
      '1:1: Its aliases expand endlessly; write the values out.',
    ],
    ['an alias of nothing', 'format: 1\nignore: *nothing\n', '2:9: The alias *nothing has no anchor.'],
    [
      'no policy at all',
      'format: 1\npolicies: []\n',
      '2:11: No policy is selected, so the gate would pass every change. Name at least one under `policies:`, or remove the key to use all of them.',
    ],
    [
      'an unknown policy',
      'format: 1\npolicies:\n  - use: ingress-tsl@^1\n',
      '3:10: The policy "ingress-tsl" does not exist. Did you mean ingress-tls? The policies are controller-scope, ingress-tls, protected-rbac, version-matrix.',
    ],
    [
      'a policy without use',
      'format: 1\npolicies:\n  - rules: {}\n',
      '3:5: `policies[0]` lacks the key `use`; the keys are use, params, rules.',
    ],
    [
      'a policy as a string',
      'format: 1\npolicies: [ingress-tls]\n',
      '2:12: `policies[0]` must be a map, not "ingress-tls".',
    ],
    [
      'a bad range',
      'format: 1\npolicies:\n  - use: ingress-tls@next week\n',
      '3:10: "next week" is not a valid semver range; write for example ingress-tls@^1.',
    ],
    [
      'a range with no version',
      'format: 1\npolicies:\n  - use: ingress-tls@^7\n',
      `3:10: No version of ingress-tls is in ^7; the versions are ${versions}.`,
    ],
    [
      'a policy twice',
      use('  - use: ingress-tls\n'),
      '4:10: The policy ingress-tls is used twice; merge the two entries.',
    ],
    [
      'an unknown rule',
      use('    rules:\n      ingress-tls/host-coverd: {level: off}\n'),
      '5:7: ingress-tls 1.0.0 has no rule "ingress-tls/host-coverd". Did you mean ingress-tls/host-covered? `ingress-guard rules` lists all.',
    ],
    [
      'an unknown message',
      use('    rules:\n      ingress-tls/host-covered:\n        levels: {missing: off}\n'),
      '6:18: ingress-tls/host-covered has no message "missing"; its messages are uncovered.',
    ],
    [
      'an unknown level of a rule',
      use('    rules:\n      ingress-tls/host-covered: {level: none}\n'),
      '5:41: `policies[0].rules.ingress-tls/host-covered.level` must be one of error, warning, notice, off, not "none".',
    ],
    [
      'an unknown param of a policy',
      use('    params: {protect: []}\n'),
      '4:14: ingress-tls has no param "protect"; it has no params.',
    ],
    [
      'an unknown param of a rule',
      'format: 1\npolicies:\n  - use: protected-rbac\n    rules:\n      protected-rbac/object-kept:\n        params: {protekt: []}\n',
      '6:18: protected-rbac/object-kept has no param "protekt"; its params are protect.',
    ],
    [
      'a param of a wrong type',
      'format: 1\npolicies:\n  - use: protected-rbac\n    params: {protect: [7]}\n',
      '4:24: The params of protected-rbac/object-kept are not valid. `protect[0]` must be a string or a map, not 7.',
    ],
    [
      'a bad glob in a param',
      'format: 1\npolicies:\n  - use: protected-rbac\n    params:\n      protect: [system:*]\n',
      '5:17: The params of protected-rbac/object-kept are not valid. `protect[0]` is "system:*", which does not have the required form: Kind/namespace/name or Kind/name; globs allowed.',
    ],
    [
      'an impossible day',
      exception('{rule: "*", object: "*", reason: x, expires: 2026-02-30}'),
      '3:50: `exceptions[0].expires` must be an existing date (YYYY-MM-DD), not "2026-02-30".',
    ],
    [
      'a day in words',
      exception('{rule: "*", object: "*", reason: x, expires: never}'),
      '3:50: `exceptions[0].expires` must be an existing date (YYYY-MM-DD), not "never".',
    ],
    [
      'no day',
      exception('{rule: "*", object: "*", reason: x}'),
      `3:5: \`exceptions[0]\` lacks the key \`expires\`; the keys are ${exceptionKeys}.`,
    ],
    [
      'no reason',
      exception('{rule: "*", object: "*", expires: 2026-12-31}'),
      `3:5: \`exceptions[0]\` lacks the key \`reason\`; the keys are ${exceptionKeys}.`,
    ],
    [
      'an empty reason',
      exception('{rule: "*", object: "*", reason: "", expires: 2026-12-31}'),
      '3:38: `exceptions[0].reason` is empty.',
    ],
    [
      'a bad glob of objects',
      exception('{rule: "*", object: a/b/c/d, reason: x, expires: 2026-12-31}'),
      '3:25: `exceptions[0].object` is "a/b/c/d", which does not have the required form: Kind/namespace/name or Kind/name; globs allowed.',
    ],
    [
      'a bad rule',
      exception('{rule: host-covered, object: "*", reason: x, expires: 2026-12-31}'),
      '3:12: `exceptions[0].rule` is "host-covered", which does not have the required form: A rule, or policy/* for all of a policy’s.',
    ],
    [
      'an unknown key of an exception',
      exception('{rule: "*", object: "*", reason: x, expires: 2026-12-31, until: x}'),
      `3:62: The key \`until\` is not allowed here; the keys are ${exceptionKeys}.`,
    ],
    ['a cluster without a fact', 'format: 1\nclusters:\n  prod: {}\n', '3:9: `clusters.prod` is empty.'],
    [
      'a version that is a number',
      'format: 1\nclusters:\n  prod: {kubernetes: 1.30}\n',
      '3:22: `clusters.prod.kubernetes` must be a string, not 1.3; quote it.',
    ],
    [
      'a version of words',
      'format: 1\nclusters:\n  prod: {kubernetes: latest}\n',
      '3:22: `clusters.prod.kubernetes` is "latest", which does not have the required form: The version of its API server, in quotes: "1.30" or "v1.30.4".',
    ],
    [
      'an exception without objects',
      'format: 1\nexceptions:\n  - {rule: ingress-tls/host-covered, reason: a, expires: 2027-01-01}\n',
      '3:5: An exception needs `object:`, the objects it is for: Kind/namespace/name.',
    ],
    [
      'an exception of files from a rule of objects',
      'format: 1\nexceptions:\n  - {rule: ingress-tls/host-covered, path: a, object: Ingress/a, reason: a, expires: 2027-01-01}\n',
      '3:5: Only an exception from source/not-judged takes `path:`; give `object:` here.',
    ],
    [
      'an exception of objects from a rule of files',
      'format: 1\nexceptions:\n  - {rule: source/not-judged, object: Ingress/a, reason: a, expires: 2027-01-01}\n',
      '3:5: An exception from source/not-judged needs `path:`, a glob of files, in place of `object:`.',
    ],
    [
      'a level that is none',
      'format: 1\nsource: {not-judged: {level: off}}\n',
      '2:30: `source.not-judged.level` must be one of error, warning, notice, not "off".',
    ],
    ['a cluster with no path', 'format: 1\nclusters:\n  prod: {paths: []}\n', '3:17: `clusters.prod.paths` is empty.'],
  ])('%s', async (_, config, sentence) => {
    expect(await guard(['check', '--all', '--head', folderWith(config)])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ingress-guard could not run: ${file}:${sentence}\n`,
    })
  })
})

describe('the file is YAML 1.2', () => {
  test('off is a word, and so is a day', async () => {
    const folder = folderWith(
      use('    rules: {ingress-tls/host-covered: {level: off}}\n') +
        'exceptions:\n  - rule: "*"\n    object: "*"\n    reason: x\n    expires: 2026-12-31\n',
    )
    const report = await checkJson('--all', '--head', folder)
    expect(report.policies).toEqual([{ name: 'ingress-tls', version: '1.0.0', requested: '1.0.0' }])
  })
})

describe('--config and --policy', () => {
  test('an absolute path is the operator’s', async () => {
    const [head, own] = [folderWith('format: 7\n'), temporaryFolder()]
    writeFiles(own, { 'mine.yaml': 'format: 1\npolicies: [{use: protected-rbac}]\n' })
    const report = await checkJson('--all', '--head', head, '--config', `${own}/mine.yaml`)
    expect(report.policies.map(({ name }) => name)).toEqual(['protected-rbac'])
  })

  test.each([
    [
      '/nowhere/guard.yaml',
      '/nowhere/guard.yaml: This config does not exist or cannot be read. Name a file that exists.',
    ],
    ['guard.yaml', 'guard.yaml: This file does not exist in HEAD; a config takes effect after it is merged.'],
  ])('%s that is not there', async (named, sentence) => {
    const head = folderWith('format: 1\n')
    expect(await guard(['check', '--all', '--head', head, '--config', named])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ingress-guard could not run: ${sentence.replace('HEAD', head)}\n`,
    })
  })

  test.each([
    [
      'nothing-such',
      'The policy "nothing-such" does not exist. The policies are controller-scope, ingress-tls, protected-rbac, version-matrix.',
    ],
    ['ingress-tls@x y', '"x y" is not a valid semver range; write for example ingress-tls@^1.'],
    ['ingress-tls@2', `No version of ingress-tls is in 2; the versions are ${versions}.`],
  ])('--policy %s', async (policy, sentence) => {
    expect(await guard(['check', '--all', '--head', folderWith('format: 1\n'), '--policy', policy])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ingress-guard could not run: ${sentence}\n`,
    })
  })
})
