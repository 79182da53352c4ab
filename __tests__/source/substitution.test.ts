// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { substituted } from '../../src/sources/substitution'

const variables = { name: 'web', empty: '', _1: 'one', path: 'a/b/c.txt', lines: 'a\nb', long: 'a'.repeat(1001) }

// Rows with a known name were run with fluxcd/pkg/envsubst v1.7.0.
describe('variables that Flux replaces', () => {
  test.each([
    ['${name}', 'web'],
    ['a-${name}-${_1}', 'a-web-one'],
    ['${empty}', ''],
    ['${lines}', 'ab'],
    ['${name:-other}', 'web'],
    ['${name:=other}', 'web'],
    ['${unknown:-other}', 'other'],
    ['${unknown:=other}', 'other'],
    ['${unknown=other}', 'other'],
    ['${unknown:?other}', 'other'],
    ['${unknown:+other}', 'other'],
    ['${name:+other}', 'web'],
    ['${unknown:-}', ''],
    ['${empty:-other}', 'other'],
    ['${empty=other}', 'other'],
    ['${unknown:="quoted"}', '"quoted"'],
    ['${unknown:-a}b}', 'ab}'],
    ['${unknown:-{x}}', '{x}'],
    ['${unknown:-$$a}', '$$a'],
    ['$${name}', '${name}'],
    ['$$${name}', '$web'],
    ['a$$b', 'a$b'],
    ['$name', '$name'],
    ['$(name)', '$(name)'],
    ['cost: 5$', 'cost: 5$'],
  ])('%s becomes %s', (written, becomes) => {
    expect(substituted(written, variables)).toBe(becomes)
  })

  test.each([
    ['${unknown:=["${name}"]}', '["web"]'],
    ['${unknown:-${other:-deep}}', 'deep'],
    ['${unknown:-x${name}y${_1}}z', 'xwebyonez'],
    ['${unknown:=["${other}"]}', '["${other}"]'],
    ['${name:=["${other}"]}', 'web'],
    ['${unknown:-${name}.example.com}', 'web.example.com'],
  ])('a default that holds variables: %s becomes %s', (written, becomes) => {
    expect(substituted(written, variables)).toBe(becomes)
  })

  test.each([
    ['${name/w/W}', 'Web'],
    ['${path//\\//_}', 'a_b_c.txt'],
    ['${path//c/}', 'a/b/.txt'],
    ['${path/#a/x}', 'x/b/c.txt'],
    ['${path/%txt/md}', 'a/b/c.md'],
    ['${#name}', '3'],
    ['${name:1}', 'eb'],
    ['${name:1:1}', 'e'],
    ['${name:-1:1}', 'web'],
    ['${name^}', 'Web'],
    ['${name^^}', 'WEB'],
    ['${path##*/}', 'c.txt'],
    ['${path#*/}', 'b/c.txt'],
    ['${path%/*}', 'a/b'],
    ['${path%%/*}', 'a'],
    ['${path##[^b-z]?[b]*.}', 'txt'],
    ['${name##${name}}', ''],
  ])('a function of bash: %s becomes %s', (written, becomes) => {
    expect(substituted(written, variables)).toBe(becomes)
  })

  test.each([
    ['an unknown name', '${unknown}'],
    ['a name that every object of JavaScript has', '${toString}'],
    ['a function of an unknown value', '${unknown%%.*} ${#unknown} ${unknown//a/b}'],
    ['a digit as the first character of an unknown name', '${1x}'],
    ['a default without a colon, which Flux refuses', '${unknown-other} ${name+other}'],
    ['names that Flux does not accept', '${a.b} ${ name } ${} ${!name}'],
    ['a replacement without its second slash', '${name/w}'],
    ['an expression without an end', '${unknown:-{'],
    ['a pattern tried on a text of more than 1000 characters', '${long%%b*}'],
    ['a hundred thousand expressions without an end', `${'${unknown:-'.repeat(100_000)}}`],
  ])('%s stays as written', (_, written) => {
    expect(substituted(written, variables)).toBe(written)
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
