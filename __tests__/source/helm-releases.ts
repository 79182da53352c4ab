import { describe, expect, test } from '@jest/globals'
import { role } from './objects'
import { judgeChange, places, relatedPlaces } from './rendered'
import type { Files } from './repository'

const name = 'system:kube-controller-manager'
const kept = 'protected-rbac/object-kept'
const uncovered = 'ingress-tls/host-covered'
export const config = '.github/ingress-guard.yaml'

/** A chart with an Ingress, and a protected role that a value turns on. */
export const chart = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'chart/values.yaml': 'rbac:\n  create: true\nhosts: [a.example.com]\ntls: [a.example.com]\n',
  'chart/templates/_names.tpl': '{{- define "web.name" -}}\n{{ .Release.Name }}-web\n{{- end -}}\n',
  'chart/templates/role.yaml': `{{- if .Values.rbac.create }}\n${role(name)}{{- end }}\n`,
  'chart/templates/ingress.yaml': [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata:',
    '  name: {{ include "web.name" . }}',
    'spec:',
    '  tls:',
    '    - hosts: {{ toJson .Values.tls }}',
    '      secretName: web-tls',
    '  rules:',
    '    {{- range .Values.hosts }}',
    '    - host: {{ . | quote }}',
    '      http: {paths: []}',
    '    {{- end }}',
    '',
  ].join('\n'),
}

const releases = (...lines: string[]) => `format: 1\nhelm:\n${lines.map((line) => `  - ${line}\n`).join('')}`
const one = '{chart: chart, values: [one.yaml], release: one, namespace: one}'
const two = '{chart: chart, values: [two.yaml], release: two, namespace: two}'
export const declared: Files = {
  ...chart,
  [config]: releases(one, two),
  'one.yaml': 'hosts: [a.example.com]\n',
  'two.yaml': 'replicas: 1\n# why\nrbac:\n  create: true\n',
}

/** Releases of a chart of the repository, rendered with a helm. */
export function helmReleases(helm: string): void {
  const judge = (base: Files, head: Files) => judgeChange(base, head, helm)

  test('a values file that stops rendering a protected role', async () => {
    const report = await judge(
      { ...declared, 'one.yaml': 'rbac: {create: false}\n' },
      { 'two.yaml': 'replicas: 1\n# why\nrbac:\n  create: false\n' },
    )
    expect(places(report)).toEqual([`head/two.yaml:4 values ${kept}`])
    expect(relatedPlaces(report, kept)).toEqual(['base/chart/templates/role.yaml:2 template rendered from here'])
    expect(report.findings[0]?.sources).toEqual([
      { kind: 'helm', path: 'chart', release: 'two', namespace: 'two', values: ['two.yaml'], cluster: '' },
    ])
    expect(report.findings[0]?.rendered).toEqual({
      startLine: 1,
      lines: ['apiVersion: rbac.authorization.k8s.io/v1', 'kind: ClusterRole', 'metadata:', `  name: ${name}`],
    })
  })

  test('a values file that adds a host no entry names', async () => {
    const report = await judge(declared, { 'one.yaml': 'hosts:\n  - a.example.com\n  - b.example.com\n' })
    expect(places(report)).toEqual([`head/one.yaml:3 values ${uncovered}`])
    expect(relatedPlaces(report, uncovered)).toEqual([
      'head/chart/templates/ingress.yaml:11 template rendered from here',
    ])
  })

  test('a template that forgets TLS, once for both releases', async () => {
    const report = await judge(declared, {
      'chart/templates/ingress.yaml': chart['chart/templates/ingress.yaml'].replace(
        '{{ toJson .Values.tls }}',
        '[www.example.com]',
      ),
    })
    expect(places(report)).toEqual([
      `head/chart/templates/ingress.yaml:7 template ${uncovered}`,
      'warning base/chart/templates/ingress.yaml:7 exact source/value-unread',
    ])
    expect(report.findings[0]?.sources).toHaveLength(2)
    expect(report.findings[0]?.text).toContain('a.example.com')
  })

  test('a template that is deleted', async () => {
    const report = await judge(declared, { 'chart/templates/role.yaml': null })
    expect(places(report)).toEqual([`base/chart/templates/role.yaml:1 template ${kept}`])
  })

  test('a condition that is turned round in a template', async () => {
    const report = await judge(declared, {
      'chart/templates/role.yaml': chart['chart/templates/role.yaml'].replace('if .', 'if not .'),
    })
    expect(places(report)).toEqual([`head/chart/templates/role.yaml:1 template ${kept}`])
  })

  test('a helper that changes a name', async () => {
    const base = {
      ...chart,
      'chart/templates/role.yaml': `${role('{{ include "web.role" . }}')}`,
      'chart/templates/_role.tpl': `{{- define "web.role" -}}\n${name}\n{{- end -}}\n`,
    }
    const report = await judge(base, {
      'chart/templates/_role.tpl': '{{- define "web.role" -}}\nweb-role\n{{- end -}}\n',
    })
    expect(places(report)).toEqual([`head/chart/templates/_role.tpl:2 template ${kept}`])
  })

  test('the chart’s own values', async () => {
    const report = await judge(
      { ...declared, [config]: releases(one) },
      {
        'chart/values.yaml': 'rbac:\n  create: false\nhosts: [a.example.com]\ntls: [a.example.com]\n',
      },
    )
    expect(places(report)).toEqual([`head/chart/values.yaml:2 values ${kept}`])
  })

  test('a release that is no longer declared', async () => {
    const report = await judge({ ...declared, 'one.yaml': 'rbac: {create: false}\n' }, { [config]: releases(one) })
    expect(places(report)).toEqual([`notice head/${config}:1 exact config/changed`, `base/${config}:4 exact ${kept}`])
  })

  test('a value that the config sets', async () => {
    const set = (create: boolean) =>
      releases(`{chart: chart, release: one, namespace: one, set: {rbac.create: ${create}}}`)
    const report = await judge({ ...chart, [config]: set(true) }, { [config]: set(false) })
    expect(places(report)).toEqual([`notice head/${config}:3 exact config/changed`, `head/${config}:3 exact ${kept}`])
  })

  test('a dependency of the same repository', async () => {
    const base = {
      'charts/common/Chart.yaml': 'apiVersion: v2\nname: common\nversion: 1.0.0\n',
      'charts/common/templates/role.yaml': role(name),
      'charts/app/Chart.yaml':
        'apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n  - name: common\n    version: 1.0.0\n    repository: file://../common\n',
      'charts/app/templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app}\n',
    }
    const report = await judge(base, { 'charts/common/templates/role.yaml': role('web') })
    expect(places(report)).toEqual([`head/charts/common/templates/role.yaml:4 template ${kept}`])
  })

  test('value sets of one chart are clusters of their own', async () => {
    const base = {
      ...chart,
      'chart/values-prod.yaml': 'rbac: {create: true}\n',
      'chart/values-test.yaml': 'rbac: {create: true}\n',
    }
    const report = await judge(base, { 'chart/values-prod.yaml': 'rbac: {create: false}\n' })
    expect(places(report)).toEqual([`head/chart/values-prod.yaml:1 values ${kept}`])
    expect(report.findings[0]?.cluster).toBe('chart:values-prod.yaml')
  })

  test('a custom resource definition of crds/', async () => {
    const crd = (crdName: string) =>
      `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${crdName}\n`
    const report = await judge(
      { ...chart, 'chart/crds/a.yaml': crd('a.example.com') },
      { 'chart/crds/a.yaml': crd('b.example.com') },
    )
    expect(places(report)).toEqual([])
    expect(report.inspected.changes).toEqual({ added: 1, changed: 0, removed: 1 })
  })

  describe('what does not render', () => {
    test('is an error at the template’s line, once for all releases', async () => {
      const report = await judge(declared, {
        'chart/templates/role.yaml': 'kind: ClusterRole\nname: {{ required "a name is needed" .Values.name }}\n',
      })
      expect(places(report)).toEqual(['head/chart/templates/role.yaml:2 exact source/unrendered'])
      expect(report.findings[0]?.text).toMatch(
        /^Helm cannot render it: .*a name is needed\. It is unknown whether this change keeps /,
      )
      expect(report.status).toBe(1)
    })

    test('for a dependency that is not vendored, at its line', async () => {
      const report = await judge(declared, {
        'chart/Chart.yaml':
          'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n  - name: redis\n    version: 1.2.3\n    repository: https://charts.example.com\n',
      })
      expect(places(report)).toEqual(['head/chart/Chart.yaml:5 exact source/unrendered'])
      expect(report.findings[0]?.text).toContain(
        'Its dependency redis 1.2.3 of https://charts.example.com is not in chart/charts; run `helm dependency build chart` and commit the result, or allow it to be fetched with `network: {charts: [https://charts.example.com]}` in the config.',
      )
    })

    test('for values that are not there, where they are named', async () => {
      const report = await judge(declared, { 'two.yaml': null })
      expect(places(report)).toEqual([`head/${config}:4 exact source/unrendered`])
      expect(report.findings[0]?.text).toContain('There is no values file two.yaml in this repository.')
    })

    test('at the base only is a notice', async () => {
      const broken = { ...declared, 'chart/templates/role.yaml': '{{ fail "no" }}\n' }
      const report = await judge(broken, { 'chart/templates/role.yaml': declared['chart/templates/role.yaml'] ?? null })
      expect(places(report)).toEqual(['notice base/chart/templates/role.yaml:1 exact source/unrendered'])
      expect(report.status).toBe(0)
    })

    test('because it never did is no news', async () => {
      const broken = { ...declared, 'chart/templates/role.yaml': '{{ fail "no" }}\n' }
      const report = await judge(broken, { 'one.yaml': 'x: 1\n' })
      // The change does not cause the failure to render, but it is not judged, which is reported.
      expect(places(report)).toEqual(['warning head/one.yaml:1 exact source/not-judged'])
      expect(report.status).toBe(0)
    })
  })
}
