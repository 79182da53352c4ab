import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const helpers = (...names: string[]) =>
  names.map((name) => `{{- define "web.${name}" -}}\n{{ .Release.Name }}\n{{- end }}\n`).join('')
/** A Service that only some releases have. */
const service = (name: string) => `{{- if gt (len .Values.size) 8 }}
apiVersion: v1
kind: Service
metadata: {name: {{ include "web.${name}" . }}}
spec: {ports: [{port: 80}]}
{{- end }}
`
const definition = (more = '') => `apiVersion: v2\nname: web\nversion: 1.0.0\n${more}`
const chart: Files = {
  'web/Chart.yaml': definition(),
  'web/values.yaml': 'size: small\n',
  'web/templates/_helpers.tpl': helpers('fullname', 'version'),
  'web/templates/service.yaml': service('version'),
}

async function said(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ message }) => message === 'undefined')
    .map(({ status, level, location: { side, path, region }, text }) => {
      const { startLine, startColumn } = region
      return `${status} ${level} ${side}/${path}:${startLine}:${startColumn} ${text}`
    })
}

const fate = 'Each release that reaches such a line fails to render. Define it, or remove what includes it.'

describe('a named template that a chart includes', () => {
  test('is missed where it was defined', async () => {
    expect(await said(chart, { 'web/templates/_helpers.tpl': helpers('fullname') })).toEqual([
      `introduced warning base/web/templates/_helpers.tpl:4:12 This change removes the named template "web.version", but web/templates/service.yaml:4 still includes it. ${fate}`,
    ])
  })

  test('is missed where it is included', async () => {
    expect(await said(chart, { 'web/templates/service.yaml': service('fulname') })).toEqual([
      `introduced warning head/web/templates/service.yaml:4:29 web/templates/service.yaml:4 includes the named template "web.fulname", which the chart web does not define. ${fate}`,
    ])
  })

  const lacking = { ...chart, 'web/templates/service.yaml': service('fulname') }
  const common = 'dependencies: [{name: common, version: 2.0.0, repository: "https://charts.example.com"}]\n'
  const library: Files = {
    'lib/Chart.yaml': 'apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n',
    'lib/templates/_all.tpl': helpers('version'),
  }
  /** Another chart of the repository, which has a template of that name for itself. */
  const other = (more = ''): Files => ({
    'shop/Chart.yaml': definition(more).replace('name: web', 'name: shop'),
    'shop/templates/_helpers.tpl': helpers('version'),
  })

  test('is missed where only a chart beside it has one of that name', async () => {
    expect(await said({ ...chart, ...other() }, { 'web/templates/_helpers.tpl': helpers('fullname') })).toEqual([
      `introduced warning base/web/templates/_helpers.tpl:4:12 This change removes the named template "web.version", but web/templates/service.yaml:4 still includes it. ${fate}`,
    ])
  })

  test.each<[what: string, base: Files, head: Files]>([
    [
      'is one of a chart of this repository that includes this one',
      { ...chart, ...other('dependencies: [{name: web, version: 1.0.0, repository: "file://../web"}]\n') },
      { 'web/templates/_helpers.tpl': helpers('fullname') },
    ],
    ['was missing before', lacking, { 'web/templates/service.yaml': `# A comment.\n${service('fulname')}` }],
    [
      'moves to another file',
      chart,
      { 'web/templates/_helpers.tpl': helpers('fullname'), 'web/templates/_version.tpl': helpers('version') },
    ],
    [
      'is no longer included',
      chart,
      { 'web/templates/_helpers.tpl': helpers('fullname'), 'web/templates/service.yaml': service('fullname') },
    ],
    ['is in a comment', chart, { 'web/templates/service.yaml': `{{/* include "web.none" */}}\n${service('version')}` }],
    [
      'has a name that is made up',
      chart,
      { 'web/templates/service.yaml': service('version').replace('"web.version"', '(print "web." .Values.size)') },
    ],
    [
      'is one of a dependency',
      { ...chart, 'web/Chart.yaml': definition(common) },
      { 'web/templates/service.yaml': service('none').replace('web.none', 'common.names') },
    ],
    [
      'may be one of a new dependency',
      chart,
      { 'web/templates/_helpers.tpl': helpers('fullname'), 'web/Chart.yaml': definition(common) },
    ],
    [
      'is one of a dependency of this repository',
      {
        ...chart,
        ...library,
        'web/Chart.yaml': definition('dependencies: [{name: lib, version: 1.0.0, repository: "file://../lib"}]\n'),
      },
      { 'web/templates/_helpers.tpl': helpers('fullname') },
    ],
    [
      'may be one of a chart that includes this one',
      chart,
      { 'web/templates/service.yaml': service('x').replace('web.x', 'all.x') },
    ],
  ])('is not missed where it %s', async (_, base, head) => {
    expect(await said(base, head)).toEqual([])
  })

  test('is said once where helm says it, too', async () => {
    const on = { ...chart, 'web/values.yaml': 'size: extra-large\n' }
    const { findings } = await judgeChange(on, { 'web/templates/_helpers.tpl': helpers('fullname') })
    expect(findings.map(({ rule, message, level }) => `${level} ${rule} ${message}`)).toEqual([
      'error source/unrendered unrendered',
    ])
  })
})
