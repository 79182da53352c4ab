import { describe, expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const policies = ['ingress-tls', 'controller-scope']

/** A chart that nothing names, with a library from elsewhere. */
const chart = (ingress: string, more: Files = {}): Files => ({
  'web/Chart.yaml': `apiVersion: v2
name: web
version: 1.0.0
dependencies:
  - {name: library, version: 2.0.0, repository: https://charts.example.com}
`,
  'web/values.yaml': 'port: 80\n',
  'web/templates/ingress.yaml': ingress,
  ...more,
})

const ingress = (tls: string, name = '{{ include "library.fullname" . }}') => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  labels:
    {{- include "library.labels" . | nindent 4 }}
spec:
${tls}  rules:
    - host: www.example.com
`
const tls = '  tls: [{ hosts: [www.example.com], secretName: www }]\n'

async function judged(base: Files, head: Files): Promise<string[]> {
  const report = await judgeChange(base, head, 'helm', policies)
  return [
    ...places(report),
    ...report.findings.flatMap(({ rule, text }) => (rule === 'source/unrendered' ? [text] : [])),
  ]
}

describe('a chart without its library', () => {
  test('is rendered with placeholders for the names that the library makes', async () => {
    expect(await judged(chart(ingress(tls)), { 'web/templates/ingress.yaml': ingress('') })).toEqual([
      'warning base/web/templates/ingress.yaml:8 template ingress-tls/tls-kept',
    ])
  })

  test('has the versions and the values that templates of Bitnami give', async () => {
    const text = (entry: string) => `apiVersion: {{ include "common.capabilities.ingress.apiVersion" . }}
kind: Ingress
metadata: { name: web }
spec:
  ${entry}: {{ include "common.tplvalues.render" (dict "value" .Values.tls "context" $) | nindent 4 }}
  rules: [{ host: www.example.com }]
`
    const values = {
      'web/values.yaml': 'tls: [{ hosts: ["www.{{ .Values.zone }}"], secretName: www }]\nzone: example.com\n',
    }
    expect(await judged(chart(text('tls'), values), { 'web/templates/ingress.yaml': text('tsl') })).toEqual([
      'warning head/web/templates/ingress.yaml:5 template ingress-tls/ingress-accepted',
      'warning head/web/templates/ingress.yaml:5 template ingress-tls/tls-kept',
    ])
  })

  test('is no fault where the change includes a chart that may not be fetched any more', async () => {
    const dependencies = (own: string) => `apiVersion: v2
name: web
version: 1.0.0
dependencies:
  - {name: library, version: 2.0.0, repository: https://charts.example.com}
  - {name: part, version: 1.0.0, repository: ${own}}
`
    const before = { ...chart(ingress(tls)), 'web/Chart.yaml': dependencies('https://charts.example.com') }
    const part: Files = {
      'web/Chart.yaml': dependencies('file://vendor/part'),
      'web/vendor/part/Chart.yaml': 'apiVersion: v2\nname: part\nversion: 1.0.0\n',
      'web/vendor/part/charts/library-1.0.0.tgz': 'packed',
      'web/vendor/part/templates/_helpers.tpl': '{{- define "library.fullname" -}}web{{- end -}}',
    }
    expect(await judged(before, part)).toEqual(['notice head/web/Chart.yaml:6 exact source/not-judged'])
    const found = await judged(before, { ...part, 'web/templates/ingress.yaml': ingress('', '{{ Values.name }}') })
    expect(found).toContain('head/web/templates/ingress.yaml:4 exact source/unrendered')
    const cut = await judged(before, { ...part, 'web/templates/ingress.yaml': ingress('') })
    expect(cut).toContain('warning base/web/templates/ingress.yaml:8 template ingress-tls/tls-kept')
  })

  test('fails where the change breaks a template', async () => {
    expect(
      await judged(chart(ingress(tls)), { 'web/templates/ingress.yaml': ingress(tls, '{{ Values.name }}') }),
    ).toEqual([
      'head/web/templates/ingress.yaml:4 exact source/unrendered',
      'Helm cannot render it: parse error at (web/templates/ingress.yaml:4): function "Values" not defined. It is unknown whether this change keeps Ingress default/<library.fullname>. Fix this error; `helm template web web --namespace default` shows all of it.',
    ])
  })

  test('does not fail by a value that the library may have', async () => {
    const head = { 'web/templates/ingress.yaml': ingress(tls, '{{ .Values.library.name.short }}') }
    expect(await judged(chart(ingress(tls)), head)).toEqual([])
  })
})

describe('a chart of which no release is known', () => {
  const without = { 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' }
  const named = (entry: string) => ingress(entry, '{{ .Values.global.name }}').replace(/ {2}labels:\n.*\n/, '')

  test('is rendered with placeholders for the values that it misses', async () => {
    const head = { 'web/templates/ingress.yaml': named('') }
    expect(await judged(chart(named(tls), without), head)).toEqual([
      'warning base/web/templates/ingress.yaml:6 template ingress-tls/tls-kept',
    ])
  })

  test('has findings at the line of the template', async () => {
    const config = (name: string, data: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${data}`
    const before = {
      ...without,
      'web/values.yaml': 'port: 80\n',
      'web/values-production.yaml': 'port: 443\n',
      'web/templates/worker.yaml': config('worker', 'data:\n  image: {{ .Values.image.repository }}\n'),
    }
    // Without the line of `binaryData` the template is broken, and the finding gone, too.
    const twice = config('web', 'data:\n  zone: a.test\n  zone: b.test\nbinaryData:\n    note: aGVsbG8=\n')
    expect(await judged(before, { 'web/templates/config.yaml': twice })).toEqual([
      'warning head/web/templates/config.yaml:7 template source/duplicate-key',
    ])
  })

  test('keeps the values that the change gives it', async () => {
    const text = named(tls).replace('- host: www.example.com', '- host: {{ .Values.zone.host }}')
    const head = { 'web/values.yaml': 'zone: { host: WWW_1.example.com }\n' }
    expect(await judged(chart(text, without), head)).toContainEqual(
      expect.stringMatching(/^warning head\/web\/values\.yaml:1 \w+ ingress-tls\/host-valid$/),
    )
  })

  test.each(['https://schemas.example.com/values.json', 'file://./charts/web/definitions.json'])(
    'is rendered without a part of the schema of its values that is elsewhere: %s',
    async (place) => {
      const schema = { 'web/values.schema.json': `{"$ref": "${place}"}\n` }
      const fixed = (entry: string) => named(entry).replace('{{ .Values.global.name }}', 'web')
      const head = { 'web/templates/ingress.yaml': fixed('') }
      expect(await judged(chart(fixed(tls), { ...without, ...schema }), head)).toEqual([
        'base/web/templates/ingress.yaml:6 template ingress-tls/tls-kept',
      ])
    },
  )

  test('is rendered without the values that it requires', async () => {
    const required = (entry: string) =>
      `{{- if not .Values.zone }}{{ fail "A zone is required." }}{{ end }}\n${named(entry).replace('.Values.global.name', 'required "Name it." .Values.name')}`
    const refusing = { ...without, 'web/templates/NOTES.txt': '{{ required "A zone!" .Values.zone }}\n' }
    expect(await judged(chart(required(tls), refusing), { 'web/templates/ingress.yaml': required('') })).toEqual([
      'warning base/web/templates/ingress.yaml:7 template ingress-tls/tls-kept',
    ])
  })

  test('is rendered without the templates that need other values', async () => {
    const failing = { ...without, 'web/templates/secret.yaml': 'data: {a: {{ .Values.key | b64enc }}}\n' }
    const text = (entry: string) => named(entry).replace('{{ .Values.global.name }}', 'web')
    expect(await judged(chart(text(tls), failing), { 'web/templates/ingress.yaml': text('') })).toEqual([
      'base/web/templates/ingress.yaml:6 template ingress-tls/tls-kept',
    ])
  })

  test('fails where only the change makes a template fail', async () => {
    const text = named(tls).replace('{{ .Values.global.name }}', 'web')
    const head = { 'web/templates/secret.yaml': 'data: {a: {{ .Values.key | b64enc }}}\n' }
    expect((await judged(chart(text, without), head))[0]).toBe(
      'head/web/templates/secret.yaml:1 exact source/unrendered',
    )
  })

  test('fails where a block reads the values by its own dot', async () => {
    const looped = (scope: string) =>
      `{{- with .Values.hosts }}\n${named(tls).replace('.Values.global.name', `${scope}.Values.hosts.first`)}{{- end }}\n# {{ .Values.global.name }}\n`
    const values = { 'web/values.yaml': 'hosts: { first: web }\n' }
    const report = await judged(chart(looped('$'), { ...without, ...values }), {
      'web/templates/ingress.yaml': looped(''),
    })
    expect(report).toEqual([
      'head/web/templates/ingress.yaml:5 exact source/unrendered',
      expect.stringContaining('executing "web/templates/ingress.yaml" at <.Values.hosts.first>'),
    ])
  })

  test('fails where its output is no YAML with the placeholders that the base has, too', async () => {
    const broken = await judged(chart(named(tls), without), {
      'web/templates/ingress.yaml': named(tls).replace('  rules:', '  class: a {{- print "" }}: b\n  rules:'),
    })
    expect(broken).toEqual([
      'warning head/web/templates/ingress.yaml:1 exact source/unrendered',
      expect.stringContaining('YAML parse error on web/templates/ingress.yaml'),
    ])
  })
})

test.each([['version: [[ .Version ]]'], ['version: "@VERSION@"'], ['version: 1.0.0\nappVersion: [[ .AppVersion ]]']])(
  'a chart with a version that a tool fills in is rendered: %s',
  async (version) => {
    const packed = { 'web/Chart.yaml': `apiVersion: v2\nname: web\n${version}\n`, 'web/values.yaml': 'port: 80\n' }
    const own = (text: string) =>
      text.replace(/\{\{ include "library.fullname" . \}\}/, 'web').replace(/.*library.labels.*/, '    a: b')
    const base = { ...packed, 'web/templates/ingress.yaml': own(ingress(tls)) }
    expect(await judged(base, { 'web/templates/ingress.yaml': own(ingress('')) })).toEqual([
      'base/web/templates/ingress.yaml:8 template ingress-tls/tls-kept',
    ])
  },
)

describe('a chart with values that only its releases have', () => {
  const values = { 'web/values.yaml': 'port: 80\n' }
  const own = (name: string, entry: string) => ({
    [`web/templates/${name}.yaml`]: `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${name}, labels: {zone: {{ index .Values.cluster "root-host" | quote }}}}
spec:
${entry}  rules: [{host: www.example.com}]
`,
  })
  const plain = { 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n', ...values }

  test('is rendered with placeholders for those that it reads with index', async () => {
    expect(await judged({ ...plain, ...own('www', tls) }, own('www', ''))).toEqual([
      expect.stringContaining('www.yaml:5 template ingress-tls/tls-kept'),
    ])
  })
})
