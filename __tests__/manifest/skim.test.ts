import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { stringify } from 'yaml'
import { loadFile } from '../../src/manifest/load'
import { nameOf } from '../../src/manifest/manifest'
import { skimIdentities, skimKind } from '../../src/manifest/skim'

const parsed = (text: string) => loadFile({ text }).objects.map(({ ref }) => ref)

describe('reads the same identities as the full parse', () => {
  test.each<[name: string, text: string, names: string[]]>([
    ['plain', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: b\n', ['ConfigMap b/a']],
    ['quoted', 'apiVersion: "v1"\nkind: \'ConfigMap\'\nmetadata:\n  name: "a"\n', ['ConfigMap a']],
    [
      'with comments',
      'apiVersion: v1 # 1\nkind: ConfigMap # 2\nmetadata: # 3\n  # 4\n  name: a # 5\n# 6\n',
      ['ConfigMap a'],
    ],
    [
      'a comment at the margin in metadata',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n# why\n  name: a\n',
      ['ConfigMap a'],
    ],
    ['flow metadata', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n', ['ConfigMap b/a']],
    ['flow all over', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n', ['ConfigMap a']],
    ['JSON', '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}', ['ConfigMap a']],
    [
      'a name in labels above',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    name: other\n    namespace: other\n  name: a\n',
      ['ConfigMap a'],
    ],
    [
      'a name in labels and none in metadata',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    name: other\n',
      [],
    ],
    [
      'an owner’s name',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  ownerReferences:\n  - apiVersion: v1\n    kind: Pod\n    name: other\n  name: a\n',
      ['ConfigMap a'],
    ],
    [
      'metadata of a pod template',
      'apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    metadata:\n      name: other\nmetadata:\n  name: a\n',
      ['Deployment a'],
    ],
    [
      'a kind further down',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n  name: a\nroleRef:\n  kind: Role\n  name: other\n',
      ['RoleBinding a'],
    ],
    ['CRLF', 'apiVersion: v1\r\nkind: ConfigMap\r\nmetadata:\r\n  name: a\r\n', ['ConfigMap a']],
    ['tabs after colons', 'apiVersion:\tv1\nkind:\tConfigMap\nmetadata:\n  name:\ta\n', ['ConfigMap a']],
    ['a byte order mark', '\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n', ['ConfigMap a']],
    [
      'a List',
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n',
      ['ConfigMap a'],
    ],
    ['a template', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .x }}\n', []],
    ['a part template', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web-{{ .x }}\n', []],
    ['no name', 'apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n', []],
    ['a generated name', 'apiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n', ['Pod a-*']],
    ['an empty name', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name:\n', []],
    ['an empty namespace', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  namespace: ""\n', ['ConfigMap a']],
    ['a number for a name', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 123\n', []],
    ['a truth for a name', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yes\n', []],
    ['a name twice', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n', ['ConfigMap b']],
    ['a name further on', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: >-\n    a\n', ['ConfigMap a']],
    ['an anchored name', 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: &name a\n', ['ConfigMap a']],
    [
      'a merged namespace',
      'x: &x {namespace: b}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  <<: *x\n  name: a\n',
      ['ConfigMap b/a'],
    ],
    [
      'metadata twice',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\nmetadata:\n  name: b\n',
      ['ConfigMap b'],
    ],
    [
      'a cluster-scoped kind with a namespace',
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: system:a\n  namespace: b\n',
      ['ClusterRole system:a'],
    ],
    ['values', 'image:\n  tag: "1"\n', []],
    [
      'an object in a block of text',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: |\n    apiVersion: v1\n    kind: Secret\n    metadata:\n      name: other\n',
      ['ConfigMap a'],
    ],
    [
      'several documents',
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n---\na: b\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: b\n',
      ['ConfigMap a', 'Secret b'],
    ],
  ])('%s', (_, text, names) => {
    expect(skimIdentities(text).map(nameOf)).toEqual(names)
    expect(skimIdentities(text)).toEqual(parsed(text))
  })

  const word = fc.stringMatching(/^[a-z][a-z0-9-]{2,12}$/)
  /**
   * The stringifier leaves `?` and `:` unquoted in braces and brackets, where they begin a key or a value to kubectl.
   */
  const anyText = fc.string().map((any) => any.replace(/[?:]/g, '.'))
  const extra = fc.dictionary(
    fc.constantFrom('labels', 'annotations', 'name', 'namespace', 'finalizers', 'kind', 'metadata'),
    fc.oneof(word, fc.dictionary(fc.constantFrom('name', 'namespace', 'kind', 'app'), fc.oneof(word, anyText))),
  )
  const object = fc.record({
    group: fc.constantFrom('v1', 'apps/v1', 'extensions/v1beta1', 'rbac.authorization.k8s.io/v1'),
    kind: fc.constantFrom('ConfigMap', 'Ingress', 'ClusterRole', 'Deployment'),
    name: fc.oneof(
      word,
      word.map((text) => `system:${text}`),
      word.map((text) => `${text}.example.com`),
    ),
    namespace: fc.option(word, { nil: undefined }),
    metadata: extra,
    spec: extra,
    order: fc.shuffledSubarray(['apiVersion', 'kind', 'metadata', 'spec'], { minLength: 4 }),
    first: fc.boolean(),
    style: fc.constantFrom('block', 'flow', 'json', 'crlf', 'quoted'),
  })

  test('any generated file', () => {
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
        const documents = objects.map(({ group, kind, name, namespace, metadata, spec, order, first, style }) => {
          const { name: _, namespace: __, ...rest } = metadata
          const identity = { name, ...(namespace ? { namespace } : {}) }
          const all: Record<string, unknown> = {
            apiVersion: group,
            kind,
            metadata: first ? { ...identity, ...rest } : { ...rest, ...identity },
            spec,
          }
          const ordered = Object.fromEntries(order.map((key) => [key, all[key]]))
          if (style === 'json') return `${JSON.stringify(ordered)}\n`
          const text = stringify(ordered, {
            version: '1.1',
            collectionStyle: style === 'flow' ? 'flow' : 'block',
            defaultStringType: style === 'quoted' ? 'QUOTE_DOUBLE' : 'PLAIN',
          })
          return style === 'crlf' ? text.replaceAll('\n', '\r\n') : text
        })
        // A comment first, as a file that starts with JSON is a stream of JSON values.
        const text = `# generated\n${documents.join('---\n')}`
        expect(skimIdentities(text)).toEqual(parsed(text))
        expect(parsed(text)).toHaveLength(objects.length)
      }),
      { numRuns: 400 },
    )
  })
})

describe('the kind of a document', () => {
  test.each([
    ['kind: ConfigMap\n', 'ConfigMap'],
    ['spec:\n  kind: Other\nkind: "Secret" # why\n', 'Secret'],
    ['kind: List\nitems:\n- kind: Secret\n', undefined],
    ['kind: SecretList\n', undefined],
    ['{kind: Secret}\n', undefined],
    ['kind: Secret\nkind: ConfigMap\n', undefined],
    ['kind: {{ .kind }}\n', undefined],
    ['kind: &kind Secret\n', undefined],
  ])('%j', (text, kind) => {
    expect(skimKind(text)).toBe(kind)
  })
})
