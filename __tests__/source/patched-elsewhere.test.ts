import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { judgeChange, places } from './rendered'

const remote = 'https://github.com/example/base//deploy?ref=v1'
const newest = ['ingress-tls@^1', 'controller-scope@^1', 'protected-rbac@^1']

const patch = (...body: string[]) =>
  ['apiVersion: networking.k8s.io/v1', 'kind: Ingress', 'metadata: {name: web}', ...body, ''].join('\n')

const annotated = patch('metadata: {name: web, annotations: {a: b}}').replace('metadata: {name: web}\n', '')

const app = (...lines: string[]) => kustomization('resources:', `  - ${remote}`, '  - map.yaml', ...lines)

const base = {
  'app/kustomization.yaml': app('patches:', '  - path: patch.yaml'),
  'app/patch.yaml': annotated,
  'app/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n',
}

const judge = (before: Record<string, string>, head: Record<string, string>) =>
  judgeChange(before, head, 'helm', newest)

const found = (line: number, file = 'patch.yaml') => `warning head/app/${file}:${line} exact source/unrendered`

describe('a patch of an Ingress that comes from elsewhere', () => {
  test.each([
    ['cuts its tls', patch('spec:', '  tls: null'), 5, 'removes the TLS entries of Ingress web'],
    ['empties its tls', patch('spec:', '  ingressClassName: nginx', '  tls: []'), 6, 'removes the TLS entries of'],
    ['deletes its tls', patch('spec:', '  tls:', '    - $patch: delete'), 5, 'removes the TLS entries of Ingress web'],
    ['empties its rules', patch('spec: {rules: []}'), 4, 'removes all rules of Ingress web'],
    ['removes it', patch('$patch: delete'), 4, 'removes Ingress web'],
  ])('that %s is found at its line', async (_, text, line, words) => {
    const report = await judge(base, { 'app/patch.yaml': text })
    expect(places(report)).toEqual([found(line)])
    expect(report.findings[0]?.text).toContain(`This patch ${words}`)
  })

  test('that is written in the Kustomization is found there', async () => {
    const written = app(
      'patches:',
      '  - patch: |-',
      ...patch('spec:', '  tls: []')
        .trimEnd()
        .split('\n')
        .map((line) => `      ${line}`),
    )
    expect(places(await judge(base, { 'app/kustomization.yaml': written }))).toEqual([found(12, 'kustomization.yaml')])
  })

  test('that is a JSON patch is found at its operation', async () => {
    const target = app('patches:', '  - path: patch.yaml', '    target: {kind: Ingress, name: web}')
    const before = {
      ...base,
      'app/kustomization.yaml': target,
      'app/patch.yaml': '- op: remove\n  path: /metadata/labels/a\n',
    }
    const head = '- op: remove\n  path: /metadata/labels/a\n- op: remove\n  path: /spec/tls/0\n'
    expect(places(await judge(before, { 'app/patch.yaml': head }))).toEqual([found(4)])
  })

  test.each([
    ['a part of a rule', 'ClusterRole', '- op: remove\n  path: /rules/0/resources/4\n', 2],
    ['a subject', 'RoleBinding', '- op: remove\n  path: /subjects/1\n', 2],
    ['all names of a rule', 'Role', '- op: remove\n  path: /rules/0/resourceNames\n', undefined],
    [
      'a rule for another',
      'Role',
      '- op: remove\n  path: /rules/0\n- op: add\n  path: /rules/-\n  value: {verbs: [get]}\n',
      undefined,
    ],
  ])('that removes %s of a %s', async (_, kind, operations, line) => {
    const target = app('patches:', '  - path: patch.yaml', `    target: {kind: ${kind}, name: web}`)
    const before = {
      ...base,
      'app/kustomization.yaml': target,
      'app/patch.yaml': '- op: remove\n  path: /metadata/labels/a\n',
    }
    const report = await judge(before, { 'app/patch.yaml': operations })
    expect(places(report)).toEqual(line === undefined ? [] : [found(line)])
    if (line !== undefined) expect(report.findings[0]?.text).toMatch(`of ${kind} web, which takes permissions away`)
  })

  test('that takes a host out of the TLS it set and still routes it', async () => {
    const both = (...tls: string[]) =>
      patch(
        'spec:',
        '  rules: [{host: a.example.com}, {host: b.example.com}]',
        `  tls: [{hosts: [${tls}], secretName: web}]`,
      )
    const before = { ...base, 'app/patch.yaml': both('a.example.com', 'b.example.com') }
    const report = await judge(before, { 'app/patch.yaml': both('a.example.com') })
    expect(places(report)).toEqual([found(6)])
    expect(report.findings[0]?.text).toContain('removes b.example.com from the TLS entries of Ingress web')
    expect(places(await judge(before, { 'app/patch.yaml': both("'*.example.com'") }))).toEqual([])
  })
})

describe('it is no news', () => {
  test('where the base has it', async () => {
    const cut = patch('spec: {tls: null}')
    expect(places(await judge({ ...base, 'app/patch.yaml': cut }, { 'app/patch.yaml': `# Why.\n${cut}` }))).toEqual([])
  })

  test('where it comes with the source', async () => {
    const { 'app/kustomization.yaml': own } = base
    const other = {
      'other/kustomization.yaml': own.replace('map.yaml', '../app/map.yaml'),
      'other/patch.yaml': patch('spec: {tls: null}'),
    }
    const { findings } = await judge(base, other)
    expect(findings.filter(({ message }) => message.startsWith('patch-'))).toEqual([])
  })

  test('where it sets something', async () => {
    const set = patch('spec: {tls: [{hosts: [web.example.com], secretName: web}], rules: [{host: web.example.com}]}')
    expect(places(await judge(base, { 'app/patch.yaml': set }))).toEqual([])
  })

  test('where the source has the object itself, which is judged with its patch', async () => {
    const web = patch('spec:', '  tls: [{hosts: [a.example.com], secretName: web}]', '  rules: [{host: a.example.com}]')
    const before = {
      ...base,
      'app/kustomization.yaml': base['app/kustomization.yaml'].replace('map.yaml', 'web.yaml'),
      'app/web.yaml': web,
    }
    const report = await judge(before, { 'app/patch.yaml': patch('spec: {tls: []}') })
    expect(places(report).map((place) => place.replace(/.* /, ''))).toEqual(['ingress-tls/tls-kept'])
  })
})
