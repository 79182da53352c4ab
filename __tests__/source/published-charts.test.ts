import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { places, toolsOf } from './rendered'
import type { Files } from './repository'

const index = 'https://charts.acme.example'
const chart = (name: string, version: string, ...dependencies: string[]) =>
  `apiVersion: v2\nname: ${name}\nversion: ${version}\ndependencies: [${dependencies.join(', ')}]\n`
const dependency = (name: string, version: string, repository = index) =>
  `{ name: ${name}, version: ${version}, repository: ${repository} }`
const define = (name: string, body: string) => `{{- define "${name}" }}\n${body}{{- end }}\n`
const hosts = 'spec:\n  tls: [{ hosts: [{{ .Values.tls }}], secretName: web }]\n  rules: [{ host: a.example.com }]\n'
const ingress =
  'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: { name: {{ include "names.name" . }} }\n{{ include "web.spec" . }}\n'

const base = {
  'charts/web/Chart.yaml': chart('web', '1.0.0', dependency('library', '0.2.0')),
  'charts/web/values.yaml': 'enabled: false\ntls: a.example.com\n',
  'charts/web/ci/on-values.yaml': 'enabled: true\n',
  'charts/web/templates/ingress.yaml': `{{- if .Values.enabled }}\n${ingress}{{- end }}\n`,
  'charts/library/Chart.yaml': `${chart('library', '0.2.0', dependency('names', '~1'))}type: library\n`,
  'charts/library/templates/_spec.tpl': define('web.spec', hosts),
  'charts/names/Chart.yaml': `${chart('names', '1.4.0')}type: library\n`,
  'charts/names/templates/_names.tpl': define('names.name', 'web'),
}

const judge = (before: Files, head: Files, remote = 'https://github.com/acme/charts') =>
  checkOpened(opened(before, head, remote), ...toolsOf(), '--policy', 'ingress-tls@1.0.0')

const other = { 'charts/web/values.yaml': 'enabled: false\ntls: b.example.com\n' }
const uncovered = 'warning head/charts/web/values.yaml:2 values ingress-tls/host-covered'
const place = 'charts/web/Chart.yaml'

describe('a dependency that the repository publishes itself', () => {
  test('is rendered from its folder, with those that it includes', async () => {
    const report = await judge(base, other)
    expect(places(report)).toEqual([uncovered])
    expect(report.inspected.skipped).toEqual(
      expect.arrayContaining([
        {
          path: place,
          reason: `charts/web is rendered with charts/library of this repository in place of the published chart, which may differ: its dependency library 0.2.0 of ${index} was not fetched`,
        },
        expect.objectContaining({ path: 'charts/library/Chart.yaml' }),
      ]),
    )
  })

  const hostless = define('web.spec', hosts.replace('{{ .Values.tls }}', 'a.example.com'))

  test('as the base has its version, as that one is published', async () => {
    const report = await judge(base, { ...other, 'charts/library/templates/_spec.tpl': hostless })
    expect(places(report)).toContain(uncovered)
  })

  test('in a newer version, as the change has it', async () => {
    const head = {
      ...other,
      'charts/web/Chart.yaml': chart('web', '1.0.0', dependency('library', '0.3.0')),
      'charts/library/Chart.yaml': `${chart('library', '0.3.0', dependency('names', '~1'))}type: library\n`,
      'charts/library/templates/_spec.tpl': hostless,
    }
    const report = await judge(base, head)
    expect(places(report)).not.toContain(uncovered)
    expect(JSON.stringify(report.inspected.skipped)).toContain('its dependency library 0.3.0')
  })
})

describe('is not rendered with a chart of its name', () => {
  const asking = (...wanted: Parameters<typeof dependency>) => ({
    [place]: chart('web', '1.0.0', dependency(...wanted)),
  })
  const { 'charts/library/Chart.yaml': published, ...without } = base
  const older = published.replace('0.2.0', '0.1.0')

  test.each<[string, Files, Files]>([
    ['from an index of somebody else', { ...base, ...asking('library', '0.2.0', 'https://charts.example.org') }, other],
    ['in another version', { ...base, ...asking('library', '0.9.0') }, other],
    ['that comes with the change', without, { ...other, 'charts/library/Chart.yaml': published }],
    [
      'that the change makes older',
      base,
      { ...other, ...asking('library', '0.1.0'), 'charts/library/Chart.yaml': older },
    ],
  ])('%s', async (_, before, head) => {
    expectNotUsed(await judge(before, head))
  })

  test('of the repository of another owner', async () => {
    expectNotUsed(await judge(base, other, 'https://github.com/acme-labs/charts'))
  })

  function expectNotUsed(report: Awaited<ReturnType<typeof judge>>) {
    expect(places(report)).not.toContain(uncovered)
    expect(JSON.stringify(report.inspected.skipped)).not.toContain('in place of the published chart')
  }

  test('and the missing dependency is why no object uses a value', async () => {
    const before = { ...base, [place]: chart('web', '1.0.0', dependency('library', '0.2.0', 'https://example.org')) }
    const { findings } = await judge(before, other)
    const [found] = findings.filter(({ rule }) => rule === 'source/not-judged')
    expect(found?.text).toContain('charts/web was read without the dependency library')
  })
})
