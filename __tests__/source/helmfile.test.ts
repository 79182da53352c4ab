import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { change, chart, hostsOf, probe, repositoryOf, whole } from './probe'
import type { Files } from './repository'

const values = (host: string) => `host: ${host}.example.com\n`

/** A helmfile of one release of the probe's chart. */
const release = (fields: string) => `releases:
  - name: web
    namespace: shop
    chart: ./charts/edge
${fields.replace(/^(?=.)/gm, '    ')}
`

const skippedIn = async (files: Files) =>
  (await whole(files)).inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)

describe('a release of a local chart', () => {
  const more: Files = {
    'values/a.yaml': values('a'),
    'values/web.yaml': values('named'),
    'values/prod.yaml': values('prod'),
  }
  const hosts: [what: string, helmfile: string, expected: string[]][] = [
    [
      'values files, the last over the others',
      release('values: [values/web.yaml, values/a.yaml]'),
      ['shop/web a.example.com'],
    ],
    [
      'values in the file',
      release('values:\n  - values/a.yaml\n  - host: inline.example.com'),
      ['shop/web inline.example.com'],
    ],
    [
      'single values over all others',
      release('values: [values/a.yaml]\nset: [{name: host, value: set.example.com}]'),
      ['shop/web set.example.com'],
    ],
    [
      'an anchor',
      `templates: {own: &own {values: [values/a.yaml]}}\n${release('<<: *own')}`,
      ['shop/web a.example.com'],
    ],
    ['its name in a path', release('values: ["values/{{ .Release.Name }}.yaml"]'), ['shop/web named.example.com']],
    [
      'its name in a path that is filled in twice',
      release('values: ["values/{{`{{ .Release.Name }}`}}.yaml"]'),
      ['shop/web named.example.com'],
    ],
    [
      'the one environment in a path',
      `environments:\n  prod:\n---\n${release('values: ["values/{{ .Environment.Name }}.yaml"]')}`,
      ['shop/web prod.example.com'],
    ],
    [
      'values of no environment that is known',
      `environments:\n  x:\n  y:\n---\n${release('values: [values/a.yaml, "values/{{ .Environment.Name }}.yaml"]')}`,
      ['shop/web a.example.com'],
    ],
    [
      'a namespace for all',
      `namespace: all\n${release('').replace('    namespace: shop\n', '    values: [values/a.yaml]\n')}`,
      ['all/web a.example.com'],
    ],
    [
      'values that may be missing',
      release('missingFileHandler: Warn\nvalues: [values/a.yaml, values/none.yaml]'),
      ['shop/web a.example.com'],
    ],
    [
      'values that are missing as a fault',
      release('values: [values/none.yaml]'),
      [
        'source/unrendered: The release web names values/none.yaml, but there is no such file in this repository, so helmfile fails and installs nothing. Correct the path, which is relative to this file, or add the file.',
      ],
    ],
    ['no rendering where it is not installed', release('installed: false\nvalues: [values/a.yaml]'), []],
  ]
  test.each(hosts)('is rendered with %s', async (_, helmfile, expected) => {
    expect(await hostsOf({ ...chart, ...more, 'helmfile.yaml': helmfile })).toEqual(expected)
  })

  test.each(['helmfile.d/10-web.yaml', 'helmfile.yaml.gotmpl', 'teams/web/clusters.yaml'])(
    'is found in %s',
    async (file) => {
      const up = '../'.repeat(file.split('/').length - 1)
      const text = release('values: [{host: a.example.com}]').replace('./charts', `${up || './'}charts`)
      expect(await hostsOf({ ...chart, [file]: text })).toEqual(['shop/web a.example.com'])
    },
  )

  test('is judged at the line of the values that the change touches', async () => {
    const base = { ...chart, 'helmfile.yaml': release('values: [values/a.yaml]'), 'values/a.yaml': values('covered') }
    expect(lines(await change(base, { 'values/a.yaml': values('other') }))).toEqual([
      'introduced error head/values/a.yaml:1 ingress-tls/host-covered',
    ])
  })

  test.each([
    [
      'b.yaml.gotmpl',
      'b.yaml.gotmpl',
      'it is a template of values for the release web of helmfile.yaml, and only helmfile fills it in',
    ],
    [
      'values/{{`{{ .Release.Labels.stage }}`}}.yaml',
      'values/b.yaml',
      'it may be a values file of the release web of helmfile.yaml, which names it with a template that only helmfile fills in',
    ],
    [
      'values/*.yaml',
      'values/b.yaml',
      'it may be a values file of the release web of helmfile.yaml, which names it with a pattern that only helmfile follows',
    ],
  ])('is not judged by values that it names as %s', async (written, file, reason) => {
    const of = (tag: string) => ({ [file]: `a: {{ exec "tag" (list "${tag}") }}\n` })
    const { inspected } = await change(
      { ...chart, 'helmfile.yaml': release(`values: ['${written}']`), ...of('1') },
      of('2'),
    )
    expect(inspected.files?.map((one) => `${one.path}: ${one.reason}`)).toEqual([`${file}: ${reason}`])
  })

  test('is judged in each environment that has values of its own', async () => {
    const environments = `environments:\n  default:\n  prod:\n  a:\n---\n`
    const helmfile = `${environments}${release('values: ["values/{{ .Environment.Name }}.yaml"]')}`
    const of = (a: string, prod: string) => ({ 'values/a.yaml': values(a), 'values/prod.yaml': values(prod) })
    const base = { ...chart, 'helmfile.yaml': helmfile, ...of('covered', 'covered') }
    expect(lines(await change(base, of('one', 'two'))).filter((line) => line.includes('error'))).toEqual([
      'introduced error head/values/a.yaml:1 ingress-tls/host-covered',
      'introduced error head/values/prod.yaml:1 ingress-tls/host-covered',
    ])
  })

  test('is judged in 30 environments at most, and the file is listed', async () => {
    const names = Array.from({ length: 31 }, (_, index) => `  e${index}:\n`)
    const helmfile = `environments:\n${names.join('')}---\n${release('values: ["values/{{ .Environment.Name }}.yaml"]')}`
    const { inspected } = await whole({ ...chart, 'helmfile.yaml': helmfile, 'values/e0.yaml': values('covered') })
    const reason = 'it has 31 environments; only the first 30 are read'
    expect(inspected.skipped).toContainEqual({ path: 'helmfile.yaml', reason })
  })

  test('is read among 1,000 of a file at most, and the file is listed', async () => {
    const elsewhere = Array.from({ length: 1000 }, (_, index) => `  - {name: r${index}, chart: acme/api}\n`)
    const { inspected } = await whole({
      ...chart,
      'helmfile.yaml': `releases:\n${elsewhere.join('')}${release('').replace('releases:\n', '')}`,
    })
    const reason = 'it has 1001 releases; only the first 1000 are read'
    expect(inspected.skipped).toContainEqual({ path: 'helmfile.yaml', reason })
  })

  test('is read with 50 bases at most, and the file is listed', async () => {
    const bases = Array.from({ length: 51 }, (_, index) => `bases/b${index}.yaml`)
    const files = Object.fromEntries(bases.map((base) => [base, 'environments: {}\n']))
    const helmfile = `bases: [${bases.join(', ')}]\n---\n${release('')}`
    const { inspected } = await whole({ ...chart, ...files, 'helmfile.yaml': helmfile })
    const reason = 'it has 51 bases; only the first 50 are read'
    expect(inspected.skipped).toContainEqual({ path: 'helmfile.yaml', reason })
  })

  test('may be a Kustomization, or a folder of plain YAML', async () => {
    const files = {
      'helmfile.yaml': release('').replace('./charts/edge', './own'),
      'own/ingress.yaml': probe('web', 'a.example.com'),
    }
    expect(await hostsOf(files)).toEqual(['/web a.example.com'])
    expect(await hostsOf({ ...files, 'own/kustomization.yaml': 'resources: [ingress.yaml]\n' })).toEqual([
      'shop/web a.example.com',
    ])
  })

  const listed: [what: string, helmfile: string, reason: string][] = [
    [
      'its chart is outside',
      release('').replace('./charts', '../..'),
      'its chart ../../edge leads out of this repository, and is not followed',
    ],
    [
      'its chart has an absolute path',
      release('').replace('./charts', '/srv'),
      'its chart /srv/edge leads out of this repository, and is not followed',
    ],
    [
      'its values are outside',
      release('values: [../a.yaml]'),
      'the release web is read without ../a.yaml, which leads out of this repository',
    ],
    [
      'its values are fetched',
      release('values: ["git::https://example.com/x@a.yaml?ref=v1"]'),
      'the release web is read without git::https://example.com/x@a.yaml?ref=v1, which is not in this repository',
    ],
    [
      'its values are a template',
      release('values: [a.yaml.gotmpl]'),
      'the release web is read without a.yaml.gotmpl, which only helmfile fills in',
    ],
    [
      'it has secrets',
      release('secrets: [secret.yaml]'),
      'the release web is read without its secrets, which only helmfile knows',
    ],
    [
      'its name is a template',
      release('').replace('name: web', 'name: "{{ .Environment.Name }}-web"'),
      'the release {{ .Environment.Name }}-web is not judged: its name is a template, which only helmfile fills in',
    ],
    [
      'its chart is inherited',
      'releases: [{name: web, inherit: [{template: own}]}]\n',
      'the release web is read without its inherit, which only helmfile knows',
    ],
    [
      'a base is outside',
      `bases: [../base.yaml]\n---\n${release('installed: false')}`,
      'its base ../base.yaml leads out of this repository, and is not followed',
    ],
    [
      'a base is itself',
      `bases: [helmfile.yaml, none.yaml]\n---\n${release('installed: false')}`,
      'its base none.yaml is not in this repository',
    ],
  ]
  test.each(listed)('is listed when %s', async (_, helmfile, reason) => {
    expect(await skippedIn({ ...chart, 'helmfile.yaml': helmfile })).toContain(`helmfile.yaml: ${reason}`)
  })

  test('that goes out of sight in the change is an error', async () => {
    const base = { ...chart, 'helmfile.yaml': release('values: [{host: covered.example.com}]') }
    const templated = release('values: [{host: other.example.com}]').replace('releases:', '{{ if true }}\nreleases:')
    const reason = 'it is a template, which only helmfile fills in: its releases web are not judged'
    const heads: Files[] = [
      { 'helmfile.yaml': templated },
      { 'helmfile.yaml': null, 'helmfile.yaml.gotmpl': templated },
    ]
    for (const head of heads) {
      const { findings } = await change(base, head)
      const [path = ''] = Object.keys(head).slice(-1)
      const own = findings.filter(({ rule }) => rule === 'source/unrendered')
      expect(own.map(({ location, level, text }) => `${level} ${location.path} ${text}`)).toEqual([
        `error ${path} The objects that release shop/web of charts/edge with the values in helmfile.yaml deploys can no longer be rendered, so this change to them cannot be checked: ${reason}.`,
      ])
    }
  })
})

describe('a helmfile that is a template', () => {
  const template = `{{ range .Values.teams }}
releases:
  - name: web
    chart: shop/web
    values:
      - values/{{ .Environment.Name }}/web.yaml
      - name: not-a-release
  - chart: shop/api
    name: api
  - name: {{ .name }}
{{ end }}
other:
  - name: none
`

  test('is listed by its releases where the change touches it', async () => {
    const base = { 'helmfile.yaml.gotmpl': template, 'README.md': 'a' }
    const { inspected } = await change(base, { 'helmfile.yaml.gotmpl': `${template}# more\n` })
    const reason = 'it is a template, which only helmfile fills in: its releases web, api are not judged'
    expect(inspected.skipped).toEqual([{ path: 'helmfile.yaml.gotmpl', reason }])
    expect((await change(base, { 'README.md': 'b' })).inspected.skipped).toEqual([])
  })

  test('has the files listed that it may take', async () => {
    const base = {
      'helmfile.yaml.gotmpl': template,
      'values/prod/web.yaml': values('a'),
      'values/prod/api.yaml': values('a'),
    }
    const { inspected } = await change(base, { 'values/prod/web.yaml': values('b') })
    const reason = 'a release in helmfile.yaml.gotmpl uses it, and only helmfile fills in that template'
    expect(inspected.skipped).toEqual([{ path: 'values/prod/web.yaml', reason }])
  })

  test('of any text is listed', async () => {
    const text = `releases:\n${'  - {{ name: \n  - name: "{{\n'.repeat(3000)}`
    expect(await skippedIn({ 'helmfile.yaml.gotmpl': text })).toEqual([
      'helmfile.yaml.gotmpl: it is a template, which only helmfile fills in: its releases are not judged',
    ])
  })
})

describe('a release of a chart from elsewhere', () => {
  const nginx = (name: string, file: string, more = '') => `repositories:
  - name: ingress-nginx
    url: https://kubernetes.github.io/ingress-nginx
releases:
  - name: ${name}
    namespace: ${name}
    chart: ingress-nginx/ingress-nginx
    version: 4.12.1
    values: [${file}]
${more}`
  const scoped = (is: boolean) => `controller:\n  scope:\n    enabled: ${is}\n`
  const files: Files = {
    'helmfile.d/one.yaml': nginx('one', '../values/one.yaml'),
    'helmfile.d/two.yaml': nginx('two', '../values/two.yaml'),
    'values/one.yaml': scoped(true),
    'values/two.yaml': scoped(true),
  }
  const compare = (base: Files, head: Files) =>
    checkJson(
      '--repo',
      repositoryOf(base, head).dir,
      '--base',
      'HEAD~1',
      '--head',
      'HEAD',
      '--policy',
      'controller-scope@1.1.0',
    )

  test('of a known chart is judged by its values, at their line', async () => {
    const report = await compare(files, { 'values/two.yaml': scoped(false) })
    expect(lines(report)).toEqual(['introduced error head/values/two.yaml:3 controller-scope/namespace-isolated'])
    expect(report.inspected.skipped).toEqual([])
  })

  test('has single values over those of its files', async () => {
    const set = '    set: [{name: controller.scope.enabled, value: true}]\n'
    const base = { ...files, 'helmfile.d/two.yaml': nginx('two', '../values/two.yaml', set) }
    expect(lines(await compare(base, { 'values/two.yaml': scoped(false) }))).toEqual([])
  })

  test('is compared with none of a helmfile that is given to another cluster', async () => {
    const moved = Object.entries(files).map(([file, text]) => [file.replace('helmfile.d', 'own'), text])
    expect(lines(await compare(Object.fromEntries(moved), { 'values/two.yaml': scoped(false) }))).toEqual([])
  })

  test('is listed where the change touches it or its values, and others of the file are not', async () => {
    const helmfile = (version: string) => `repositories: [{name: shop, url: https://charts.example.com}]
releases:
  - {name: web, chart: shop/web, version: ${version}, values: [web.yaml], secrets: [web.enc.yaml]}
  - {name: api, chart: shop/api, version: 1.0.0, secrets: [api.enc.yaml]}
`
    const base = { 'helmfile.yaml': helmfile('1.0.0'), 'web.yaml': values('a'), 'web.enc.yaml': 'sops: {}\n' }
    const { inspected } = await change(base, {
      'helmfile.yaml': helmfile('1.1.0'),
      'web.yaml': values('b'),
      'web.enc.yaml': 'sops: {a: b}\n',
    })
    expect(inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`).sort()).toEqual([
      'helmfile.yaml: not in this repository: the chart web from https://charts.example.com of the release web',
      'helmfile.yaml: the release web is read without its secrets, which only helmfile knows',
      'web.enc.yaml: encrypted values of the release web of helmfile.yaml, which only helmfile reads',
      'web.yaml: values of the chart web from https://charts.example.com of the release web, which is not in this repository',
    ])
  })
})

test('a line of a template that is too long to be searched is listed', async () => {
  const template = (tag: string) =>
    `releases:\n{{ range .Values.apps }}\n  - name: web\n    chart: far/web\n    values: [${'x'.repeat(500)}, web.yaml]\n    version: ${tag}\n{{ end }}\n`
  const { inspected } = await change({ 'helmfile.yaml': template('1.0.0') }, { 'helmfile.yaml': template('1.1.0') })
  expect(inspected.skipped.map(({ reason }) => reason)).toEqual([
    'a template',
    'it is a template, which only helmfile fills in: its releases web are not judged',
    'this line has more than 500 characters, and is not searched for files that its releases use',
  ])
})

test('the account of a changed helmfile is of the releases that differ', async () => {
  const accounts = async (base: string, head: string) => {
    const files = { ...chart, 'helmfile.yaml': base, 'far.yaml': 'x: 1\n' }
    const { inspected, findings } = await change(files, { 'helmfile.yaml': head })
    const said = findings.filter(({ rule }) => rule === 'source/not-judged').map(({ location }) => location.path)
    return [...(inspected.files ?? []).map(({ path, state }) => `${path} ${state}`), ...said]
  }
  const two = (host: string, version: string) =>
    `${release(`values: [{host: ${host}.example.com}]`)}  - name: far\n    chart: far/web\n    version: ${version}\n    values: [far.yaml]\n`
  expect(await accounts(two('a', '1.0.0'), two('b', '1.0.0'))).toEqual(['helmfile.yaml input'])
  expect(await accounts(two('a', '1.0.0'), two('a', '2.0.0'))).toEqual(['helmfile.yaml not-judged', 'helmfile.yaml'])
})
