import { describe, expect, test } from '@jest/globals'
import { mentions, mentionsOneOf } from '../../src/manifest/mentions'
import { skimKind } from '../../src/manifest/skim'

describe('a word is found', () => {
  test.each([
    ['as it is', 'kind: Ingress'],
    ['by an escape of two digits', 'kind: "Ing\\x72ess"'],
    ['by one of four', 'kind: "\\u0049ngress"'],
    ['by one of eight', 'kind: "\\U00000049ngress"'],
    ['in JSON', '{"kind":"Ing\\u0072ess"}'],
    ['over the end of a line', 'kind: "Ing\\\n    ress"'],
    ['over the end of a line of Windows', 'kind: "Ing\\\r\n    ress"'],
    ['over a line separator', 'kind: "Ing\\\u2028ress"'],
    ['behind a backslash that is escaped', 'kind: "\\\\\\x49ngress"'],
    ['perhaps, in base64', 'kind: !!binary SW5ncmVzcw=='],
    ['perhaps, in base64 by the full tag', 'kind: !<tag:yaml.org,2002:binary> SW5ncmVzcw=='],
    ['perhaps, in base64 by a tag that hides its name', 'kind: !!bin%61ry SW5ncmVzcw=='],
    ['perhaps, in base64 by a handle', '%TAG !b! tag:yaml.org,2002:bin\r---\rkind: !b!ary SW5ncmVzcw=='],
  ])('%s', (_, text) => {
    expect(mentions(text, 'Ingress')).toBe(true)
    expect(mentionsOneOf(text, ['Service', 'Ingress'])).toBe(true)
  })

  test('with a slash that JSON escapes', () => {
    expect(mentions('{"apiVersion":"argoproj.io\\/v1alpha1"}', 'argoproj.io/v1alpha1')).toBe(true)
  })
})

test.each([
  ['nothing of it', 'kind: Service'],
  ['escapes of something else', 'path: "^\\/api\\x2fv1\\u0020$"'],
  ['an escape of no character', 'kind: "\\UFFFFFFFF"'],
  ['marks that are no tags', 'text: "wow! 100% binary"'],
])('a text with %s does not mention it', (_, text) => {
  expect(mentions(text, 'Ingress')).toBe(false)
  expect(mentionsOneOf(text, ['Ingress'])).toBe(false)
})

test('no word is mentioned where none is asked for', () => {
  expect(mentionsOneOf('kind: !!binary SW5ncmVzcw==', [])).toBe(false)
})

describe('a kind is not read off a line', () => {
  test.each([
    ['a key in quotes comes after it', 'kind: Other\n"kind": Ingress\n'],
    ['a merge key may bring it', '<<: *it\nkind: Other\n'],
    ['it is a list', 'kind: Other\nitems: [{kind: Ingress}]\n'],
    ['a key is an alias', 'kind: Other\n*key : Ingress\n'],
    ['a key has a tag', 'kind: Other\n!!str kind: Ingress\n'],
    ['a key is written with a mark', 'kind: Other\n? kind\n: Ingress\n'],
    ['the keys are indented and a line of text looks like one', '  kind: Ingress\n  note: "\nkind: Other\n"\n'],
    ['the keys are indented below a separator', '---\n# note\n  kind: Ingress\n  note: "\nkind: Other\n"\n'],
    ['the separator has keys beside it', '--- {kind: Ingress, note: "\nkind: Other\n"}\n'],
  ])('when %s', (_, text) => {
    expect(skimKind(text)).toBeUndefined()
  })

  test('but where each key has a line of its own', () => {
    expect(skimKind('---\n# note\nkind: Ingress\nspec: {}\n')).toBe('Ingress')
  })
})
