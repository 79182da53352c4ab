import { describe, expect, test } from '@jest/globals'
import { elementOfFolder, isSelected, readApplicationSet } from '../../src/gitops/application-set'
import { type Element, fillText, makeApplication } from '../../src/gitops/filled-template'
import type { LoadedObject } from '../../src/manifest/load'
import { manifestIn } from '../manifest/manifests'

function madeOf(set: LoadedObject, element: Element): LoadedObject {
  const made = makeApplication(set, element, undefined)
  if ('reason' in made) throw new Error(made.reason)
  return made
}

describe('the parameters of a git directory for a template', () => {
  test.each([
    ['{{path}}', 'apps/Web_Shop'],
    ['{{ path.basename }}', 'Web_Shop'],
    ['{{path.basenameNormalized}}', 'web-shop'],
    ['{{path[0]}}-{{path[1]}}', 'apps-Web_Shop'],
    ['{{other}}', '{{other}}'],
  ])('%s is %s', (template, filled) => {
    expect(fillText(template, elementOfFolder('apps/Web_Shop', false), false)).toBe(filled)
  })

  test.each([
    ['{{.path.path}}', 'apps/Web_Shop'],
    ['{{ .path.basename }}', 'Web_Shop'],
    ['{{- .path.basenameNormalized -}}', 'web-shop'],
    ['{{index .path.segments 0}}', 'apps'],
    ['{{.path.basename | lower}}', 'web_shop'],
  ])('as a Go template %s is %s', (template, filled) => {
    expect(fillText(template, elementOfFolder('apps/Web_Shop', true), true)).toBe(filled)
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
  const made = madeOf(object, { name: 'web' })
  expect(made.ref).toEqual({ group: 'ingress-guard', kind: 'Application', namespace: 'argocd', name: 'web' })
  expect(JSON.parse(made.content)).toEqual({
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
    return madeOf(object, elementOfFolder('apps/Web_Shop', true)).ref.name
  }

  test.each([
    ['{{ .path.basename | lower }}', 'web_shop'],
    ['{{ lower .path.basename }}', 'web_shop'],
    ['{{ .path.basename | lower | replace "_" "-" | trimSuffix "-shop" }}', 'web'],
    ['{{ .team | default "core" }}-{{ default "x" .path.basename | upper }}', 'core-WEB_SHOP'],
    ['{{ normalize .path.basename }}', 'web-shop'],
    ['{{ printf "%s-%s" .path.basename "eu" | trunc 6 }}', 'Web_Sh'],
    ['{{ "a|b" | trimPrefix "a" }}', '|b'],
    ['{{ if .team }}a{{ else if eq .path.basename "Web_Shop" }}b{{ else }}c{{ end }}', 'b'],
    ['{{- range $i, $one := .path.segments }}{{ if $i }}-{{ end }}{{ $one | lower }}{{ end }}', 'apps-web_shop'],
    ['a {{- with .path }} {{- .basename | normalize -}} {{ end }} z', 'aweb-shop z'],
    ['{{ $name := index .path.segments 1 }}{{ $name | trunc 3 }}{{/* no more */}}', 'Web'],
    ['{{ (index .path.segments 0 | printf "%s-%s" (last .path.segments | lower)) }}', 'web_shop-apps'],
    ['{{ dig "path" "basename" "none" . }}{{ dig "a" "b" "none" . }}', 'Web_Shopnone'],
    ['{{ if and (hasPrefix "apps/" .path.path) (not (hasKey . "team")) }}x{{ end }}', 'x'],
    ['{{ coalesce .team .path.basename }}{{ ternary "y" "n" (has "apps" .path.segments) }}', 'Web_Shopy'],
    ['{{ list "b" "a" | join "," }}{{ dict "k" "v" | toJson }}{{ get . "none" }}', 'b,a{"k":"v"}'],
  ])('%s gives %s', (template, expected) => {
    expect(filledBy(template)).toBe(expected)
  })

  test.each([
    '{{ .team }}',
    '{{ .path.basename | sha256sum }}',
    '{{ printf "%d" .path.basename }}',
    '{{ if .team }}a{{ else }}{{ .team }}{{ end }}',
    '{{ if .path }}a',
    '{{ end }}',
    '{{ range .path.path }}a{{ end }}',
    '{{ template "x" }}',
    '{{ include "x" . }}',
    '{{ $none }}',
    '{{ .path }}',
    '{{ "\\q" }}',
    `${'{{ if true }}'.repeat(40)}a${'{{ end }}'.repeat(40)}`,
    `{{ ${'('.repeat(40)}.path.path${')'.repeat(40)} }}`,
    `{{ range .path.segments }}{{ end }}${'x'.repeat(50_000)}`,
    '{{ .team | lower }}',
  ])('%s stays as it is', (template) => {
    expect(filledBy(template)).toBe(template)
  })

  test('come to an end where lists are gone through in each other', () => {
    const items = Array.from({ length: 200 }, (_, index) => index)
    const nested = `${'{{ range $.items }}'.repeat(4)}a{{ print "b" }}${'{{ end }}'.repeat(4)}`
    expect(fillText(nested, { items }, true)).toBe(nested)
    const long = '{{ range .items }}{{ $.text }}{{ end }}'
    expect(fillText(long, { items, text: 'x'.repeat(10_000) }, true)).toBe(long)
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
  const [{ generator } = {}] = readApplicationSet(root).generators
  const selector = generator?.kind === 'selected' ? generator.selector : { labels: {}, expressions: [] }
  const element = { env: 'prod', region: 'eu', name: 'a' }
  expect(isSelected(element, selector)).toBe(true)
  expect(isSelected({ ...element, tier: 'live' }, selector)).toBe(true)
  const others: Record<string, string>[] = [{ env: 'test' }, { region: 'ap' }, { tier: 'test' }, { gone: '' }]
  for (const other of others) expect(isSelected({ ...element, ...other }, selector)).toBe(false)
  expect(isSelected({ env: 'prod', region: 'eu' }, selector)).toBe(false)
})
