import { describe, expect, test } from '@jest/globals'
import { checkJson, checkOpened, guard, lines } from '../cli/guard'
import { opened } from '../source/in-memory'
import { configMap, ingress, role, stream } from '../source/objects'
import { TestRepository } from '../source/repository'

const file = '.github/ingress-guard.yaml'
const covered = ingress('web', ['a.example.com'], ['a.example.com'])
const holed = ingress('web', ['a.example.com'], ['b.example.com'])
const hole = 'introduced error head/web.yaml:11 ingress-tls/host-covered'

const config = (exception: string) => `format: 1\nexceptions:\n  - ${exception}\n`

/** Judges a change that opens a hole in `web.yaml`, with this config at the base, on 2026-11-21. */
async function judged(text: string, base = 'web.yaml', more: readonly string[] = []) {
  return checkOpened(opened({ [file]: text, [base]: covered }, { [base]: holed }), ...more)
}

const exceptionOf = (rule: string, object: string, more = '') =>
  config(`{rule: "${rule}", object: "${object}", reason: moving hosts, expires: 2026-11-21${more}}`)

describe('an exception covers', () => {
  test.each([
    ['ingress-tls/host-covered', 'Ingress/shop/web'],
    ['ingress-tls/*', 'Ingress/shop/web'],
    ['*', 'Ingress/shop/web'],
    ['*', '*'],
    ['ingress-tls/host-covered', 'Ingress/*/web'],
    ['ingress-tls/host-covered', 'Ingress/shop/*'],
    ['ingress-tls/host-covered', 'Ingress/shop/{web,app}'],
    ['ingress-tls/host-covered', '*/*/*'],
  ])('%s for %s, on its last day', async (rule, object) => {
    const report = await judged(exceptionOf(rule, object))
    expect(lines(report)).toEqual([hole])
    expect(report.findings[0]?.exception).toEqual({ reason: 'moving hosts', expires: '2026-11-21' })
    expect([report.verdict, report.status]).toEqual(['pass', 0])
  })

  test.each([
    ['protected-rbac/*', 'Ingress/shop/web'],
    ['ingress-tls/secret-type', 'Ingress/shop/web'],
    ['ingress-tls/host-covered', 'Ingress/web'],
    ['ingress-tls/host-covered', 'Ingress/other/web'],
    ['ingress-tls/host-covered', 'Secret/shop/web'],
    ['ingress-tls/host-covered', 'Ingress/shop/w'],
  ])('nothing here as %s for %s, which is reported', async (rule, object) => {
    const report = await judged(exceptionOf(rule, object))
    expect(lines(report)).toEqual([`existing notice base/${file}:3 config/exception-unused`, hole])
    expect(report.findings[0]?.text).toBe(
      `The exception from ${rule} for ${object} covers no finding here. Remove it if it is no longer needed.`,
    )
    expect(report.status).toBe(1)
  })

  test('one cluster’s object alone', async () => {
    const text = exceptionOf('*', '*', ', cluster: clusters/lab')
    expect((await judged(text, 'clusters/lab/web.yaml')).status).toBe(0)
    const report = await judged(text, 'clusters/prod/web.yaml')
    expect(lines(report)).toEqual([
      `existing notice base/${file}:3 config/exception-unused`,
      'introduced error head/clusters/prod/web.yaml:11 ingress-tls/host-covered',
    ])
    expect(report.status).toBe(1)
  })

  test('one of two clusters that hold the same file, and not the other', async () => {
    const clusters = 'clusters: {lab: {paths: [web.yaml]}, prod: {paths: [web.yaml]}}\n'
    const report = await judged(exceptionOf('*', '*', ', cluster: lab') + clusters)
    expect(report.status).toBe(1)
    expect(
      report.findings.map(({ exception, sources }) => [exception?.reason, sources.map(({ cluster }) => cluster)]),
    ).toEqual(
      expect.arrayContaining([
        ['moving hosts', ['lab']],
        [undefined, ['prod']],
      ]),
    )
  })
})

describe('an exception past its day', () => {
  test('counts no more, and is reported as a warning', async () => {
    const report = await judged(exceptionOf('*', '*'), 'web.yaml', ['--today', '2026-11-22'])
    expect(lines(report)).toEqual([`introduced warning base/${file}:3 config/exception-expired`, hole])
    expect(report.findings[0]?.text).toBe(
      'The exception from * for * expired after 2026-11-21, so its findings count again. Remove it, or renew it with a later date.',
    )
    expect(report.status).toBe(1)
  })

  test('that would cover nothing fails nothing', async () => {
    const report = await judged(exceptionOf('*', 'Secret/a/b'), 'web.yaml', [
      '--today',
      '2026-11-22',
      '--policy',
      'protected-rbac',
      '--fail-on',
      'warning',
    ])
    expect(lines(report)).toEqual([`existing warning base/${file}:3 config/exception-expired`])
    expect(report.status).toBe(0)
  })

  test('is no matter where another one holds', async () => {
    const text = `${exceptionOf('*', '*')}  - {rule: "*", object: "*", reason: again, expires: 2026-12-31}\n`
    const report = await judged(text, 'web.yaml', ['--today', '2026-11-22'])
    expect(report.findings.find(({ rule }) => rule === 'ingress-tls/host-covered')?.exception).toEqual({
      reason: 'again',
      expires: '2026-12-31',
    })
    expect(report.status).toBe(0)
  })
})

test('in a whole judgement exceptions are read from the head', async () => {
  const repo = new TestRepository()
  repo.commit({ [file]: exceptionOf('*', '*'), 'web.yaml': holed })
  const report = await checkJson('--repo', repo.dir, '--all')
  expect(lines(report)).toEqual(['existing error head/web.yaml:11 ingress-tls/host-covered'])
  expect(report.status).toBe(0)
})

test('the terminal lists what is excepted, with its day', async () => {
  const repo = new TestRepository()
  repo.commit({ [file]: exceptionOf('*', '*'), 'web.yaml': covered })
  repo.commit({ 'web.yaml': holed })
  const { stdout, status } = await guard([
    'check',
    '--repo',
    repo.dir,
    '--base',
    'HEAD~1',
    '--head',
    'HEAD',
    '--today',
    '2026-11-21',
  ])
  expect(stdout).toContain('excepted until 2026-11-21: ingress-tls/host-covered web.yaml:11:13 (moving hosts)\n')
  expect(status).toBe(0)
})

/** The YAML a terminal report gives to paste. */
function pasted(stdout: string): string {
  const [, after = ''] = stdout.split('in a separate pull request:\n\n')
  const [yaml = ''] = after.split('\n\nAfter its merge, ')
  return yaml.replace(/^ {4}/gm, '')
}

describe('the way through that a report shows, merged as the base’s config, lets the same change pass', () => {
  const secret =
    'apiVersion: v1\nkind: Secret\nmetadata: {name: web-tls, namespace: shop}\ntype: Opaque\nstringData: {other: x}\n'
  test.each<[string, Record<string, string>, Record<string, string | null>]>([
    ['an uncovered host', { 'web.yaml': covered }, { 'web.yaml': holed }],
    ['a removed role', { 'rbac.yaml': stream(role('system:a'), configMap('a')) }, { 'rbac.yaml': configMap('a') }],
    [
      'a removed role of a namespace',
      {
        'rbac.yaml':
          'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: "system:a", namespace: kube-system}\n',
      },
      { 'rbac.yaml': null },
    ],
    ['a Secret without its keys', { 'web.yaml': covered }, { 'secret.yaml': secret }],
    ['a file that cannot be read', { 'web.yaml': covered }, { 'web.yaml': `${covered}\tx: y\n` }],
    ['a file with a strange name', { '[a]{b}*!(c).yaml': covered }, { '[a]{b}*!(c).yaml': `${covered}\tx: y\n` }],
    [
      'several at once',
      { 'web.yaml': covered, 'rbac.yaml': role('system:a') },
      { 'web.yaml': holed, 'rbac.yaml': null, 'other.yaml': `${covered}\tx: y\n` },
    ],
    [
      'thirty removed roles',
      { 'rbac.yaml': stream(...Array.from({ length: 30 }, (_, index) => role(`system:r${index}`))) },
      { 'rbac.yaml': null },
    ],
    ['names with glob characters', { 'rbac.yaml': role('"system:a[b]"') }, { 'rbac.yaml': null }],
  ])('%s', async (_, base, change) => {
    const repo = new TestRepository()
    repo.commit(base)
    repo.git('switch', '--quiet', '--create', 'change')
    repo.commit(change)
    const run = () =>
      guard(['check', '--repo', repo.dir, '--base', 'main', '--head', 'change', '--today', '2026-11-21'])
    const first = await run()
    expect(first.status).toBe(1)
    repo.git('switch', '--quiet', 'main')
    repo.commit({ [file]: pasted(first.stdout) })
    repo.git('switch', '--quiet', 'change')
    repo.git('rebase', '--quiet', 'main')
    const { status, stdout, stderr } = await run()
    expect({ status, stderr, stdout: status === 0 ? '' : stdout }).toEqual({ status: 0, stderr: '', stdout: '' })
  })
})
