import { describe, expect, test } from '@jest/globals'
import { elementOfFolder, fill } from '../../src/deployers/application-set'

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

test('every string of a template is filled, and nothing else', () => {
  const template = { name: '{{name}}', count: 2, list: ['{{name}}', null], deep: { on: true, '{{name}}': 'x' } }
  expect(fill(template, { name: 'web' })).toEqual({
    name: 'web',
    count: 2,
    list: ['web', null],
    deep: { on: true, '{{name}}': 'x' },
  })
})
