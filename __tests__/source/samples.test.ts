import { describe, expect, test } from '@jest/globals'
import { examplesIn } from '../../src/pipeline/opening/example-values'
import { samplesIn } from '../../src/pipeline/opening/samples'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const template = (
  annotations = '{{- with .Values.ingress.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}',
) => `{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  ${annotations}
spec:
  {{- if .Values.ingress.tls }}
  tls:
    {{- range .Values.ingress.tls }}
    - secretName: {{ .secretName }}
      hosts:
        {{- range .hosts }}
        - {{ . | quote }}
        {{- end }}
    {{- end }}
  {{- end }}
  rules:
    {{- range .Values.ingress.hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend: {service: {name: shop, port: {number: {{ $.Values.port }}}}}
    {{- end }}
{{- end }}
`

const file = 'shop/templates/ingress.yaml'

const chart: Files = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'shop/values.yaml': 'port: 80\ningress: {enabled: false, annotations: {}, tls: [], hosts: []}\n',
  [file]: template(),
}

/** Places and texts of what a change of the chart introduces. */
async function judged(before: Files, change: Files) {
  const report = await judgeChange(before, change)
  return { places: places(report), texts: report.findings.map(({ text }) => text) }
}

describe('a chart that no known release installs is rendered with samples of what its values leave empty', () => {
  test('and with another namespace, where a changed template reads one and both sides have the value', async () => {
    const account = (place: string) => `apiVersion: v1
kind: ServiceAccount
metadata: {name: shop, namespace: ${place}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: shop, namespace: {{ .Values.namespaceOverride | default .Release.Namespace }}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: ServiceAccount, name: shop, namespace: {{ .Values.namespaceOverride | default .Release.Namespace }}}]
`
    const rbac = 'shop/templates/rbac.yaml'
    const right = account('{{ .Values.namespaceOverride | default .Release.Namespace }}')
    const values = { 'shop/values.yaml': 'namespaceOverride: ""\n' }
    const withOne = { 'shop/Chart.yaml': chart['shop/Chart.yaml'] ?? '', ...values, [rbac]: right }
    const found = async (before: Files, after: Files) =>
      (await judgeChange(before, after, 'helm', ['protected-rbac@1.16.0'])).findings.map(({ text }) => text)
    const [first] = await found(withOne, { [rbac]: account('{{ .Release.Namespace }}') })
    expect(first).toMatch(
      /^RoleBinding sample\/shop names ServiceAccount shop in namespace sample, where the files have no/,
    )
    expect(first).toMatch(/This assumes a release of shop with namespaceOverride="sample"\.$/)
    const fixed = right.replaceAll('.Values.namespaceOverride | default ', '')
    expect(
      await found({ ...withOne, 'shop/values.yaml': '{}\n', [rbac]: fixed }, { ...values, [rbac]: right }),
    ).toEqual([])
  })

  test('and with paths for the default hosts, where these have none', async () => {
    const paths = (backend: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
spec:
  rules:
    {{- range .Values.ingress.hosts }}
    - host: {{ .host | quote }}
      http:
        paths:
          {{- range .paths }}
          - path: {{ . }}
            pathType: Prefix
            backend: ${backend}
          {{- end }}
    {{- end }}
`
    const values = 'ingress: {hosts: [{host: shop.example.com, paths: []}]}\n'
    const before = { ...chart, 'shop/values.yaml': values, [file]: paths('{service: {name: a, port: {number: 80}}}') }
    const change = { [file]: paths('{serviceName: shop, servicePort: 80}') }
    const report = await judgeChange(before, change, 'helm', ['ingress-tls@^1.18.0'])
    expect(places(report)).toContain(`warning head/${file}:14 template ingress-tls/ingress-accepted`)
    expect(report.findings.map(({ text }) => text).join('\n')).toMatch(
      /backend\.serviceName, which is no field of an Ingress/,
    )
  })

  test('a default host is not compared with the hosts of a supposed TLS entry', async () => {
    const values = 'port: 80\ningress: {enabled: false, annotations: {}, tls: [], hosts: [{host: shop.example.com}]}\n'
    const found = await judged({ 'README.md': 'Charts\n' }, { ...chart, 'shop/values.yaml': values })
    expect(found.places).toEqual([])
  })

  test('annotations at a wrong indentation are a warning at their line', async () => {
    const wrong = '{{- with .Values.ingress.annotations }}\n  annotations:\n    {{ toYaml . | indent 4 }}\n  {{- end }}'
    const found = await judged(chart, { [file]: template(wrong) })
    expect(found.places).toEqual([`warning head/${file}:8 exact source/unrendered`])
    expect(found.texts[0]).toMatch(
      /^Helm cannot render it: YAML parse error on shop\/templates\/ingress\.yaml: .* This assumes a release of shop with ingress\.enabled=true, ingress\.annotations=\{"example\.com\/ingress-annotations-one":"sample","example\.com\/ingress-annotations-two":"sample"\}, ingress\.hosts=\[\{"host":"ingress\.sample\.example\.com"\}\], ingress\.tls=\[\{"secretName":"ingress-sample-tls","hosts":\["ingress\.sample\.example\.com"\]\}\]\.$/,
    )
  })

  test('a value that is read from an item is a warning at the line that reads it', async () => {
    const found = await judged(chart, { [file]: template().replace('$.Values.port', '.Values.port') })
    expect(found.places).toEqual([`warning head/${file}:28 exact source/unrendered`])
  })

  test('a TLS entry without the hosts of the rules is a warning', async () => {
    const found = await judged(chart, { [file]: template().replace('- {{ . | quote }}', '- www.{{ . }}') })
    expect(found.places).toEqual([`warning head/${file}:17 template ingress-tls/host-covered`])
  })

  test.each([
    ['that is right', template().replace('toYaml . | nindent 4', 'tpl (toYaml .) $ | nindent 4')],
    [
      'that requires what only a release has',
      template().replace('{{ .secretName }}', '{{ required "name an owner" .owner }}'),
    ],
    ['that takes another shape of an empty value', template().replace('{{ .host | quote }}', '{{ . | quote }}')],
  ])('a change %s is no finding', async (_, after) => {
    expect((await judged(chart, { [file]: after })).places.filter((one) => !one.endsWith('source/not-judged'))).toEqual(
      [],
    )
  })

  test('of a new Ingress, no finding is on the names in the samples', async () => {
    const before = { ...chart, 'shop/values.yaml': `${chart['shop/values.yaml']}admin: {}\n` }
    const added = template()
      .replaceAll('.ingress.', '.admin.')
      .replace('range .Values.admin.hosts', 'range .Values.hosts')
      .replace('name: shop\n', 'name: admin\n')
    expect(
      (
        await judged(before, {
          'shop/templates/admin.yaml': added.replace('.Values.admin.enabled', '.Values.ingress.enabled'),
        })
      ).places,
    ).toEqual([])
  })

  test('a fault of the head is found beside one that both sides have, and a refusal', async () => {
    const labelled = (name: string, how: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  labels:\n    app: shop\n    {{- with .Values.${name}.annotations }}\n  annotations:\n    ${how}\n    {{- end }}\n`
    const right = '{{- toYaml . | nindent 4 }}'
    const base: Files = {
      'shop/Chart.yaml': String(chart['shop/Chart.yaml']),
      'shop/values.yaml': 'url: ""\nadmin: {annotations: {}}\nworker: {annotations: {}}\n',
      // The second of two annotations is at another place than the first.
      'shop/templates/worker.yaml': labelled('worker', '{{ toYaml . | indent 2 }}'),
      'shop/templates/secret.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: url}\ndata: {url: {{ required "set url" .Values.url }}}\n',
      'shop/templates/admin.yaml': labelled('admin', right),
    }
    const wrong = labelled('admin', right).replace('  annotations:', '      annotations:')
    const worker = labelled('worker', '{{ toYaml . | indent 2 }}').replace('app: shop', 'app: web')
    const change = { 'shop/templates/admin.yaml': wrong, 'shop/templates/worker.yaml': worker }
    const found = await judged(base, change)
    expect(found.places).toEqual(['warning head/shop/templates/admin.yaml:8 exact source/unrendered'])
    expect(found.texts[0]).toContain('This assumes a release of shop with admin.annotations={')
  })

  test('those of a template that the base does not render with them are left out', async () => {
    const base = {
      ...chart,
      'shop/values.yaml': `${chart['shop/values.yaml']}admin: {hosts: []}\n`,
      'shop/templates/admin.yaml':
        'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: admin}\nspec:\n  rules:\n    {{- range .Values.admin.hosts }}\n    - host: {{ .host }}\n      path: {{ index .host "a" }}\n    {{- end }}\n',
    }
    const found = await judged(base, { [file]: template().replace('$.Values.port', '.Values.port') })
    expect(found.places).toEqual([`warning head/${file}:28 exact source/unrendered`])
    expect(found.texts[0]).not.toContain('admin.hosts')
  })
})

describe('samples', () => {
  const samples = (values: unknown, text: string, above: string[] = [], examples?: ReadonlyMap<string, unknown>) =>
    samplesIn(
      [values],
      [{ file: 'templates/ingress.yaml', text: `kind: Ingress\n${text}`, above, isChanged: true }],
      examples,
    ).map(({ path, value }) => `${path}=${JSON.stringify(value)}`)

  test.each<[what: string, values: unknown, template: string, expected: string[]]>([
    ['a list of hosts', { hosts: [] }, '{{ range .Values.hosts }}{{ . }}{{ end }}', ['hosts=["sample.example.com"]']],
    ['a class', { ingress: { className: '' } }, '{{ .Values.ingress.className }}', ['ingress.className="sample"']],
    ['a host in a map', { hostName: { a: '' } }, '{{ .Values.hostName.a }}', ['hostName.a="a.sample.example.com"']],
    [
      'a key that is not there',
      {},
      '{{ toYaml .Values.web.labels }}',
      ['web.labels={"example.com/web-labels-one":"sample","example.com/web-labels-two":"sample"}'],
    ],
    [
      'TLS as YAML',
      { tls: null },
      '{{ toYaml .Values.tls }}',
      ['tls=[{"hosts":["sample.example.com"],"secretName":"sample-tls"}]'],
    ],
    [
      'variables',
      { tls: [] },
      '{{ range $i, $one := .Values.tls }}{{ $one.secretName }}{{ end }}',
      ['tls=[{"secretName":"sample-tls"}]'],
    ],
    ['a text that a condition asks for', { kind: 'a' }, '{{ if eq .Values.kind "b" }}', ['kind="b"']],
    [
      'one of the texts that conditions ask for',
      { kind: 'a' },
      '{{ if eq "a" .Values.kind }}{{ else if eq .Values.kind "b" }}',
      [],
    ],
    [
      'an empty list in the items that a list has',
      { hosts: [{ host: 'a.b', paths: [] }] },
      '{{ range .Values.hosts }}{{ .host }}{{ range .paths }}{{ . }}{{ end }}{{ end }}',
      ['hosts=[{"host":"a.b","paths":["/"]}]'],
    ],
    [
      'an empty list of maps in the items that a list has',
      { hosts: [{ host: 'a.b' }, { host: 'c.d', paths: null }] },
      '{{ range .Values.hosts }}{{ .host }}{{ range .paths }}{{ .path }}{{ .pathType }}{{ end }}{{ end }}',
      [
        'hosts=[{"host":"a.b","paths":[{"path":"/","pathType":"Prefix"}]},{"host":"c.d","paths":[{"path":"/","pathType":"Prefix"}]}]',
      ],
    ],
    [
      'a list in the items that one of them has',
      {
        hosts: [
          { host: 'a.b', paths: ['/a'] },
          { host: 'c.d', paths: [] },
        ],
      },
      '{{ range .Values.hosts }}{{ .host }}{{ range .paths }}{{ . }}{{ end }}{{ end }}',
      [],
    ],
    [
      'items that are no maps',
      { hosts: ['a.b'] },
      '{{ range .Values.hosts }}{{ .host }}{{ range .paths }}{{ . }}{{ end }}{{ end }}',
      [],
    ],
    ['a default that is there', { host: 'a.b' }, '{{ .Values.host }}', []],
    ['annotations as text', { annotations: '' }, '{{ toYaml .Values.annotations }}', []],
    ['two shapes', { hosts: [] }, '{{ range .Values.hosts }}{{ . }}{{ .host }}{{ end }}', []],
    ['a shape that only a named template knows', { hosts: [] }, '{{ include "hosts" .Values.hosts }}', []],
    ['a value above that is no map', { ingress: false }, '{{ .Values.ingress.host }}', []],
  ])('%s', (_, values, text, expected) => {
    expect(samples(values, text)).toEqual(expected)
  })

  test('are of the values of a chart in another one, other than the global ones', () => {
    const text = '{{ .Values.host }}{{ .Values.global.host }}'
    expect(samples({}, text, ['api'])).toEqual([
      'api.host="api.sample.example.com"',
      'global.host="global.sample.example.com"',
    ])
  })
})

describe('the examples of a values file', () => {
  test.each<[what: string, text: string, expected: Record<string, unknown>]>([
    [
      'a list below an empty one',
      'roles: []\n# - name: a\n#   verbs: [get]\n',
      { roles: [{ name: 'a', verbs: ['get'] }] },
    ],
    ['a list below nothing', 'rbac:\n  roles:\n  # - name: a\n  b: 1\n', { 'rbac.roles': [{ name: 'a' }] }],
    ['a map below an empty one', 'labels: {}\n  # app.example.com/a: b\n', { labels: { 'app.example.com/a': 'b' } }],
    ['no sentence', 'labels: {}\n# Labels for Pods: none by default.\n', {}],
    ['no description of what follows', 'roles: []\n# -- a list\nother: 1\n', {}],
    ['no list below an empty map', 'labels: {}\n# - a\n', {}],
    ['nothing behind an empty comment', 'roles: []\n#\n# - a\n', {}],
    ['no broken YAML', 'roles: []\n# - a: [\n', {}],
  ])('%s', (_, text, expected) => {
    expect(Object.fromEntries(examplesIn(text))).toEqual(expected)
  })

  test('are samples of lists that a changed template goes through', async () => {
    const roles = 'rbac:\n  roles: []\n  # - name: config\n  #   verbs: [get]\n'
    const role = (group: string) => `{{- range .Values.rbac.roles }}
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: {{ .name }}}
rules:
  - apiGroups: [${group}]
    resources: [configmaps]
    verbs: {{ toJson .verbs }}
---
{{- end }}
`
    const base = {
      'shop/Chart.yaml': String(chart['shop/Chart.yaml']),
      'shop/values.yaml': roles,
      'shop/templates/role.yaml': role('""'),
    }
    const report = await judgeChange(base, { 'shop/templates/role.yaml': role('apps') }, 'helm', [
      'protected-rbac@^1.10.0',
    ])
    expect(places(report)).toEqual(['warning head/shop/templates/role.yaml:6 template protected-rbac/resources-known'])
    expect(report.findings[0]?.text).toMatch(
      / This assumes a release of shop with the example of rbac\.roles in a comment of its values\.$/,
    )
  })
})
