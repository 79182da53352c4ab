import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const service = (port: string): Files => ({
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports:
    - port: 80
      targetPort: ${port}
`,
  'web/values.yaml': 'name: web\nservice: {port: 8080}\n',
})

/** The gaps that a change of the chart's values leaves. */
async function gaps(port: string, values: string, more: Files = {}): Promise<string[]> {
  const { findings } = await judgeChange({ ...service(port), ...more }, { 'web/values.yaml': values })
  return findings
    .filter(({ message, status }) => message === 'value-removed' && status === 'introduced')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

const renamed = 'name: web\nservice: {containerPort: 8080}\n'

describe('a value that a change removes', () => {
  test('is reported at the line of the template that still writes it', async () => {
    expect(await gaps('{{ .Values.service.port }}', renamed)).toEqual([
      'warning web/templates/service.yaml:7 This change removes the value service.port from web/values.yaml, and this line still writes it, so helm leaves a gap here for each release that does not set it. Keep the value, have the line read the value that replaces it, or remove the line.',
    ])
  })

  const helper = (text: string): Files => ({
    'web/templates/_helpers.tpl': `{{ define "web.port" }}${text}{{ end }}`,
    'web/templates/port.yaml': '{{ if .Values.named }}port: {{ include "web.port" . }}{{ end }}',
  })
  const withDefault = helper('{{ default 80 .Values.service.port }}')

  test('is reported where its block is gone, also where the line has a default', async () => {
    expect(await gaps('80', 'name: web\nwebService: {port: 8080}\n', withDefault)).toEqual([
      'warning web/templates/_helpers.tpl:1 This change removes service from web/values.yaml, and this line still reads a value in it, so helm fails with a nil pointer as soon as it reaches the line, for each release that does not set service. Keep the values, have the line read those that replace them, or remove the line.',
    ])
  })

  test('is not reported where only a named template reads it that nothing includes', async () => {
    const unused = {
      ...withDefault,
      'web/templates/port.yaml': 'sum: {{ include (print $.Template.BasePath "/x") . }}\n',
    }
    expect(await gaps('80', 'name: web\nwebService: {port: 8080}\n', unused)).toEqual([])
  })

  test.each([
    ['a name is composed', '{{ include (printf "%s.port" "web") . }}'],
    ['a name is a value', '{{ $name := .Values.helper }}{{ include $name . }}'],
    ['a value may include it', 'text: include "web.port" .'],
  ])('is reported where %s', async (_, text) => {
    const composed = { ...withDefault, 'web/templates/port.yaml': `{{ if .Values.named }}${text}{{ end }}\n` }
    expect(await gaps('80', 'name: web\nwebService: {port: 8080}\n', composed)).toHaveLength(1)
  })

  test('is reported in a library, which charts of other repositories may include', async () => {
    const library: Files = {
      ...withDefault,
      'web/templates/port.yaml': null,
      'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\ntype: library\n',
    }
    expect(await gaps('80', 'name: web\nwebService: {port: 8080}\n', library)).toHaveLength(1)
  })

  test('is not reported where its block is asked for, or stays', async () => {
    const gone = 'name: web\n'
    const asked = helper('{{ if .Values.service }}{{ .Values.service.port }}{{ end }}')
    expect(await gaps('80', gone, asked)).toEqual([])
    expect(
      await gaps('80', gone, helper('{{ if hasKey .Values "service" }}{{ .Values.service.port }}{{ end }}')),
    ).toEqual([])
    expect(await gaps('80', gone, helper('{{ (.Values.service).port }}'))).toEqual([])
    expect(await gaps('80', renamed, withDefault)).toEqual([])
  })

  test('is not reported where its block is that of a dependency', async () => {
    const dependency =
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n  - {name: service, version: 1.0.0, repository: "https://charts.example.com"}\n'
    expect(await gaps('80', 'name: web\n', { ...withDefault, 'web/Chart.yaml': dependency })).toEqual([])
  })

  test('is reported where the line reads it by a variable', async () => {
    expect(await gaps('1\n{{- $service := .Values.service }}\n      name: {{ $service.port }}', renamed)).toEqual([
      expect.stringMatching(/^warning web\/templates\/service\.yaml:9 This change removes the value service\.port /),
    ])
    const other = '1\n{{- $service := .Values.service }}{{ $service = .Values.name }}\n      name: {{ $service.port }}'
    expect(await gaps(other, renamed)).toEqual([])
  })

  test('is reported where the line gives it another form', async () => {
    expect(await gaps('{{ $.Values.service.port | int }}', renamed)).toHaveLength(1)
  })

  test('is reported once where helm fails at the line', async () => {
    const { findings } = await judgeChange(service('{{ .Values.service.port }}'), { 'web/values.yaml': 'name: web\n' })
    const atTemplate = findings.filter(({ location }) => location.path === 'web/templates/service.yaml')
    expect(atTemplate.map(({ level, location }) => `${level} ${location.region.startLine}`)).toEqual(['error 7'])
  })

  test.each([
    ['the line has a default', '{{ .Values.service.port | default 80 }}', renamed],
    [
      'the line is in a block that asks for it',
      '{{ if .Values.service.port }}{{ .Values.service.port }}{{ end }}',
      renamed,
    ],
    [
      'the line is in the other part of such a block',
      '{{ if .Values.name }}80{{ else if .Values.service }}{{ .Values.service.port }}{{ end }}',
      renamed,
    ],
    ['it was empty', '{{ .Values.service.name }}', 'name: web\n', { 'web/values.yaml': 'service: {name: ""}\n' }],
    ['it only moves in the file', '{{ .Values.service.port }}', 'service:\n  port: 8080\nname: web\n'],
    ['an anchor gives it', '{{ .Values.service.port }}', 'ports: &ports {port: 8080}\nservice: {<<: *ports}\n'],
  ])('is not reported where %s', async (_, port, values, more: Files = {}) => {
    expect(await gaps(port, values, more)).toEqual([])
  })

  test('is not reported where a release of a chart at the root gives the value', async () => {
    const own = Object.entries(service('{{ .Values.service.port }}')).map(([file, text]) => [
      file.slice('web/'.length),
      text,
    ])
    const values: Files = { 'values-live.yaml': 'service: {port: 9090}\n' }
    const { findings } = await judgeChange({ ...values, ...Object.fromEntries(own) }, { 'values.yaml': renamed })
    expect(findings.filter(({ message }) => message === 'value-removed')).toEqual([])
  })

  test('is not reported where the chart around it gives the value', async () => {
    const own = Object.entries(service('{{ .Values.service.port }}')).map(([file, text]) => [
      `shop/charts/${file}`,
      text,
    ])
    const around: Files = {
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'shop/values.yaml': 'web: {service: {port: 9090}}\n',
    }
    const { findings } = await judgeChange(
      { ...around, ...Object.fromEntries(own) },
      { 'shop/charts/web/values.yaml': renamed },
    )
    expect(findings.filter(({ message }) => message === 'value-removed')).toEqual([])
  })
})
