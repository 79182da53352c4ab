import { describe, expect, test } from '@jest/globals'
import { loadFile } from '../../src/manifest/load'
import { nameOf } from '../../src/manifest/manifest'
import { skimIdentities } from '../../src/manifest/skim'

function configMap(name: string, more = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`
}

/** The content of a text: objects, then errors with their line, then templates. */
function holds(text: string): string[] {
  const file = loadFile({ text })
  return [
    ...file.objects.map(({ ref }) => nameOf(ref)),
    ...file.unreadable.map(({ reason, region }) => `${region.startLine}:${region.startColumn} ${reason}`),
    ...file.templates.map(() => 'template'),
  ]
}

const mark = '\ntext: "{{ x }}"\nother: {{ y }}\n'
const json = (name: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`

// Each of these was put to k8s.io/cli-runtime, which reads the objects named.
describe('a document that kubectl reads is no template, even where YAML 1.2 reads it otherwise', () => {
  test.each<[name: string, text: string, objects: string[]]>([
    ['an escaped apostrophe', configMap('a', `note: "it\\'s"\ndata: {x: "{{ y }}"}\n`), ['ConfigMap a']],
    ['an escaped tab', configMap('a', 'note: "a\\\tb {{ y }}"\n'), ['ConfigMap a']],
    ['text behind the end of a document', `${configMap('a')}... x${mark}`, ['ConfigMap a']],
    ['a second document behind ...', `${configMap('a')}...\nkind: {{ x }}\n`, ['ConfigMap a']],
    ['? right before a key in braces', '{apiVersion: v1, kind: ConfigMap, metadata: {?name: a}}', ['ConfigMap a']],
    ['a value without a key’s blank in braces', configMap('a', 'data: {"x":y}\n'), ['ConfigMap a']],
    ['a tab between tokens', configMap('a', 'data:\t\n  x:\t"{{ y }}"\n'), ['ConfigMap a']],
    ['a tab before a closing bracket', configMap('a', 'list: [\n\ta,\n\t"{{ x }}"\n\t]\n'), ['ConfigMap a']],
    ['a comment glued to a quote', configMap('a', 'data: {x: "{{ y }}"#z\n}\n'), ['ConfigMap a']],
    ['braces continued in the first column', configMap('a', 'data: {\nx: "{{ y }}"\n}\n'), ['ConfigMap a']],
    ['a quoted key over two lines after ?', configMap('a', '? "da\n  ta"\n: "{{ x }}"\n'), ['ConfigMap a']],
    [
      'a %YAML directive with carriage returns',
      '%YAML 1.1\r---\rapiVersion: v1\rkind: ConfigMap\rmetadata: {name: a}\r',
      ['ConfigMap a'],
    ],
    [
      'directives in a later document',
      `${configMap('a')}---\n%TAG !e! tag:e,2026:\r---\r${configMap('b').replaceAll('\n', '\r')}`,
      ['ConfigMap a', 'ConfigMap b'],
    ],
    ['NEL as a line break', configMap('a').replaceAll('\n', '\u0085'), ['ConfigMap a']],
    [
      'JSON with escapes that YAML does not know',
      `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"x":"\\/ \\ud83d\\ude00"}`,
      ['ConfigMap a'],
    ],
    [
      'JSON whose key is long and whose colon comes late',
      `{"${'x'.repeat(2000)}"\n:1,${json('a').slice(1)}`,
      ['ConfigMap a'],
    ],
    ['a null between JSON values', `${json('a')} null ${json('b')}`, ['ConfigMap a', 'ConfigMap b']],
    ['JSON, then YAML', `${json('a')}\n${configMap('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [
      'YAML in braces after JSON',
      `${json('a')}{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}`,
      ['ConfigMap a', 'ConfigMap b'],
    ],
    [
      'a tab before braces at the start of a file',
      '\t{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n',
      ['ConfigMap a'],
    ],
    ['a List without apiVersion', `kind: List\nitems:\n- ${json('a')}\n`, ['ConfigMap a']],
    [
      'a role whose name holds braces',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "{{ x }}"}\n',
      ['ClusterRole {{ x }}'],
    ],
  ])('%s', (_, text, objects) => {
    expect(holds(text)).toEqual(objects)
  })

  test('JSON is read before what follows it and is a template', () => {
    expect(holds(`${json('a')}\n{{- if x }}\nname: {{ x }}\n`)).toEqual(['ConfigMap a', 'template'])
  })

  test.each([
    ['an odd role’s %', 'apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: "{% x %}"}\n'],
    ['a block left open', configMap('a', '{% if x %}\ndata: {}\n')],
    ['an action that opens a line', `{{- if .x }}\n${configMap('a')}{{- end }}\n`],
    ['an action on the line of a separator', `--- {{ if .x }}\n${configMap('a')}`],
    ['an action as a value', configMap('a', 'data: {{ .x }}\n')],
  ])('a template: %s', (_, text) => {
    expect(holds(text)).toEqual(['template'])
  })
})

describe('a document that kubectl refuses is refused at the same place', () => {
  test.each([
    [
      'text on the line of a separator',
      `${configMap('a')}--- {apiVersion: v1}\n`,
      ['ConfigMap a', '5:5 text after --- is not allowed; write it on the next line'],
    ],
    [
      'a merge of nothing',
      configMap('a', 'data:\n  <<: null\n'),
      ['6:3 the value of << must be a map or a list of maps'],
    ],
    [
      'a merge of a list by an alias',
      configMap('a', 'x: &x [{a: b}]\ndata:\n  <<: *x\n'),
      ['7:3 the value of << must be a map or a list of maps'],
    ],
    ['no number of JSON', configMap('a', 'data: .inf\n'), ['5:7 JSON cannot represent this number; quote it']],
    ['an empty key', configMap('a', 'data:\n  ~: x\n'), ['6:3 a key cannot be empty or null']],
    [
      'YAML 1.2 by its directive',
      `%YAML 1.2\r---\r${configMap('a').replaceAll('\n', '\r')}`,
      ['1:1 kubectl reads only YAML 1.1'],
    ],
    ['an escape that YAML does not know', configMap('a', 'data: {x: "\\/"}\n'), ['5:12 \\/ is not a valid escape']],
    ['a tag that its text does not fit', configMap('a', 'data: !!int x\n'), ['5:13 this text is not a valid !!int']],
    ['a handle that is declared nowhere', configMap('a', 'data: !e!x y\n'), ['5:7 the tag handle !e! is not declared']],
    [
      'a colon and a blank in plain text',
      configMap('a', 'data: x: y\n'),
      ['5:8 a colon and a value are not allowed here; quote the text'],
    ],
    ['a quote that is not closed', configMap('a', 'data: "x\n'), ['5:7 a quoted value is not closed']],
  ])('%s', (_, text, found) => {
    expect(holds(text)).toEqual(found)
  })
})

describe('identities read without parsing make nothing up and leave nothing out', () => {
  test.each([
    ['a key with an escape', '"ki\\x6ed": ConfigMap\napiVersion: v1\nmetadata: {name: a}\n'],
    ['a document in a block', '---\n|-\napiVersion: v1\nkind: Service\nmetadata:\n  name: a\n'],
    ['a document behind ...', `x\n... # y\n${configMap('a')}`],
    ['text on the line of a separator', `--- |\n${configMap('a')}`],
  ])('%s', (_, text) => {
    expect(skimIdentities(text)).toEqual(loadFile({ text }).objects.map(({ ref }) => ref))
  })
})
