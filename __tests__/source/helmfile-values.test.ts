import { describe, expect, test } from '@jest/globals'
import { checkJson } from '../cli/guard'
import { type Files, TestRepository } from './repository'

const own = (file: string) => ({ path: file, text: 'replicas: 1\n', changed: 'replicas: 2\n' })

/** The report's entry for one changed file: its state, the cause, and the reason. */
async function account(base: Files, file: string) {
  const { text, changed } = own(file)
  const repo = new TestRepository()
  repo.commit({ ...base, [file]: text })
  repo.commit({ [file]: changed })
  const { inspected } = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  return inspected.files?.map(({ path, state, cause, reason }) => `${path} ${state} ${cause}: ${reason}`)
}

const environments = `environments:
  staging:
    values: [values/common.yaml, "values/{{ .Environment.Name }}/own.yaml"]
  prod:
    values:
      - values/common.yaml
      - "values/{{ .Environment.Name }}/own.yaml"
      - wait: true
`

/** A release in a template that is no YAML. */
const template = `${environments}
---
releases:
  - name: web
    chart: acme/web
    wait: {{ .Values.wait }}
    values:
      - settings.yaml # for every environment
      - {{ .Values.web | toJson }}
`

const ofEnvironment = (helmfile: string) =>
  `not-judged release-not-rendered: an environment of ${helmfile} uses it for templates that only helmfile fills in`
const ofRelease = 'not-judged release-not-rendered: a release in infra/helmfile.yaml uses it'
const beside =
  'not-judged release-not-rendered: it is next to infra/helmfile.yaml, which has parts that only helmfile fills in and may use it as values'

test.each([
  ['an environment in plain YAML', environments, 'infra/values/common.yaml', ofEnvironment('infra/helmfile.yaml')],
  ['every environment, by its name', environments, 'infra/values/prod/own.yaml', ofEnvironment('infra/helmfile.yaml')],
  [
    'another helmfile',
    'helmfiles:\n  - path: web/helmfile.yaml\n    values: [values/web.yaml]\n',
    'infra/values/web.yaml',
    'not-judged release-not-rendered: infra/helmfile.yaml passes it to another helmfile for templates that only helmfile fills in',
  ],
  ['a release in a template, with a comment behind it', template, 'infra/settings.yaml', ofRelease],
])('values of %s', async (_, helmfile, file, expected) => {
  const found = await account({ 'infra/helmfile.yaml': helmfile }, file)
  expect(found).toEqual([expect.stringContaining(`${file} ${expected}`)])
})

test.each([
  ['in its folder', 'infra/web/main.yaml', undefined],
  ['in its folder, by any name', 'infra/main.yaml', beside],
  ['below it, by the name of values', 'infra/web/values-prod.yaml', beside],
  ['above it', 'values-prod.yaml', undefined],
])('a file %s of a template of helmfile', async (_, file, expected) => {
  const found = await account({ 'infra/helmfile.yaml': template }, file)
  expect(found).toEqual([
    expected === undefined ? expect.not.stringContaining('infra/helmfile.yaml') : `${file} ${expected}`,
  ])
})

test('values beside a helmfile that is read whole are taken by nothing else', async () => {
  const plain = 'releases: [{name: web, chart: acme/web, values: [web.yaml]}]\n'
  const found = await account({ 'infra/helmfile.yaml': plain, 'infra/web.yaml': '{}\n' }, 'infra/values-old.yaml')
  expect(found).toEqual([expect.stringContaining('infra/values-old.yaml not-deployed not-taken: ')])
})

test('a link that a template names, and the file that it leads to', async () => {
  const repo = new TestRepository()
  const files = { 'infra/helmfile.yaml': template, 'common/web.yaml': 'replicas: 1\n' }
  repo.commit({ ...files, 'infra/settings.yaml': { link: '../common/web.yaml' } })
  repo.commit({ 'common/web.yaml': 'replicas: 2\n' })
  const { inspected } = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(inspected.files).toMatchObject([
    { path: 'common/web.yaml', state: 'not-judged', cause: 'release-not-rendered' },
  ])
})

test('values whose Ingress is judged weigh by what else they change', async () => {
  const helmfile = `repositories: [{name: acme, url: https://charts.example.com}]
releases: [{name: web, namespace: shop, chart: acme/web, values: [web.yaml]}]
`
  const values = (host: string, issuer: string) =>
    `ingress:\n  enabled: true\n  hosts: [{host: ${host}}]\n  tls: [{secretName: web, hosts: [${host}]}]\nissuer: ${issuer}\n`
  const levels = async (changed: string) => {
    const repo = new TestRepository()
    repo.commit({ 'helmfile.yaml': helmfile, 'web.yaml': values('a.example.com', 'one') })
    repo.commit({ 'web.yaml': changed })
    const { findings } = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    return findings.flatMap(({ rule, level }) => (rule === 'source/not-judged' ? [level] : []))
  }
  expect(await levels(values('b.example.com', 'one'))).toEqual(['notice'])
  expect(await levels(values('a.example.com', 'two'))).toEqual(['warning'])
})

describe('a path with the name of a release in a template', () => {
  const named = (releases: string) => `environments:
  prod:
    values: [{domain: x}]
---
releases:
${releases}    values:
      - env/{{\`{{ .Environment.Name }}\`}}/{{\`{{ .Release.Name }}\`}}.yaml
      - domain: {{ .Values.domain }}
`
  const web = '  - name: web\n    chart: acme/web\n'
  const taken =
    / not-judged release-not-rendered: (?:(?:a|the) release .* uses it|it may be a values file of the release )/

  test.each([
    ['is that of one of its releases', web, 'web', taken],
    ['is that of no other release', web, 'api', undefined],
    ['may be any word where it is filled in', '  - name: {{ .Values.name }}\n    chart: acme/web\n', 'api', taken],
    ['may be any word behind its plain part', '  - name: web-{{ .Values.x }}\n    chart: acme/web\n', 'web-b', taken],
    ['begins with its plain part', '  - name: web-{{ .Values.x }}\n    chart: acme/web\n', 'api', undefined],
    ['may be any word where releases are printed', `  {{ .Values.more | toYaml | nindent 2 }}\n${web}`, 'api', taken],
    ['may be any word where releases are maps', `  - {name: api, chart: acme/api}\n${web}`, 'api', taken],
  ])('%s', async (_, releases, name, expected) => {
    const file = `infra/env/prod/${name}.yaml`
    const found = await account({ 'infra/helmfile.yaml': named(releases) }, file)
    expect(found).toEqual([expected ? expect.stringMatching(expected) : expect.not.stringMatching(taken)])
  })

  test('may be that of a release of a helmfile that it is a base of', async () => {
    const base = named(web)
    const found = await account(
      { 'infra/helmfile.yaml': base, 'api/helmfile.yaml': 'bases: [../infra/helmfile.yaml]\n' },
      'infra/env/prod/api.yaml',
    )
    expect(found).toEqual([expect.stringMatching(taken)])
  })
})

describe('a file that a template reads', () => {
  const release = `repositories: [{name: acme, url: https://charts.example.com}]
releases: [{name: web, chart: acme/web, values: [web.yaml.gotmpl]}]
`
  const reads = (expression: string): Files => ({
    'infra/helmfile.yaml': release,
    'infra/web.yaml.gotmpl': `serverBlock: |-\n{{ ${expression} | indent 2 }}\n`,
  })
  const taken = (by: string) =>
    `not-judged release-not-rendered: infra/${by} reads it, which is a template that only helmfile fills in`

  test.each([
    ['readFile "conf/nginx.conf"', taken('web.yaml.gotmpl')],
    ['readFile `conf/nginx.conf`', taken('web.yaml.gotmpl')],
    ['"conf/nginx.conf" | readFile', taken('web.yaml.gotmpl')],
    ['readFile (printf "conf/%s.conf" .Release.Name)', taken('web.yaml.gotmpl')],
    ['readFile "nginx.conf"', 'not-kubernetes'],
    ['exec "cat" (list "conf/nginx.conf")', 'not-kubernetes'],
  ])('by %s', async (expression, expected) => {
    const found = await account(reads(expression), 'infra/conf/nginx.conf')
    expect(found).toEqual([expect.stringContaining(`infra/conf/nginx.conf ${expected}`)])
  })

  test('that is a helmfile', async () => {
    const helmfile = 'releases:\n  - name: web\n    chart: acme/web\n    values: [{{ readFile "web.json" }}]\n'
    const found = await account({ 'infra/helmfile.yaml': helmfile }, 'infra/web.json')
    expect(found).toEqual([expect.stringContaining(`infra/web.json ${taken('helmfile.yaml')}`)])
  })
})

test.each([
  ['its repository', 'https://charts.example.com', 'https://charts.example.org'],
  ['its namespace', 'namespace: shop', 'namespace: web'],
])('a helmfile that changes a release by %s alone is not judged', async (_, from, to) => {
  const helmfile = `namespace: shop
repositories: [{name: acme, url: https://charts.example.com}]
releases: [{name: web, chart: acme/web, values: [web.yaml.gotmpl]}]
`
  const repo = new TestRepository()
  repo.commit({ 'helmfile.yaml': helmfile, 'web.yaml.gotmpl': '{{ exec "values" (list) }}\n' })
  repo.commit({ 'helmfile.yaml': helmfile.replace(from, to) })
  const { inspected } = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(inspected.files).toMatchObject([
    {
      path: 'helmfile.yaml',
      state: 'not-judged',
      reason: 'the release web is read without web.yaml.gotmpl, which only helmfile fills in',
    },
  ])
})
