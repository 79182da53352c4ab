import { describe, expect, test } from '@jest/globals'
import { elementOfFolder, isSelected, readApplicationSet } from '../../src/gitops/application-set'
import { fill, makeApplication } from '../../src/gitops/filled-template'
import { manifestIn } from '../manifest/manifests'

describe('the parameters of a git directory for a template', () => {
  test.each([
    ['{{path}}', 'apps/Web_Shop'],
    ['{{ path.basename }}', 'Web_Shop'],
    ['{{path.basenameNormalized}}', 'web-shop'],
    ['{{path[0]}}-{{path[1]}}', 'apps-Web_Shop'],
    ['{{other}}', '{{other}}'],
  ])('%s is %s', (template, filled) => {
    expect(fill(template, elementOfFolder('apps/Web_Shop', false))).toBe(filled)
  })

  test.each([
    ['{{.path.path}}', 'apps/Web_Shop'],
    ['{{ .path.basename }}', 'Web_Shop'],
    ['{{- .path.basenameNormalized -}}', 'web-shop'],
    ['{{index .path.segments 0}}', 'apps'],
    ['{{.path.basename | lower}}', '{{.path.basename | lower}}'],
  ])('as a Go template %s is %s', (template, filled) => {
    expect(fill(template, elementOfFolder('apps/Web_Shop', true))).toBe(filled)
  })
})

test('every string of a template is filled, also behind an alias, and nothing else', () => {
  const { object } = manifestIn(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
labels: &labels {team: '{{name}}'}
spec:
  template:
    metadata: {name: '{{name}}', labels: *labels}
    spec: {count: 2, list: ['{{name}}', null], deep: {isOn: true, '{{name}}': x}}
`)
  const made = makeApplication(object, { name: 'web' })
  expect(made?.ref).toEqual({ group: 'ingress-guard', kind: 'Application', namespace: 'argocd', name: 'web' })
  expect(JSON.parse(made?.content ?? '')).toEqual({
    metadata: { name: 'web', labels: { team: 'web' } },
    spec: { count: 2, list: ['web', null], deep: { isOn: true, '{{name}}': 'x' } },
  })
})

describe('the functions of a Go template', () => {
  const filledBy = (template: string, options = 'goTemplate: true') => {
    const { object } = manifestIn(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  ${options}
  template:
    metadata: {name: ${JSON.stringify(template)}}
`)
    return makeApplication(object, elementOfFolder('apps/Web_Shop', true))?.ref.name
  }

  test.each([
    ['{{ .path.basename | lower }}', 'web_shop'],
    ['{{ lower .path.basename }}', 'web_shop'],
    ['{{ .path.basename | lower | replace "_" "-" | trimSuffix "-shop" }}', 'web'],
    ['{{ .team | default "core" }}-{{ default "x" .path.basename | upper }}', 'core-WEB_SHOP'],
    ['{{ normalize .path.basename }}', 'web-shop'],
    ['{{ printf "%s-%s" .path.basename "eu" | trunc 6 }}', 'Web_Sh'],
    ['{{ "a|b" | trimPrefix "a" }}', '|b'],
  ])('%s gives %s', (template, expected) => {
    expect(filledBy(template)).toBe(expected)
  })

  test.each([
    '{{ .team }}',
    '{{ .path.basename | sha256sum }}',
    '{{ printf "%d" .path.basename }}',
    '{{ if .team }}a{{ end }}',
    '{{ .team | lower }}',
    `{{ ${'.path.basename | lower | '.repeat(60)} lower }}`,
  ])('%s stays as it is', (template) => {
    expect(filledBy(template)).toBe(template)
  })

  test('are not those of the other templates', () => {
    expect(filledBy('{{ .path.basename | lower }}', 'goTemplate: false')).toBe('{{ .path.basename | lower }}')
  })
})

test('a selector takes elements by their values', () => {
  const { root } = manifestIn(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  generators:
    - list: {elements: [{name: a}]}
      selector:
        matchLabels: {env: prod}
        matchExpressions:
          - {key: region, operator: In, values: [eu, us]}
          - {key: tier, operator: NotIn, values: [test]}
          - {key: name, operator: Exists}
          - {key: gone, operator: DoesNotExist}
`)
  const [generator] = readApplicationSet(root).generators
  const selector = generator?.kind === 'selected' ? generator.selector : { labels: {}, expressions: [] }
  const element = { env: 'prod', region: 'eu', name: 'a' }
  expect(isSelected(element, selector)).toBe(true)
  expect(isSelected({ ...element, tier: 'live' }, selector)).toBe(true)
  const others: Record<string, string>[] = [{ env: 'test' }, { region: 'ap' }, { tier: 'test' }, { gone: '' }]
  for (const other of others) expect(isSelected({ ...element, ...other }, selector)).toBe(false)
  expect(isSelected({ env: 'prod', region: 'eu' }, selector)).toBe(false)
})
