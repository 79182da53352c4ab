import { describe, expect, test } from '@jest/globals'
import { filledIn } from '../../src/deployers/fleet-helmfile/helmfile-template'
import { lines } from '../cli/guard'
import { change, chart, hostsOf, whole } from './probe'
import type { Files } from './repository'

/** A template of a release of the probe's chart, with what makes its host. */
const template = (host: string, more = '') => `environments:
  preview:
    values: [values/common.yaml, "values/{{ .Environment.Name }}.yaml"]
  prod:
    values: [values/common.yaml, "values/{{ .Environment.Name }}.yaml", {size: 3}]
---
releases:
{{- range $name, $app := .Values.apps }}
  - name: {{ $name }}
    namespace: shop
    chart: ./charts/edge
    installed: {{ $app | get "on" true }}
    values:
      - host: ${host}
${more}{{- end }}
`

const values: Files = {
  'values/common.yaml': 'apps: {web: {hosts: [covered.example.com]}}\ndomain: example.com\n',
  'values/preview.yaml': 'domain: test.example.com\n',
  'values/prod.yaml': '{}\n',
}
const files = (host: string, more?: string): Files => ({ ...chart, ...values, 'helmfile.yaml': template(host, more) })

describe('a template of helmfile', () => {
  test.each([
    ['values of its environment', '{{ $.Values.domain }}', 'test.example.com'],
    ['the state values', '{{ $.StateValues.domain }}', 'test.example.com'],
    ['the name of its environment', '{{ $.Environment.Name }}.x', 'preview.x'],
    ['a value that is not there', '{{ $app | get "host" "none.x" }}', 'none.x'],
    ['a path of keys', '{{ $.Environment.Values | get "apps.web.hosts" (list) | len }}.x', '1.x'],
    ['conditions', '{{ if hasKey $.Values "size" }}a.x{{ else }}b.x{{ end }}', 'b.x'],
    [
      'a map that is changed',
      '{{ $all := dict "a" "a.x" }}{{ if true }}{{ $_ := mergeOverwrite $all (dict "a" "b.x") }}{{ end }}{{ $all.a }}',
      'b.x',
    ],
  ])('is rendered with %s', async (_, host, expected) => {
    expect(await hostsOf(files(host))).toEqual([`shop/web ${expected}`])
  })

  test.each(['preview', 'prod'])('is rendered for the environment %s', async (environment) => {
    const report = await change(files('{{ $app | get "own" "covered.example.com" }}'), {
      [`values/${environment}.yaml`]: 'apps: {web: {own: a.example.com}}\n',
    })
    expect(lines(report)).toContain(`introduced error head/values/${environment}.yaml:1 ingress-tls/host-covered`)
    expect(new Set(report.findings.map(({ cluster }) => cluster))).toEqual(new Set([environment]))
    expect(report.inspected.skipped).toEqual([])
  })

  test.each([
    ['a condition on a variable of the machine', '{{ if env "PREVIEW" }}a{{ end }}.x'],
    ['a comparison with one', '{{ ternary "a.x" "b.x" (eq (requiredEnv "STAGE") "prod") }}'],
    ['one without a name', '{{ env "A B" }}'],
    ['a command', '{{ exec "hostname" (list) }}'],
    ['a file', '{{ readFile "values/prod.yaml" }}'],
    ['a value that no environment has', '{{ $.Values.none }}'],
    ['a failure', '{{ fail "no" }}'],
    ['a function of no tool', '{{ $.Values.domain | shout }}'],
  ])('with %s is listed', async (_, host) => {
    const { inspected, findings } = await change(files(host), { 'values/prod.yaml': 'domain: b\n' })
    expect(findings.map(({ rule }) => rule)).toEqual(['source/not-judged'])
    expect(inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['values/prod.yaml not-judged'])
  })

  test.each(['{{ env "HOST" }}', '{{ requiredEnv "HOST" | quote }}', '{{ printf "%s" (env "HOST") }}'])(
    'keeps a variable of the machine open, and says so: %s',
    async (host) => {
      const { findings, inspected } = await change(files('covered.example.com'), { 'helmfile.yaml': template(host) })
      expect(findings).toEqual([])
      expect(inspected.skipped.map(({ reason }) => reason)).toContain(
        `Ingress shop/web of cluster prod: the host \${HOST} is filled in before it reaches the cluster`,
      )
    },
  )

  test('that another helmfile names is read, whatever its name', async () => {
    const { 'helmfile.yaml': helmfile = '', ...rest } = files('{{ $app | get "own" "open.x" }}')
    const split = { ...rest, 'helmfile.yaml': 'helmfiles: [{path: shop.yaml.gotmpl}]\n', 'shop.yaml.gotmpl': helmfile }
    expect(await hostsOf(split)).toEqual(['shop/web open.x'])
    // To merge it into the other one changes nothing.
    const merged = await change(split, { 'helmfile.yaml': helmfile, 'shop.yaml.gotmpl': null })
    expect(merged.findings.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('is judged with doubt where it lacks values', async () => {
    const own = (host: string): Files => ({
      ...chart,
      'helmfile.yaml': 'releases: [{name: web, chart: ./charts/edge, values: [a.yaml, b.yaml.gotmpl]}]\n',
      'a.yaml': `host: ${host}\n`,
      'b.yaml.gotmpl': '{{ exec "values" (list) }}\n',
    })
    const { findings } = await change(own('covered.example.com'), { 'a.yaml': 'host: open.example.com\n' })
    expect(findings.map(({ level, location, rule }) => `${level} ${location.path} ${rule}`)).toContain(
      'warning a.yaml ingress-tls/host-covered',
    )
    expect(findings.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /Ingress default\/web was rendered without b\.yaml\.gotmpl, which only helmfile fills in, and these values may change this\.$/,
      ),
    )
  })

  test('has its findings at the lines of the values, and these accounted for', async () => {
    const base = files('{{ $app.hosts | first }}')
    const report = await change(base, { 'values/common.yaml': 'apps: {web: {hosts: [a.example.com]}}\ndomain: b\n' })
    expect(lines(report)).toEqual(['introduced error head/values/common.yaml:1 ingress-tls/host-covered'])
    expect(report.inspected.skipped).toEqual([])
    expect(report.inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['values/common.yaml input'])
  })

  test('is judged where it changes itself, too', async () => {
    const report = await change(files('covered.example.com'), { 'helmfile.yaml': template('{{ $.Values.domain }}') })
    expect(lines(report)).toContain('introduced error head/helmfile.yaml:14 ingress-tls/host-covered')
    expect(report.inspected.skipped).toEqual([])
  })

  test.each([
    ['depends on the machine', template('{{ if env "PREVIEW" }}a{{ end }}.x')],
    [
      'is given values from elsewhere',
      template('{{ $.Values.domain }}').replaceAll('values/common.yaml', '/etc/values.yaml'),
    ],
    ['is filled in without an end', template('{{ range $.Values.none }}')],
  ])('that was judged and now %s is an error', async (_, helmfile) => {
    const report = await change(files('covered.example.com'), { 'helmfile.yaml': helmfile })
    expect(lines(report)).toContainEqual(expect.stringMatching(/^introduced error head\/helmfile.yaml:\d+ source\//))
  })

  test('is not judged for an environment that takes values from elsewhere', async () => {
    const elsewhere = template('{{ $.Values.domain }}').replace('{size: 3}', '/etc/values.yaml')
    expect(await hostsOf({ ...files(''), 'helmfile.yaml': elsewhere })).toEqual(['shop/web test.example.com'])
    const { skipped } = (await whole({ ...files(''), 'helmfile.yaml': elsewhere })).inspected
    expect(skipped.map(({ path, reason }) => `${path} ${reason}`)).toContainEqual(
      expect.stringMatching(
        /^helmfile.yaml .*its environments prod are not filled in, as they need values from elsewhere/,
      ),
    )
    const { inspected } = await change({ ...files(''), 'helmfile.yaml': elsewhere }, { 'values/prod.yaml': 'a: b\n' })
    expect(inspected.files).toEqual([expect.objectContaining({ path: 'values/prod.yaml', state: 'not-judged' })])
  })

  test('that is switched off by a value or a condition is not rendered', async () => {
    const off = { 'values/prod.yaml': 'apps: {web: {on: false}}\n', 'values/preview.yaml': 'web: {enabled: false}\n' }
    expect(await hostsOf({ ...files('{{ $.Values.domain }}', '    condition: web.enabled\n'), ...off })).toEqual([])
  })
})

const based: Files = {
  ...chart,
  'helmfile.yaml': 'environments: {prod: {values: [{hosts: {web: a.x}}]}}\n---\nbases: [web.yaml]\n',
  'web.yaml': `releases:
{{- range $name, $host := .Values.hosts }}
  - name: web
    chart: ./charts/edge
    values: [{host: {{ $host }}}]
{{- end }}
`,
}

test('the releases of bases are filled in with the values of what they are bases of', async () => {
  expect(await hostsOf(based)).toEqual(['default/web a.x'])
  const report = await change(based, { 'helmfile.yaml': String(based['helmfile.yaml']).replace('a.x', 'b.x') })
  expect(lines(report)).toContain('introduced error head/helmfile.yaml:1 ingress-tls/host-covered')
  expect(report.findings.map(({ rule }) => rule)).not.toContain('source/not-judged')
  expect(report.inspected.skipped).toEqual([])
})

describe('a release that inherits', () => {
  const text = (own: string, template = '') => `templates:
  all:
    namespace: shop
    values: [{host: first.x}]
${template}  web:
    inherit: [{template: all}]
    chart: ./charts/edge
releases:
  - name: web
    inherit: [{template: web${own}
`
  test.each([
    ['the fields of a template', '}]', ['shop/web first.x']],
    ['its own values behind those', '}]\n    values: [{host: own.x}]', ['shop/web own.x']],
    ['no values', ', except: [values]}]\n    values: [{bootstrap: false}]', []],
  ])('has %s', async (_, own, expected) => {
    expect(await hostsOf({ ...chart, 'helmfile.yaml': text(own) })).toEqual(expected)
  })

  test('from itself is listed', async () => {
    const { inspected } = await whole({ ...chart, 'helmfile.yaml': text('}]', '    inherit: [{template: web}]\n') })
    expect(inspected.skipped.map(({ reason }) => reason)).toContain(
      'the release web is not judged: its chart is in a template that it inherits, which only helmfile fills in',
    )
  })
})

test('a chart of an undeclared repository is the one of this repository with its name', async () => {
  const own = (more = '') => `${more}releases: [{name: web, chart: stable/edge, values: [{host: a.x}]}]\n`
  expect(await hostsOf({ ...chart, 'helmfile.yaml': own() })).toEqual(['default/web a.x'])
  const declared = own('repositories: [{name: stable, url: https://charts.example.com}]\n')
  expect(await hostsOf({ ...chart, 'helmfile.yaml': declared })).toEqual([])
  const twice = { ...chart, 'old/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 0.1.0\n' }
  expect((await whole({ ...twice, 'helmfile.yaml': own() })).inspected.skipped).toContainEqual(
    expect.objectContaining({ path: 'helmfile.yaml' }),
  )
})

describe('values that are a template', () => {
  const own: Files = {
    ...chart,
    'helmfile.yaml':
      'environments: {prod: {values: [{domain: x}]}}\n---\nreleases: [{name: web, chart: ./charts/edge, values: [web.yaml.gotmpl]}]\n',
  }

  test('are filled in with those of the environment', async () => {
    const values = { 'web.yaml.gotmpl': 'host: {{ .Release.Name }}.{{ .Values.domain }}\n' }
    expect(await hostsOf({ ...own, ...values })).toEqual(['default/web web.x'])
    const report = await change({ ...own, ...values }, { 'web.yaml.gotmpl': 'host: api.{{ .Values.domain }}\n' })
    expect(lines(report)).toContain('introduced error head/web.yaml.gotmpl:1 ingress-tls/host-covered')
    expect(report.inspected.skipped).toEqual([])
  })

  test('are listed where they cannot be filled in', async () => {
    const { inspected } = await change(
      { ...own, 'web.yaml.gotmpl': 'host: {{ exec "hostname" (list "a") }}\n' },
      { 'web.yaml.gotmpl': 'host: {{ exec "hostname" (list "b") }}\n' },
    )
    expect(inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['web.yaml.gotmpl not-judged'])
  })
})

test('an environment that gets another name takes no release out of sight', async () => {
  const release = (name: string) =>
    `  - name: ${name}\n    namespace: shop\n    chart: charts/edge\n    values: [web.yaml.gotmpl]\n`
  const helmfile = (environment: string, more = '') =>
    `environments:\n  ${environment}:\n  prod:\n---\nhelmDefaults:\n  kubeContext: {{ .Environment.Name }}\n\nreleases:\n{{ if eq .Environment.Name "prod" }}\n${release('api')}{{ end }}\n${release('web')}${more}`
  const own: Files = {
    ...chart,
    'web.yaml.gotmpl': 'host: {{ requiredEnv "HOST" }}\n',
    'helmfile.yaml': helmfile('pond'),
  }
  const more = '  - name: jobs\n    chart: stable/jobs\n'
  const found = async (changed: string) => (await change(own, { 'helmfile.yaml': changed })).findings
  const renamed = await found(helmfile('lake', more))
  expect(renamed.filter(({ message }) => message === 'out-of-sight')).toEqual([])
  // Nothing renders it any more.
  const hidden = await found(helmfile('pond', more).replaceAll('chart: charts/edge', 'chart: {{ env "CHART" }}'))
  expect(hidden.some(({ level }) => level === 'error')).toBe(true)
})

test('a key `__proto__` in a template is a key like any other', () => {
  const filled = (action: string) =>
    filledIn(`{{ $map := dict "a" "b" }}{{ $_ := ${action} }}{{ $map.a }} {{ hasKey $map "__proto__" }}`, {
      name: 'prod',
      values: JSON.parse('{"__proto__": {"own": "foreign"}}'),
    })
  expect(filled('set $map "__proto__" (dict "own" "foreign")')).toBe('b true')
  expect(filled('mergeOverwrite $map .Values')).toBe('b true')
})

describe('an environment that lacks the values of the others', () => {
  const guarded = (host: string, more = '') => ({
    ...chart,
    'helmfile.yaml': `environments:
  default: {kubeContext: NONE}
  prod:
    values: [{domain: example.com}]
---
releases:
  - name: web
    namespace: shop
    chart: ./charts/edge
    values:
      - host: {{ printf "%s.%s" "${host}" .Values.domain }}
${more}`,
  })
  const listed =
    'helmfile.yaml: its environments default lack values that it reads, so helmfile fails in them, and nothing is judged for them'

  test('is listed, and the file is judged', async () => {
    const report = await change(guarded('covered'), guarded('open'))
    expect(lines(report)).toEqual([
      expect.stringMatching(/^introduced error head\/helmfile.yaml:\d+ ingress-tls\/host-covered$/),
    ])
    expect(report.inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['helmfile.yaml input'])
    expect(report.inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`)).toEqual([listed])
  })

  test('is a reason against the file where the base does not lack them', async () => {
    const base = guarded('covered')
    const whole = {
      ...base,
      'helmfile.yaml': base['helmfile.yaml'].replace('kubeContext: NONE', 'values: [{domain: example.com}]'),
    }
    const { inspected } = await change(whole, base)
    expect(inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['helmfile.yaml not-judged'])
  })

  test.each([
    ['a command', '      - size: {{ if eq .Environment.Name "default" }}{{ exec "size" (list) }}{{ end }}\n'],
    ['a failure', '      - size: {{ if eq .Environment.Name "default" }}{{ fail "no" }}{{ end }}\n'],
  ])('is open where it first fails for %s', async (_, more) => {
    const own = (host: string) => {
      const { 'helmfile.yaml': text, ...rest } = guarded(host, more)
      return {
        ...rest,
        'helmfile.yaml': text.replace('default: {kubeContext: NONE}', 'default: {values: [{domain: x}]}'),
      }
    }
    const { inspected } = await change(own('covered'), own('a.covered'))
    expect(inspected.files?.map(({ path, state }) => `${path} ${state}`)).toEqual(['helmfile.yaml not-judged'])
  })
})
