import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const ingress = (host: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  rules: [{host: ${host}}]
`
const chart = (more = ''): Files => ({
  'web/Chart.yaml': `apiVersion: v2\nname: web\nversion: 1.0.0\n${more}`,
  'web/templates/ingress.yaml': ingress('{{ .Values.host }}'),
})
const broken: Files = { 'web/templates/ingress.yaml': ingress('{{ .Values.web-host }}') }

async function unrendered(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/unrendered')
    .map(({ status, level, location, text }) => {
      return `${status} ${level} ${location.path}:${location.region.startLine} ${text}`
    })
}

const expected =
  "introduced error web/templates/ingress.yaml:5 Helm cannot render it: parse error at (web/templates/ingress.yaml:5): bad character U+002D '-'."
const step = ' Fix this error; `helm template web web --namespace default` shows all of it.'

describe('a template that cannot be parsed, in a chart that nothing deploys', () => {
  test('is an error where the chart needs values', async () => {
    const needy = { ...chart(), 'web/templates/other.yaml': '{{ required "Set a name." .Values.name }}\n' }
    expect(await unrendered(needy, broken)).toEqual([expected + step])
  })

  test('is an error where the same template needs values', async () => {
    const needy = { ...chart(), 'web/templates/ingress.yaml': ingress('{{ required "Set a host." .Values.host }}') }
    expect(await unrendered(needy, broken)).toEqual([
      `${expected} It is unknown whether this change keeps Ingress default/web.${step}`,
    ])
  })

  test('is an error where a dependency is not in the repository', async () => {
    const dependency = 'dependencies: [{name: db, version: 1.2.3, repository: https://charts.example.com}]\n'
    expect(await unrendered(chart(dependency), broken)).toEqual([
      `${expected} It is unknown whether this change keeps Ingress default/web.${step}`,
    ])
  })

  test('is an error where another template does not render without that dependency', async () => {
    const dependency = 'dependencies: [{name: db, version: 1.2.3, repository: https://charts.example.com}]\n'
    const needy = { ...chart(dependency), 'web/templates/first.yaml': '{{ index .Values.names 0 }}\n' }
    expect(await unrendered(needy, broken)).toEqual([expect.stringContaining(expected)])
  })

  test('is none that this change introduces where it was there before', async () => {
    const dependency = 'dependencies: [{name: db, version: 1.2.3, repository: https://charts.example.com}]\n'
    const found = await unrendered({ ...chart(dependency), ...broken }, { 'web/values.yaml': 'a: b\n' })
    expect(found.filter((one) => one.startsWith('introduced'))).toEqual([])
  })

  test('is an error in a new chart, too', async () => {
    const page: Files = { 'README.md': 'Charts\n' }
    expect(await unrendered(page, { ...chart(), ...broken })).toEqual([expected + step])
    const undotted: Files = { 'web/templates/ingress.yaml': ingress('{{ Values.host }}') }
    expect(await unrendered(page, { ...chart(), ...undotted })).toEqual([
      'introduced error web/templates/ingress.yaml:5 Helm cannot render it: parse error at (web/templates/ingress.yaml:5): function "Values" not defined. Fix this error; `helm template web web --namespace default` shows all of it.',
    ])
    const scaffold: Files = { 'web/templates/ingress.yaml': ingress('{{ cookiecutter.host }}') }
    expect(await unrendered(page, { ...chart(), ...scaffold })).toEqual([])
  })

  test('may have a function of another tool', async () => {
    const needy = { ...chart(), 'web/templates/other.yaml': '{{ required "Set a name." .Values.name }}\n' }
    expect(await unrendered(needy, { 'web/templates/ingress.yaml': ingress('{{ cookiecutter.host }}') })).toEqual([])
  })
})
