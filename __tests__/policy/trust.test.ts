import { describe, expect, test } from '@jest/globals'
import { checkJson, guard, lines } from '../cli/guard'
import { configMap, ingress, role } from '../source/objects'
import { type Files, TestRepository } from '../source/repository'

const file = '.github/ingress-guard.yaml'
const covered = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['b.example.com'])
const hole = 'introduced error head/web.yaml:11 ingress-tls/host-covered'
const exception = 'exceptions:\n  - {rule: "*", object: "*", reason: x, expires: 2099-12-31}\n'

function repository(base: Files, head: Files): TestRepository {
  const repo = new TestRepository()
  repo.commit({ 'web.yaml': covered, ...base })
  repo.commit({ 'web.yaml': holed, ...head })
  return repo
}

const judge = (repo: TestRepository, ...more: string[]) =>
  checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', ...more)

const weakening: [name: string, config: string][] = [
  ['an exception', `format: 1\n${exception}`],
  ['a level', 'format: 1\npolicies:\n  - use: ingress-tls\n    rules: {ingress-tls/host-covered: {level: off}}\n'],
  ['a shorter list of policies', 'format: 1\npolicies: [{use: protected-rbac}]\n'],
  ['ignored files', 'format: 1\nignore: ["*.yaml"]\n'],
  ['fail-on', 'format: 1\nfail-on: never\n'],
]

describe('settings that weaken come from the base alone', () => {
  test.each(weakening)('%s of the head does not help', async (_, config) => {
    const report = await judge(repository({}, { [file]: config }))
    expect(lines(report)).toEqual([`introduced notice head/${file}:1 config/changed`, hole])
    expect([report.verdict, report.status]).toEqual(['fail', 1])
  })

  test.each(weakening)('%s of the base does', async (_, config) => {
    const report = await judge(repository({ [file]: config }, {}))
    expect([report.verdict, report.status]).toEqual(['pass', 0])
  })

  test('a config that the head removes still holds, and the removal is reported', async () => {
    const report = await judge(repository({ [file]: `format: 1\n${exception}` }, { [file]: null }))
    expect(lines(report)).toEqual([`introduced notice base/${file}:1 config/changed`, hole])
    expect(report.findings[0]?.text).toBe(
      'This change removes the config of this gate. Its policies, levels, exceptions and ignored files take effect after the merge and were not applied to this run; the releases and clusters that it declares were.',
    )
    expect(report.findings[1]?.exception).toEqual({ reason: 'x', expires: '2099-12-31' })
    expect(report.verdict).toBe('pass')
  })

  test('--config names a file of the base', async () => {
    const repo = repository({}, { 'guard.yaml': 'format: 1\nfail-on: never\n' })
    expect(
      await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', '--config', 'guard.yaml']),
    ).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(
        /guard\.yaml: This file does not exist in HEAD~1 \([0-9a-f]{8}\); a config takes effect after it is merged\./,
      ),
    })
  })

  test('clusters that the head declares do not hide a removal', async () => {
    const view = role('view')
    const repo = new TestRepository()
    repo.commit({ 'clusters/a/rbac.yaml': view, 'clusters/b/rbac.yaml': view })
    repo.commit({ 'clusters/b/rbac.yaml': null, [file]: 'format: 1\nclusters: {all: {paths: ["**"]}}\n' })
    const report = await judge(repo)
    expect(lines(report)).toContain('introduced error base/clusters/b/rbac.yaml:1 protected-rbac/object-kept')
  })

  test('a copy put where no cluster is does not hide a removal', async () => {
    const repo = new TestRepository()
    repo.commit({ 'rbac/kcm.yaml': role('system:kube-controller-manager') })
    repo.commit({ 'rbac/kcm.yaml': null, 'overlays/junk/kcm.yaml': role('system:kube-controller-manager') })
    expect(lines(await judge(repo))).not.toEqual([])
  })
})

describe('a change of the config', () => {
  test('is reported at its first changed line', async () => {
    const report = await judge(
      repository({ [file]: 'format: 1\nignore: []\n' }, { [file]: 'format: 1\nignore: []\nfail-on: never\n' }),
    )
    expect(lines(report)).toEqual([`introduced notice head/${file}:3 config/changed`, hole])
    expect(report.findings[0]?.text).toBe(
      'This change changes the config of this gate. Its policies, levels, exceptions and ignored files take effect after the merge and were not applied to this run; the releases and clusters that it declares were.',
    )
  })

  test('that makes it invalid is an error at its line', async () => {
    const report = await judge(
      repository({ [file]: 'format: 1\n' }, { [file]: 'format: 1\n\nfail_on: never\n', 'web.yaml': covered }),
    )
    expect(lines(report)).toEqual([
      `introduced notice head/${file}:2 config/changed`,
      `introduced error head/${file}:3 config/invalid`,
    ])
    expect(report.findings[1]?.text).toBe(
      'The key `fail_on` is not allowed here; the keys are format, policies, fail-on, ignore, clusters, helm, network, source, exceptions. After the merge, every run would fail.',
    )
    expect(report.status).toBe(1)
  })

  test.each([
    ['an unknown policy', 'format: 1\npolicies: [{use: nothing-such}]\n', 2],
    ['no policy at all', 'format: 1\npolicies: []\n', 2],
    ['an unknown rule', 'format: 1\npolicies: [{use: ingress-tls, rules: {ingress-tls/x: {level: off}}}]\n', 2],
  ])('that would stop every run for its policies is an error too: %s', async (_, config, line) => {
    const report = await judge(repository({ [file]: 'format: 1\n' }, { [file]: config, 'web.yaml': covered }))
    expect(lines(report)).toContain(`introduced error head/${file}:${line} config/invalid`)
    expect(report.status).toBe(1)
  })

  test('that fixes an invalid one is judged by the bundled policies', async () => {
    const report = await judge(repository({ [file]: 'format: 7\n' }, { [file]: `format: 1\n${exception}` }))
    expect(lines(report)).toEqual([`introduced notice head/${file}:1 config/changed`, hole])
    expect(report.policies.map(({ name }) => name)).toEqual([
      'controller-scope',
      'ingress-tls',
      'protected-rbac',
      'version-matrix',
    ])
  })

  test('an invalid config that stays is an error of the run', async () => {
    const repo = repository({ [file]: 'format: 7\n' }, {})
    expect(await guard(['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'])).toEqual({
      status: 2,
      stdout: '',
      stderr: `ingress-guard could not run: ${file}:1:9: \`format\` must be 1, not 7.\n`,
    })
  })

  test('a config replaced by a symbolic link is no way round', async () => {
    const repo = repository(
      { [file]: 'format: 1\n' },
      { [file]: { link: '../other.yaml' }, 'other.yaml': 'format: 1\nfail-on: never\n' },
    )
    const report = await judge(repo)
    expect(lines(report)).toContain(hole)
    expect(report.status).toBe(1)
  })
})

describe('a change of a workflow', () => {
  const workflow = (action: string) => `on: pull_request\njobs:\n  guard:\n    steps:\n      - uses: ${action}\n`
  const path = '.github/workflows/guard.yml'
  const reported = `introduced notice head/${path}:1 config/changed`

  test.each<[string, string, string | null, string[]]>([
    [
      'that runs this gate is reported',
      workflow('example/ingress-guard@v1'),
      `${workflow('example/ingress-guard@v1')}# x\n`,
      [reported],
    ],
    [
      'that stops running it is reported',
      workflow('"example/ingress-guard@v1"'),
      workflow('actions/checkout@v5'),
      [reported],
    ],
    [
      'that goes away is reported',
      workflow('example/ingress-guard@v1'),
      null,
      [`introduced notice base/${path}:1 config/changed`],
    ],
    ['of something else is not', workflow('actions/checkout@v5'), `${workflow('actions/checkout@v5')}# x\n`, []],
  ])('%s', async (_, before, after, expected) => {
    const report = await judge(
      repository(
        { [path]: before, 'web.yaml': covered },
        { [path]: after, 'web.yaml': covered, 'a.yaml': configMap('a') },
      ),
    )
    expect(lines(report)).toEqual(expected)
    expect(report.verdict).toBe('pass')
  })
})
