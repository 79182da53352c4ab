import { describe, expect, test } from '@jest/globals'
import { elementOfFolder } from '../../src/gitops/application-set'
import { fill, makeApplication } from '../../src/gitops/filled-template'
import { manifestIn } from '../manifest/manifests'

describe('what a git directory gives a template', () => {
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
