import { describe, expect, test } from '@jest/globals'
import { decodeFile, loadFile } from '../../src/manifest/load'
import { Manifest, nameOf } from '../../src/manifest/manifest'

function configMap(name: string, more = ''): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`
}

function indent(text: string, by: string): string {
  return text.trim().replaceAll('\n', `\n${by}`)
}

/** The content of a text: objects with their first line, then errors, then templates. */
function holds(text: string | Buffer): string[] {
  const file = loadFile(decodeFile(typeof text === 'string' ? Buffer.from(text) : text))
  return [
    ...file.objects.map(({ ref, region }) => `${nameOf(ref)} ${region.startLine}`),
    ...file.unreadable.map(({ reason, region }) => `${region.startLine}:${region.startColumn} ${reason}`),
    ...file.templates.map(() => 'template'),
  ]
}

/** The value at a path of the first object. */
function valueIn(text: string, ...path: (string | number)[]): unknown {
  const [object] = loadFile({ text }).objects
  if (!object) throw new Error('no object')
  return new Manifest(object, 'head', { kind: 'file', path: 'a.yaml' }, []).root.at(...path).value
}

describe('the contents of a file', () => {
  test.each<[name: string, text: string, objects: string[]]>([
    ['one document', configMap('a'), ['ConfigMap a 1']],
    ['several', `${configMap('a')}---\n${configMap('b')}`, ['ConfigMap a 1', 'ConfigMap b 6']],
    ['empty documents between', `---\n---\n# none\n---\n${configMap('a')}---\n`, ['ConfigMap a 5']],
    ['a comment after the mark', `${configMap('a')}--- # next\n${configMap('b')}`, ['ConfigMap a 1', 'ConfigMap b 6']],
    ['a mark inside a block', configMap('a', 'data:\n  x: |\n    ---\n    y\n'), ['ConfigMap a 1']],
    ['comments around', `# one\n\n${configMap('a')}# end\n`, ['ConfigMap a 3']],
    ['CRLF', `${configMap('a')}---\n${configMap('b')}`.replaceAll('\n', '\r\n'), ['ConfigMap a 1', 'ConfigMap b 6']],
    ['CR alone', configMap('a').replaceAll('\n', '\r'), ['ConfigMap a 1']],
    ['a byte order mark', `\ufeff${configMap('a')}`, ['ConfigMap a 1']],
    ['one before the first mark', `\ufeff---\n${configMap('a')}`, ['ConfigMap a 2']],
    ['one in a later document', `${configMap('a')}---\n\ufeff${configMap('b')}`, ['ConfigMap a 1', 'ConfigMap b 6']],
    ['a document end', `${configMap('a')}...\n---\n${configMap('b')}`, ['ConfigMap a 1', 'ConfigMap b 7']],
    [
      'a List',
      `apiVersion: v1\nkind: List\nitems:\n  - ${indent(configMap('a'), '    ')}\n  - ${indent(configMap('b'), '    ')}\n`,
      ['ConfigMap a 4', 'ConfigMap b 8'],
    ],
    [
      'a typed list',
      'apiVersion: v1\nkind: ConfigMapList\nitems:\n  - metadata:\n      name: a\n  - metadata:\n      name: b\n',
      ['ConfigMap a 4', 'ConfigMap b 6'],
    ],
    ['an empty List', 'apiVersion: v1\nkind: List\nitems: []\n', []],
    ['JSON', '{\n  "apiVersion": "v1",\n  "kind": "ConfigMap",\n  "metadata": {"name": "a"}\n}', ['ConfigMap a 1']],
    [
      'JSON indented with tabs',
      '{\n\t"apiVersion": "v1",\n\t"kind": "ConfigMap",\n\t"metadata": {"name": "a"}\n}',
      ['ConfigMap a 1'],
    ],
    [
      'a stream of JSON',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}',
      ['ConfigMap a 1', 'ConfigMap b 2'],
    ],
    [
      'JSON with a mark between',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}\n---\n{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"}}',
      ['ConfigMap a 1', 'ConfigMap b 3'],
    ],
    [
      'braces and marks inside a JSON string',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"}\\"---\\n{"}}',
      ['ConfigMap a 1'],
    ],
    ['flow style', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}\n', ['ConfigMap b/a 1']],
    ['quoted keys', '"apiVersion": v1\n\'kind\': ConfigMap\n"metadata":\n  "name": "a"\n', ['ConfigMap a 1']],
    ['an explicit key', configMap('a', '? data\n: x: y\n'), ['ConfigMap a 1']],
    ['a tab after a colon', 'apiVersion: v1\nkind:\tConfigMap\nmetadata:\n  name:\ta\n', ['ConfigMap a 1']],
    ['a name in a block', configMap('|-\n    a'), ['ConfigMap a 1']],
    ['a number made a string', configMap('!!str 123'), ['ConfigMap 123 1']],
    ['a name that only looks like a date', configMap('2021-01-01'), ['ConfigMap 2021-01-01 1']],
    ['a name that only looks like base 60', configMap('22:22'), ['ConfigMap 22:22 1']],
    ['a tag of the user’s', configMap('a', 'data: !tag {x: y}\n'), ['ConfigMap a 1']],
    ['a U+FFFD that is written in valid UTF-8', configMap('a', 'data:\n  x: "\ufffd"\n'), ['ConfigMap a 1']],
    ['a comment right after a quote', configMap('a', 'data:\n  x: "a"#b\n'), ['ConfigMap a 1']],
    ['a quoted scalar continued at a low indent', configMap('a', 'data:\n  x: "one\ntwo"\n'), ['ConfigMap a 1']],
    ['an under-indented flow list', configMap('a', 'list: [\na,\n  b\n]\n'), ['ConfigMap a 1']],
    ['no object', 'image: {tag: 1}\n', []],
    ['an object without a name', 'apiVersion: v1\nkind: Pod\nmetadata: {}\n', []],
    ['an object whose name is generated', 'apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n', ['Pod a-* 1']],
    ['nothing', '', []],
    ['comments alone', '# apiVersion: v1\n# kind: ConfigMap\n', []],
  ])('%s', (_, text, objects) => {
    expect(holds(text)).toEqual(objects)
  })

  test('UTF-16 with its byte order mark', () => {
    expect(holds(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(configMap('a'), 'utf16le')]))).toEqual([
      'ConfigMap a 1',
    ])
  })
})

describe('an identity reached through aliases and merge keys, as kubectl reaches it', () => {
  test.each([
    ['a merged name', 'base: &base {name: a}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  <<: *base\n'],
    ['a merged kind', 'base: &base {apiVersion: v1, kind: ConfigMap}\n<<: *base\nmetadata: {name: a}\n'],
    ['an alias for the name', 'base: &base a\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: *base}\n'],
    ['an alias for the metadata', 'base: &base {name: a}\napiVersion: v1\nkind: ConfigMap\nmetadata: *base\n'],
    [
      'an alias for an item',
      `base: &base\n  ${indent(configMap('a'), '  ')}\napiVersion: v1\nkind: List\nitems: [*base]\n`,
    ],
    [
      'an alias for the items',
      `base: &base\n  - ${indent(configMap('a'), '    ')}\napiVersion: v1\nkind: List\nitems: *base\n`,
    ],
    [
      'a merge in an item',
      'base: &base {apiVersion: v1, kind: ConfigMap}\napiVersion: v1\nkind: List\nitems:\n  - <<: *base\n    metadata: {name: a}\n',
    ],
  ])('%s', (_, text) => {
    expect(loadFile({ text }).objects.map(({ ref }) => nameOf(ref))).toEqual(['ConfigMap a'])
  })

  test.each([
    ['name', configMap('a').replace('name: a', 'name: z\n  name: a')],
    ['metadata', configMap('z', 'metadata: {name: a}\n')],
    ['kind', configMap('a').replace('kind', 'kind: Secret\nkind')],
    ['metadata in JSON', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"z"},"metadata":{"name":"a"}}'],
  ])('of a key written twice the last counts: %s', (_, text) => {
    expect(loadFile({ text }).objects.map(({ ref }) => nameOf(ref))).toEqual(['ConfigMap a'])
  })
})

describe('a document that cannot be read, at its first error', () => {
  test.each<[name: string, text: string | Buffer, found: string[]]>([
    ['a tab for indentation', configMap('a', 'data:\n\tx: y\n'), ['6:1 tabs are not allowed as indentation']],
    [
      'a bad key',
      configMap('a', 'data:\n  x: y\n z: w\n'),
      ['7:2 the keys of a map must start in the same column, each with a colon'],
    ],
    [
      'a character that starts nothing',
      configMap('a', 'data:\n  x: @y\n'),
      ['6:6 plain value cannot start with reserved character @'],
    ],
    ['a list as a key', configMap('a', '? [x]\n: y\n'), ['5:3 a map or list cannot be a key']],
    [
      'a template with spaces between its braces',
      configMap('a', 'data:\n  x: { { .Values.x } }\n'),
      ['6:8 a map or list cannot be a key; a text that begins with { needs quotes'],
    ],
    [
      'a text of stars without quotes',
      configMap('a', 'data:\n  x: ***\n'),
      [
        '6:6 a text that begins with * or & needs quotes: without them it is an alias or an anchor, whose name may have only letters, digits, - and _',
      ],
    ],
    [
      'an anchor that holds itself',
      configMap('a', 'data: &d {x: *d}\n'),
      ['5:14 its aliases expand to more than 1,000,000 values'],
    ],
    ['an alias of nothing', configMap('a', 'data: *nothing\n'), ['5:7 the alias *nothing has no anchor before it']],
    [
      'a number as a name',
      configMap('123'),
      ['4:9 metadata.name is read as the number 123, but must be text; quote it'],
    ],
    [
      'a truth as a name',
      configMap('yes'),
      ['4:9 metadata.name is read as the boolean true, but must be text; quote it'],
    ],
    [
      'a misspelt apiVersion',
      configMap('a').replace('apiVersion', 'rapiVersion'),
      ['1:1 rapiVersion of ConfigMap a must be apiVersion'],
    ],
    ['a misspelt kind', configMap('a').replace('kind', 'kinds'), ['2:1 kinds of the object a must be kind']],
    ['a list as a name', configMap('[a]'), ['4:9 metadata.name is a list, but must be text']],
    [
      'a number as a namespace',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: 7\n',
      ['5:14 metadata.namespace is read as the number 7, but must be text; quote it'],
    ],
    [
      'bad UTF-8 in one of three documents',
      Buffer.concat([
        Buffer.from(`${configMap('a')}---\n${configMap('b')}data:\n  x: "`),
        Buffer.from([0xff]),
        Buffer.from(`"\n---\n${configMap('c')}`),
      ]),
      ['ConfigMap a 1', 'ConfigMap c 13', '11:7 a byte here is not UTF-8; save the file as UTF-8'],
    ],
    [
      'a NUL byte in one of three documents',
      `${configMap('a')}---\n${configMap('b', '# \0\n')}---\n${configMap('c')}`,
      ['ConfigMap a 1', 'ConfigMap c 12', '10:3 the control character 0x00 is not allowed in text'],
    ],
    [
      'a broken document among good ones',
      `${configMap('a')}---\n${configMap('b', 'data: [x\n')}---\n${configMap('c')}`,
      ['ConfigMap a 1', 'ConfigMap c 12', '11:1 a list in brackets needs a comma or ] here'],
    ],
    [
      'JSON cut off',
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"',
      ['1:61 a map in braces needs a comma or } here'],
    ],
  ])('%s', (_, text, found) => {
    expect(holds(text)).toEqual(found)
  })

  // Written out, it would never end.
  test('an alias bomb', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]`,
    )
    const text = configMap('a', `l0: &l0 [x]\n${levels.join('\n')}\n`)
    expect(holds(text)).toEqual(['6:10 its aliases expand to more than 1,000,000 values'])
  })

  // Written out, it would never end.
  test('a bomb of merge keys', () => {
    const levels = Array.from(
      { length: 40 },
      (_, level) => `l${level + 1}: &l${level + 1} {<<: [${Array(9).fill(`*l${level}`).join(', ')}]}`,
    )
    const text = configMap('a', `l0: &l0 {x: y}\n${levels.join('\n')}\ndata:\n  <<: *l40\n`)
    expect(holds(text)).toEqual(['6:15 its aliases expand to more than 1,000,000 values'])
  })

  test('more than 100 honest aliases are read', () => {
    const items = Array.from({ length: 500 }, (_, index) => `  k${index}: *x\n`)
    const text = configMap('a', `x: &x [1, 2, 3]\ndata:\n${items.join('')}`)
    expect(holds(text)).toEqual(['ConfigMap a 1'])
    expect(valueIn(text, 'data', 'k499')).toEqual([1, 2, 3])
  })

  test.each([
    ['brackets', '['.repeat(10_000) + ']'.repeat(10_000)],
    ['open brackets', '['.repeat(10_000)],
    ['braces', `${'{a: '.repeat(10_000)}${'}'.repeat(10_000)}`],
    ['dashes', '- '.repeat(10_000)],
  ])('10,000 nested %s: no stack trace, and the other document is judged', (_, nested) => {
    const file = loadFile({ text: `${configMap('a', `data: ${nested}\n`)}---\n${configMap('b')}` })
    expect(file.objects.map(({ ref }) => ref.name)).toEqual(['b'])
    expect(file.unreadable).toHaveLength(1)
    expect(file.unreadable[0]?.region.startLine).toBeLessThanOrEqual(5)
    expect(file.unreadable[0]?.reason).not.toMatch(/call stack/i)
  })

  test('a document of more than 16 MiB, and not the one after it', () => {
    const text = `${configMap('a', `data:\n  x: ${'y'.repeat(17 * 1024 * 1024)}\n`)}---\n${configMap('b')}`
    expect(holds(text)).toEqual([
      'ConfigMap b 8',
      '1:1 this one document has 17 MiB, and an API server accepts at most 3 MiB; split it',
    ])
  })
})

describe('templates', () => {
  test.each([
    ['an unquoted name', configMap('{{ .x }}')],
    ['a name with a mark in it', configMap('web-{{ .x }}')],
    ['a quoted name', configMap('"{{ .x }}"')],
    ['a namespace', configMap('a\n  namespace: {{ .Release.Namespace }}')],
    ['a kind', 'apiVersion: v1\nkind: "{{ .kind }}"\nmetadata:\n  name: a\n'],
    ['lines of control', configMap('a', '{{- if .Values.x }}\ndata:\n  x: y\n{{- end }}\n')],
    ['a Jinja block', configMap('a', '{% if x %}\ndata:\n  x: y\n{% endif %}\n')],
    ['a map from a function', configMap('a', 'data: {{ toYaml .x | nindent 2 }}\n')],
    ['quotes within quoted marks', configMap('a', 'data:\n  x: "{{ index .Items "key" }}"\n')],
    ['apostrophes within quoted marks', configMap('a', "data:\n  x: '{{ index .Items 'key' }}'\n")],
    ['quotes within a quoted Jinja block', configMap('a', 'data:\n  x: "{% if x == "key" %}y{% endif %}"\n')],
  ])('%s', (_, text) => {
    expect(holds(text)).toEqual(['template'])
  })

  test.each([
    ['plain text', 'data:\n  summary: Pod {{ $labels.pod }} is down\n'],
    ['quoted text', 'data:\n  summary: "{{ $labels.pod }}"\n'],
    ['a block of text', 'data:\n  rule: |\n    {{ if .x }}\n    {% y %}\n    {{ end }}\n'],
    ['a comment', '# {{ .x }}\n'],
    ['a label', ''],
  ])('no template: marks in %s of an object', (_, more) => {
    expect(holds(configMap('a', more))).toEqual(['ConfigMap a 1'])
  })

  test('no template: closed marks in quotes of an object that cannot be read', () => {
    expect(holds(configMap('a', 'data:\n  x: "{{ .y }}" z\n'))).toEqual([
      '6:17 the keys of a map must start in the same column, each with a colon',
    ])
  })
})

describe('values as the cluster reads them', () => {
  test.each([
    ['yes', true],
    ['off', false],
    ['y', true],
    ['0755', 493],
    ['0o17', 15],
    ['0x1F', 31],
    ['1_000', 1000],
    ['-0b11', -3],
    ['1e3', 1000],
    ['.5', 0.5],
    ['~', null],
    ['22:22', '22:22'],
    ['2021-01-01', '2021-01-01'],
    ['1.2.3', '1.2.3'],
    ['"yes"', 'yes'],
    ['NO', false],
    ['nO', 'nO'],
  ])('%s', (written, value) => {
    expect(valueIn(configMap('a', `data:\n  key: ${written}\n`), 'data', 'key')).toBe(value)
  })

  test.each<[string, string, Record<string, number>]>([
    ['a merge over a key before it', 'x: 1\n  <<: {x: 2, z: 3}', { x: 2, z: 3 }],
    ['a merge under a key after it', '<<: {x: 2, z: 3}\n  x: 1', { x: 1, z: 3 }],
    ['the first of a list of merges', '<<: [{x: 1}, {x: 2, z: 3}]', { x: 1, z: 3 }],
    ['the later of two merges', '<<: {x: 2, z: 3}\n  <<: {x: 4}', { x: 4, z: 3 }],
    ['of duplicate keys the last', 'x: 1\n  x: 2', { x: 2 }],
    ['a quoted << is a key like any other', '"<<": 1\n  x: 2', { '<<': 1, x: 2 }],
    ['an alias as a key', 'a: &k x\n  *k : 2', { x: 2 }],
  ])('%s', (_, written, expected) => {
    expect(valueIn(configMap('a', `data:\n  ${written}\n`), 'data')).toMatchObject(expected)
  })

  test('duplicate keys are listed with their places', () => {
    const [object] = loadFile({ text: `# c\n${configMap('a', 'data:\n  x: 1\n  y: 2\n  x: 3\n')}` }).objects
    expect(object?.duplicateKeys).toEqual([
      { key: 'x', region: { startLine: 9, startColumn: 3, endLine: 9, endColumn: 4 } },
    ])
  })
})

describe('the identity', () => {
  test.each([
    ['extensions/v1beta1', 'Ingress', 'a', 'networking.k8s.io', 'a'],
    ['networking.k8s.io/v1beta1', 'Ingress', 'a', 'networking.k8s.io', 'a'],
    ['extensions/v1beta1', 'Deployment', 'a', 'apps', 'a'],
    ['apps/v1beta2', 'Deployment', 'a', 'apps', 'a'],
    ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'ignored', 'rbac.authorization.k8s.io', ''],
    ['rbac.authorization.k8s.io/v1', 'Role', 'kept', 'rbac.authorization.k8s.io', 'kept'],
    ['v1', 'Namespace', 'ignored', '', ''],
  ])('%s %s in %s', (apiVersion, kind, namespace, group, expected) => {
    const text = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: web\n  namespace: ${namespace}\n`
    expect(loadFile({ text }).objects.map(({ ref }) => ref)).toEqual([
      { group, kind, namespace: expected, name: 'web' },
    ])
  })
})
