import { describe, expect, test } from '@jest/globals'
import { switchesIn } from '../../src/pipeline/opening/switches'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const template = (
  tls = 'tls:\n    - secretName: shop-tls\n      hosts: [{{ .Values.ingress.host }}]',
) => `{{- if .Values.ingress.enabled }}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
spec:
  {{- if .Values.ingress.secure }}
  ${tls}
  {{- end }}
  rules:
    - host: {{ .Values.ingress.host }}
  defaultBackend: {service: {name: shop, port: {number: 80}}}
{{- end }}
`

const values = (more = '') => `ingress:\n  enabled: false\n  secure: false\n  host: shop.example.com\n${more}`

const chart: Files = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
  'shop/values.yaml': values(),
  'shop/templates/ingress.yaml': template(),
}

/** Another Secret name would be no finding; this leaves the host out. */
const uncovered = template('tls:\n    - secretName: shop-tls\n      hosts: [www.{{ .Values.ingress.host }}]')

/** The entries of the changed files, and the reason of the first that is not judged. */
async function ledgerOf(base: Files, change: Files) {
  const { inspected } = await judgeChange(base, change)
  const files = inspected.files ?? []
  return {
    states: files.map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' ')),
    reason: files.find(({ state }) => state === 'not-judged')?.reason,
  }
}

/** A template that fails at line 17 where it is rendered. */
const failing = (line: string) => `${template()}{{- if .Values.ingress.enabled }}\n${line}\n{{- end }}\n`

const file = 'shop/templates/ingress.yaml'
const warned = `warning head/${file}:10 template ingress-tls/host-covered`

describe('a chart that no known release installs', () => {
  test('is not blamed for a part of a host that only a release has', async () => {
    const host = (written: string) => ({
      'shop/templates/ingress.yaml': template().replaceAll('{{ .Values.ingress.host }}', written),
      'shop/values.yaml': values().replaceAll('false', 'true'),
    })
    const judged = async (written: string) =>
      places(await judgeChange(chart, host(written), 'helm', ['ingress-tls@1.1.0'])).filter((one) =>
        one.endsWith('host-valid'),
      )
    expect(await judged('shop.{{ .Values.domain }}')).toEqual([])
    expect(await judged('shop_a.example.com')).toEqual([`head/${file}:10 template ingress-tls/host-valid`])
  })

  test.each([
    ['that are written without a type', '- path: /\n            backend:', [`warning head/${file}:17 untyped`]],
    [
      'whose type a value may write',
      '{{- toYaml .Values.paths | nindent 10 }}\n          - path: /\n            backend:',
      [],
    ],
    ['with a type', '- path: /\n            pathType: Prefix\n            backend:', []],
  ])('is blamed for paths %s', async (_, path, expected) => {
    const rules = `  rules:\n    - host: shop.example.com\n      http:\n        paths:\n          ${path}\n              service: {name: shop, port: {number: 80}}\n  tls: {{- toYaml .Values.tls | nindent 4 }}\n`
    const text = template().slice(0, template().indexOf('  rules:')) + `${rules}{{- end }}\n`
    const { findings } = await judgeChange(
      { ...chart, 'shop/values.yaml': values('paths: []\ntls: []\n') },
      { [file]: text },
      'helm',
      ['ingress-tls@^1.14.0'],
    )
    expect(
      findings
        .filter(({ rule }) => rule === 'ingress-tls/ingress-accepted')
        .map(
          ({ level, message, location: { side, path: at, region } }) =>
            `${level} ${side}/${at}:${region.startLine} ${message}`,
        ),
    ).toEqual(expected)
  })

  test('is not blamed for rules that only a release has', async () => {
    const judged = async (rules: string) => {
      const text = template().slice(0, template().indexOf('  rules:')) + `${rules}{{- end }}\n`
      const report = await judgeChange(chart, { [file]: text }, 'helm', ['ingress-tls@1.7.0'])
      return [
        ...places(report).filter((one) => one.endsWith('ingress-accepted')),
        ...report.inspected.skipped
          .map(({ reason }) => reason)
          .filter((reason) => reason.includes('unless the values')),
      ]
    }
    const skipped = (fault: string) =>
      `Ingress default/shop of cluster shop with ingress.enabled=true, ingress.secure=true: ${fault}, unless the values of a release add it`
    const rule = (path: string) =>
      `  rules:\n    - host: a.example.com\n      http: {paths: [{path: "${path}", pathType: Prefix, backend: {service: {name: "{{ .Values.name }}"}}}]}\n`
    expect(await judged('  rules:\n  {{- range .Values.hosts }}\n    - host: {{ . }}\n  {{- end }}\n')).toEqual([
      skipped('it has neither rules nor a defaultBackend'),
    ])
    const missing = skipped('the service of a backend has no name')
    const port = skipped('the service  of a backend has no port')
    expect(await judged(rule('/'))).toEqual([port, missing])
    expect(await judged(rule('//'))).toEqual([
      `warning head/${file}:14 template ingress-tls/ingress-accepted`,
      port,
      missing,
    ])
  })

  test('is not blamed for the name of a host that only a release has', async () => {
    const service = (name: string) =>
      `kind: Service\napiVersion: v1\nmetadata: {name: db}\nspec: {type: ExternalName, externalName: "${name}", clusterIP: ""}\n`
    const judged = async (name: string, more = '') => {
      const head = { 'shop/templates/db.yaml': `${service(name)}${more}` }
      return places(await judgeChange(chart, head, 'helm', ['ingress-tls@1.13.0']))
    }
    expect(await judged('{{ .Values.db }}')).toEqual([])
    expect(
      await judged(
        'db.example.com',
        '---\nkind: Service\napiVersion: v1\nmetadata: {name: none}\nspec: {type: NodePort, clusterIP: None}\n',
      ),
    ).toEqual(['head/shop/templates/db.yaml:9 template ingress-tls/service-accepted'])
  })

  test('is rendered with its switches on, and what they show is a warning', async () => {
    const report = await judgeChange(chart, { [file]: uncovered })
    expect(places(report)).toEqual([warned])
    expect(report.findings[0]?.text).toBe(
      'No entry of spec.tls lists shop.example.com, so the controller serves it with its default certificate. Add shop.example.com to the hosts of the entry whose certificate covers it. This assumes a release of shop with ingress.enabled=true, ingress.secure=true.',
    )
    expect(report.findings[0]?.cluster).toBe('shop with ingress.enabled=true, ingress.secure=true')
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 0 })
    expect(report.inspected.files).toMatchObject([{ path: file, state: 'judged' }])
    expect(report.status).toBe(0)
  })

  test('is not where the config declares a release of it', async () => {
    const declared = {
      ...chart,
      '.github/ingress-guard.yaml': 'format: 1\nhelm:\n  - {chart: shop, release: shop, namespace: shop}\n',
    }
    const report = await judgeChange(declared, { [file]: uncovered })
    expect(places(report)).toEqual([])
    expect(report.inspected.head.rendered).toBe(0)
  })

  test('with the switch on by default is judged by that alone', async () => {
    const before = { ...chart, [file]: uncovered }
    const report = await judgeChange(before, { 'shop/values.yaml': values().replaceAll('false', 'true') })
    expect(places(report)).toEqual(['head/shop/values.yaml:2 values ingress-tls/host-covered'])
    expect(report.findings.map(({ status }) => status)).toEqual(['introduced'])
  })

  test('is judged with the values of its tests', async () => {
    const tested: Files = {
      ...chart,
      'shop/templates/ingress.yaml': template().replace('ingress.secure', 'ingress.certificate'),
      'shop/ci/tls-values.yaml': 'ingress: {enabled: true, certificate: a}\n',
      'shop/ci/notes.yaml': 'ingress: {enabled: true, certificate: b}\n',
    }
    const report = await judgeChange(tested, { [file]: uncovered.replace('ingress.secure', 'ingress.certificate') })
    expect(places(report)).toEqual([warned])
    expect(report.findings[0]?.text).toMatch(
      / This assumes a release of shop with the values of shop\/ci\/tls-values\.yaml\.$/,
    )
    const broken = await judgeChange(tested, { [file]: failing('{{ .Values.ingress.certificate.name }}') })
    expect(places(broken)).toEqual([`head/${file}:17 exact source/unrendered`])
  })

  test('with other values in its tests is not compared with these', async () => {
    const web = (tls: string, image: string) => `${template(tls)}---
apiVersion: v1
kind: ServiceAccount
metadata: {name: shop}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec: {serviceAccountName: shop, containers: [{name: shop, image: "example.com/shop:${image}"}]}
`
    const tls = 'tls: [{secretName: shop-tls, hosts: [{{ .Values.ingress.host }}]}]'
    const secure = 'ingress: {enabled: true, secure: true}\n'
    const before = { ...chart, [file]: web(tls, '1'), 'shop/ci/tls-values.yaml': secure }
    const found = async (head: Files) => {
      const report = await judgeChange(before, { ...head, 'shop/ci/tls-values.yaml': null }, 'helm', ['ingress-tls'])
      return report.findings.flatMap(({ rule }) => (rule === 'ingress-tls/tls-kept' ? [rule] : []))
    }
    const other = { 'shop/ci/plain-values.yaml': 'ingress: {enabled: true}\n' }
    expect(await found({ ...other, [file]: web(tls, '2') })).toEqual([])
    expect(await found({ ...other, [file]: web('', '2') })).toEqual(['ingress-tls/tls-kept'])
  })

  test('has findings at the edit that causes them, among several', async () => {
    const base = { ...chart, 'shop/templates/_host.tpl': '{{ define "host" }}{{ .Values.ingress.host }}{{ end }}\n' }
    const before = {
      ...base,
      [file]: template().replace('host: {{ .Values.ingress.host }}', 'host: {{ include "host" . }}'),
    }
    const report = await judgeChange(before, {
      'shop/templates/_host.tpl': '{{ define "host" }}www.{{ .Values.ingress.host }}{{ end }}\n',
      [file]: `# a comment\n${before[file]}`.replace('port: {number: 80}', 'port: {number: 81}'),
      'shop/values.yaml': values('# more\n'),
    })
    expect(places(report)).toEqual(['warning head/shop/templates/_host.tpl:1 template ingress-tls/host-covered'])
  })

  test('and that fails with its switches on at the head alone is a warning', async () => {
    const report = await judgeChange(chart, { [file]: failing('{{ .Values.ingress.missing.name }}') })
    expect(places(report)).toEqual([`warning head/${file}:17 exact source/unrendered`])
    expect(report.findings[0]?.text).toMatch(
      /^Helm cannot render it: shop\/templates\/ingress\.yaml:17:.* nil pointer evaluating .*\. This assumes a release of shop with ingress\.enabled=true, ingress\.secure=true\.$/,
    )
  })

  test.each([
    ['refuses the switches by itself', template(), failing('{{ fail "name a host" }}')],
    [
      'fails so at both sides',
      failing('{{ .Values.ingress.missing.name }}'),
      failing('{{ .Values.ingress.missing.other }}'),
    ],
    ['no longer fails so', failing('{{ .Values.ingress.missing.name }}'), template()],
  ])('and that %s is no finding', async (_, before, after) => {
    const report = await judgeChange({ ...chart, [file]: before }, { [file]: after })
    expect(places(report).filter((place) => place.endsWith('source/unrendered'))).toEqual([])
    expect(report.inspected.skipped).toEqual([])
  })

  test('has only the switches of its routes on where it does not render with all', async () => {
    const base = {
      ...chart,
      'shop/values.yaml': values('cluster: {enabled: false}\n'),
      'shop/templates/cluster.yaml': '{{ if .Values.cluster.enabled }}\nkind: ClusterRole\n{{ end }}\n',
      'shop/values.schema.json': '{"properties": {"cluster": {"properties": {"enabled": {"const": false}}}}}\n',
    }
    const report = await judgeChange(base, { [file]: uncovered })
    expect(places(report)).toEqual([warned])
    expect(report.findings[0]?.text).toMatch(/ with ingress\.enabled=true, ingress\.secure=true\.$/)
  })

  test('has the switches of the charts in it on, too', async () => {
    const base = Object.fromEntries(Object.entries(chart).map(([name, text]) => [`all/charts/${name}`, text]))
    const report = await judgeChange(
      { ...base, 'all/Chart.yaml': 'apiVersion: v2\nname: all\nversion: 1.0.0\n' },
      { [`all/charts/${file}`]: uncovered },
    )
    expect(places(report)).toEqual([warned.replace('shop/', 'all/charts/shop/')])
    expect(report.findings[0]?.text).toMatch(/ of all with shop\.ingress\.enabled=true, shop\.ingress\.secure=true\.$/)
  })
})

describe('a change that no rendering reaches', () => {
  const annotated = (name: string) =>
    template().replace(
      'spec:',
      `  {{- with .Values.ingress.notes }}\n  annotations:\n    ${name}: {{ . }}\n  {{- end }}\nspec:`,
    )
  const noted = { ...chart, [file]: annotated('a') }

  test('is not judged, until values of a test reach it', async () => {
    const ledger = await ledgerOf(noted, { [file]: annotated('b') })
    expect(ledger.states).toEqual([`${file} not-judged not-reached`])
    expect(ledger.reason).toBe(
      'shop: with its default values and ingress.enabled=true, ingress.secure=true, the changed lines write nothing',
    )
    const tested = { ...noted, 'shop/ci/notes-values.yaml': 'ingress: {enabled: true, notes: x}\n' }
    expect((await ledgerOf(tested, { [file]: annotated('b') })).states).toEqual([`${file} judged`])
  })

  test.each([
    [
      'a line that is removed and was not reached',
      template().replace('spec:', '  {{- with .Values.ingress.notes }}\n  annotations:\n  {{- end }}\nspec:'),
      ' not-judged not-reached',
    ],
    [
      'a condition that is asked',
      annotated('a').replace('with .Values.ingress.notes', 'with .Values.ingress.remarks'),
      ' judged',
    ],
    ['a line that is removed and was reached', annotated('a').replace('  name: shop\n', ''), ' judged'],
    ['comments and space', `{{- /* notes */}}\n# notes\n${annotated('a')}`, ' judged'],
  ])('%s', async (_, after, state) => {
    expect((await ledgerOf(noted, { [file]: after })).states).toEqual([`${file}${state}`])
  })

  test('values that no object uses, and those that one uses', async () => {
    const path = 'shop/values.yaml'
    const unused = await ledgerOf(chart, { [path]: values('notes: {a: 1}\n') })
    expect(unused.states).toEqual([`${path} not-judged not-reached`])
    expect(unused.reason).toBe(
      'shop: with its default values and ingress.enabled=true, ingress.secure=true, no object uses the changed values',
    )
    for (const same of ['# notes\n', 'notes: {a: "", b: [], c: false}\n'])
      expect((await ledgerOf(chart, { [path]: values(same) })).states).toEqual([`${path} input`])
    expect((await ledgerOf(chart, { [path]: values().replace('shop.', 'www.') })).states).toEqual([`${path} input`])
  })

  test('is a file of a chart that stays: one that goes, and one that comes, are judged as before', async () => {
    const gone = await ledgerOf(noted, Object.fromEntries(Object.keys(noted).map((name) => [name, null])))
    expect(gone.states).not.toContain(`${file} not-judged not-reached`)
    const come = await ledgerOf({ 'a.yaml': 'a: 1\n' }, noted)
    expect(come.states).not.toContain(`${file} not-judged not-reached`)
  })
})

describe('the switches of a chart', () => {
  const off = {
    ingress: { enabled: false, tls: false, host: '' },
    rbac: { create: false },
    'cert-manager': { enabled: false },
    debug: false,
    on: true,
  }
  const cases: [what: string, template: string, expected: string[]][] = [
    ['a condition', '{{ if .Values.ingress.enabled }}', ['ingress.enabled']],
    [
      'several in one',
      '{{ if and $.Values.ingress.enabled (or .Values.debug .Values.on) }}',
      ['debug', 'ingress.enabled'],
    ],
    ['a further branch', '{{ if .a }}{{ else if .Values.debug }}', ['debug']],
    ['a block', '{{ with .Values.ingress }}{{ if .tls }}{{ end }}{{ end }}{{ if .debug }}', ['ingress.tls']],
    ['a block of all values', '{{ with .Values }}{{ if eq (.debug | toString) "true" }}{{ end }}{{ end }}', ['debug']],
    ['a variable', '{{ $ingress := .Values.ingress }}{{ if $ingress.tls }}', ['ingress.tls']],
    ['a named template', '{{ define "on" }}{{ .Values.rbac.create }}{{ end }}{{ if include "on" . }}', ['rbac.create']],
    ['one that asks whether it is off', '{{ if not .Values.debug }}', []],
    ['text', '{{ .Values.debug }} if .Values.debug', []],
    [
      'a value that is no switch',
      '{{ if .Values.ingress.host }}{{ if .Values.ingress }}{{ if .Values.gone.enabled }}',
      [],
    ],
    ['a name with a dash', '{{ if (index .Values "cert-manager" "enabled") }}', ['cert-manager.enabled']],
    ['the opposite of one', '{{ if not (index .Values "cert-manager" "enabled") }}', []],
    ['an inherited name', '{{ if .Values.constructor.name }}', []],
  ]
  test.each(cases)('%s', (_, text, expected) => {
    expect(switchesIn([[off]], [{ file, text, above: [], isChanged: true }]).all).toEqual(expected)
    expect(switchesIn([[off]], [{ file, text, above: [], isChanged: false }]).all).toEqual([])
  })

  test('of what the change does not touch, only routes, certificates and permissions count', () => {
    const of = (text: string) =>
      switchesIn([[off]], [{ file, text: `{{ if .Values.debug }}\n${text}`, above: [], isChanged: false }])
    expect(of('kind: Ingress')).toMatchObject({ all: ['debug'], ofRoutes: ['debug'], withoutDefault: [] })
    expect(of('kind: "ClusterRole"')).toMatchObject({ all: ['debug'], ofRoutes: [], withoutDefault: [] })
    expect(of('kind: Deployment')).toMatchObject({ all: [], ofRoutes: [], withoutDefault: [] })
  })

  test('that are new and leave objects out stay off', () => {
    const text = '{{ if not .Values.debug }}\nkind: ClusterRole\n{{ end }}{{ if .Values.debug }}'
    const withDefault = (sides: readonly unknown[]) =>
      switchesIn(
        sides.map((side) => [side]),
        [{ file, text, above: [], isChanged: true }],
      ).all
    expect(withDefault([{}, { debug: false }])).toEqual([])
    expect(withDefault([{ debug: false }, { debug: false }])).toEqual(['debug'])
  })

  test('of a chart in another one are below its name', () => {
    const api = { file, text: '{{ if .Values.ingress.enabled }}\nkind: Ingress', above: ['api'], isChanged: false }
    const both = [{ api: { enabled: false } }, { api: { ingress: { enabled: false } } }]
    expect(switchesIn([both], [api]).all).toEqual(['api.enabled', 'api.ingress.enabled'])
  })
})
