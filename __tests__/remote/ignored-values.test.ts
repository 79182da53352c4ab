import { expect, test } from '@jest/globals'
import { application, changeOnline, helmRelease, serveCharts } from './charts'

const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, annotations: {{ toJson .Values.server.ingress.annotations }}}
spec:
  ingressClassName: {{ .Values.server.ingress.className }}
  rules: [{host: "{{ .Values.server.ingress.host }}"}]
`

const files = {
  'values.yaml':
    'server: {ingress: {className: nginx, host: web.example.com, annotations: {}, legacy: ""}}\ncache: {}\n',
  'templates/ingress.yaml': ingress,
}

const charts = serveCharts({
  web: {
    '1.0.0': files,
    '2.0.0': {
      'values.yaml': 'ingress: {className: nginx, host: web.example.com}\n',
      'templates/ingress.yaml': ingress.replaceAll('server.ingress', 'ingress'),
    },
  },
  open: { '1.0.0': { ...files, 'templates/all.yaml': '{{ $all := .Values }}' } },
  parent: {
    '1.0.0': {
      ...files,
      'Chart.yaml': `apiVersion: v2
name: parent
version: 1.0.0
dependencies: [{name: cache, version: 1.0.0, condition: cache.ingress.enabled}]
`,
      'charts/cache/Chart.yaml': 'apiVersion: v2\nname: cache\nversion: 1.0.0\n',
      'templates/port.yaml': '{{ if .Values.cache.port }}{{ end }}',
    },
  },
})

/** The findings of values that nothing reads, of a release that gets them. */
async function ignored(
  values: string,
  more: { readonly chart?: string; readonly from?: string; readonly to?: string } = {},
) {
  const { chart = 'web', from = '1.0.0', to = '1.0.0' } = more
  const release = (version: string, its: string) => ({
    'web.yaml': helmRelease('web', { chart, version, values: its }),
  })
  const policy = '--policy=controller-scope@^1.15.0'
  const report = await changeOnline(
    { ...charts.used(), ...release(from, from === to ? 'cache: {port: 1}\n' : values) },
    release(to, values),
    policy,
  )
  return report.findings
    .filter(({ rule, status }) => rule === 'controller-scope/values-read' && status === 'introduced')
    .map(
      ({ level, location, text }) =>
        `${level} ${location.region.startLine} ${text.split(': helm ')[0]} … ${text.split('. ').slice(1).join('. ')}`,
    )
}

test('a value beside those that the chart reads is named with them', async () => {
  expect(await ignored('server:\n  ingress:\n    tlsSecret: web\n')).toEqual([
    'warning 19 The values of HelmRelease web/web set server.ingress.tlsSecret, which no template of the chart web reads … In the same block the chart reads annotations, className, host and legacy; write one of these, or remove the value.',
  ])
})

test('a value that the chart reads in another block is named with that one', async () => {
  expect(await ignored('ingress:\n  host: web.example.com\n')).toEqual([
    'warning 17 The values of HelmRelease web/web set ingress, which no template of the chart web reads … The chart reads server.ingress; write it there.',
  ])
})

test('other capital letters are another value', async () => {
  const [found = ''] = await ignored('server:\n  ingress:\n    classname: nginx\n')
  expect(found).toContain('The chart reads server.ingress.className; write it there.')
})

test('a new version of the chart that reads the values elsewhere is the cause', async () => {
  const [found = ''] = await ignored('server:\n  ingress:\n    host: web.example.com\n', { to: '2.0.0' })
  expect(found).toContain(
    'set server, which no template of the chart web reads … Remove it, or write it where the chart has it',
  )
})

test.each([
  ['it is of no Ingress', 'replicas: 3\n', {}],
  ['the chart reads the block whole', 'server:\n  ingress:\n    annotations: {tls: "true"}\n', {}],
  ['the chart has it among its default values', 'server:\n  ingress:\n    legacy: web\n', {}],
  ['it is off', 'server:\n  ingress:\n    tls: false\n', {}],
  ['templates may read any value', 'server:\n  ingress:\n    tls: web\n', { chart: 'open' }],
  ['a value is a template', 'server:\n  ingress:\n    host: "{{ .Values.server.ingress.tls }}"\n    tls: web\n', {}],
  ['a dependency reads it', 'cache:\n  ingress:\n    host: web.example.com\n    enabled: true\n', { chart: 'parent' }],
])('no value is named where %s', async (_, values, more) => {
  expect(await ignored(values, more)).toEqual([])
})

test('the values of an Application are judged in the same way', async () => {
  const values = 'values: |\n  server:\n    ingress:\n      tlsSecret: web\n'
  const app = (its: string) =>
    application('web', { chart: 'web', version: '1.0.0', repository: charts.url, values: its })
  const report = await changeOnline(
    { ...charts.used(), 'web.yaml': app('values: |\n  cache: {port: 1}\n') },
    { 'web.yaml': app(values) },
    '--policy=controller-scope@^1.15.0',
  )
  expect(report.findings.map(({ rule, location }) => `${rule} ${location.region.startLine}`)).toContain(
    'controller-scope/values-read 17',
  )
})
