import { describe, expect, test } from '@jest/globals'
import { checkJson } from '../cli/guard'
import { judgeChange, places, policies, tool } from './rendered'
import { type Files, TestRepository } from './repository'

const overlap = 'controller-scope/namespace-isolated'
const config = '.github/ingress-guard.yaml'

/** A chart of a controller that is limited to its namespace by a value. */
const chart: Files = {
  'chart/Chart.yaml': 'apiVersion: v2\nname: ingress-nginx\nversion: 1.0.0\n',
  'chart/values.yaml': 'controller: {scope: {enabled: false}}\n',
  'chart/templates/controller.yaml': [
    'apiVersion: apps/v1',
    'kind: Deployment',
    'metadata: {name: controller}',
    'spec:',
    '  template:',
    '    spec:',
    '      containers:',
    '        - name: controller',
    '          image: registry.k8s.io/ingress-nginx/controller:v1.12.1',
    '          args:',
    '            - /nginx-ingress-controller',
    '            {{- if .Values.controller.scope.enabled }}',
    '            - --watch-namespace={{ .Release.Namespace }}',
    '            {{- end }}',
    '',
  ].join('\n'),
}
const releaseOf = (name: string) => `  - {chart: chart, values: [${name}.yaml], release: ${name}, namespace: ${name}}\n`
const declared = `format: 1\nhelm:\n${releaseOf('one')}${releaseOf('two')}`
const limited = 'controller:\n  scope:\n    enabled: true\n'
const open = '# All of it.\ncontroller:\n  kind: Deployment\n  scope:\n    enabled: false\n'

describe('a finding of a controller that a chart renders is at the value that decides it', () => {
  test('in a values file that is new with its release', async () => {
    const base = { ...chart, [config]: `format: 1\nhelm:\n${releaseOf('one')}`, 'one.yaml': limited }
    const report = await judgeChange(base, { [config]: declared, 'two.yaml': open })
    expect(places(report)).toContain(`head/two.yaml:5 values ${overlap}`)
  })

  test('where all is new, and not at a line of the other release', async () => {
    const report = await judgeChange(
      { 'a.md': 'a' },
      { ...chart, [config]: declared, 'one.yaml': limited, 'two.yaml': open },
    )
    expect(places(report)).toContain(`head/two.yaml:5 values ${overlap}`)
  })

  test('where nothing was changed', async () => {
    const repo = new TestRepository()
    repo.commit({ ...chart, [config]: declared, 'one.yaml': limited, 'two.yaml': open })
    const use = ['--helm', tool('helm'), '--policy', ...policies]
    const { findings } = await checkJson('--repo', repo.dir, '--all', ...use)
    expect(findings.map(({ rule, location: { path, region } }) => `${rule} ${path}:${region.startLine}`)).toEqual([
      `${overlap} two.yaml:5`,
    ])
  })

  test('below the name of a chart that it is a part of', async () => {
    const umbrella = Object.fromEntries(
      Object.entries(chart).map(([file, text]) => [file.replace('chart/', 'all/charts/ingress-nginx/'), text]),
    )
    const below = (text: string) => `ingress-nginx:\n${text.replace(/^/gm, '  ').trimEnd()}\n`
    const base = {
      ...umbrella,
      'all/Chart.yaml':
        'apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies: [{name: ingress-nginx, version: 1.0.0}]\n',
      [config]: declared.replaceAll('chart: chart', 'chart: all'),
      'one.yaml': below(limited),
      'two.yaml': below(limited),
    }
    const report = await judgeChange(base, { 'two.yaml': below(open) })
    expect(places(report)).toContain(`head/two.yaml:6 values ${overlap}`)
  })
})
