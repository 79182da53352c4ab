// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { substituted } from '../../src/sources/substitution'

const variables = { name: 'web', empty: '', _1: 'one' }

describe('what Flux replaces', () => {
  test.each([
    ['${name}', 'web'],
    ['a-${name}-${_1}', 'a-web-one'],
    ['${empty}', ''],
    ['${name:-other}', 'web'],
    ['${name:=other}', 'web'],
    ['${unknown:-other}', 'other'],
    ['${unknown:=other}', 'other'],
    ['${unknown:-}', ''],
    ['${empty:-other}', 'other'],
    ['${empty-other}', ''],
    ['${unknown-other}', 'other'],
    ['$${name}', '${name}'],
    ['$name', '$name'],
    ['${unknown}', '${unknown}'],
    ['${toString}', '${toString}'],
    ['${1x}', '${1x}'],
    ['${name/w/W}', '${name/w/W}'],
    ['$(name)', '$(name)'],
  ])('%s becomes %s', (written, becomes) => {
    expect(substituted(written, variables)).toBe(becomes)
  })

  test('nothing where the Kustomization asks for no substitution', () => {
    expect(substituted('${name}', undefined)).toBe('${name}')
  })

  test.each(['annotations', 'labels'])('nothing in an object whose %s say so', (field) => {
    const written = `metadata:\n  name: \${name}\n  ${field}:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\n`
    expect(substituted(written, variables)).toBe(written)
    const enabled = written.replace('disabled', 'enabled')
    expect(substituted(enabled, variables)).toBe(enabled.replace('${name}', 'web'))
  })
})
