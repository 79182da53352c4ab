import { describe, expect, test } from '@jest/globals'
import { type LoadedObject, loadFile } from '../../src/manifest/load'
import { Manifest, nameOf } from '../../src/manifest/manifest'
import { madeBySet } from '../../src/manifest/resource-set'
import { skimIdentities, skimKind } from '../../src/manifest/skim'

/** A ResourceSet of Flux Operator with a spec of these lines. */
function setOf(spec: string): string {
  const lines = spec.trim().replaceAll('\n', '\n  ')
  return `apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: web, namespace: flux-system}\nspec:\n  ${lines}\n`
}

const configMap = (name: string, data: string) =>
  `- {apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: shop}, data: {value: ${data}}}\n`

/** The objects that a set makes, each with its data and the line of that. */
function madeIn(spec: string): string[] {
  return loadFile({ text: setOf(spec) })
    .objects.slice(1)
    .map((object) => {
      const value = rootOf(object).at('data', 'value')
      return `${nameOf(object.ref)} ${JSON.stringify(value.value)} ${value.region.startLine}`
    })
}

function rootOf(object: LoadedObject) {
  return new Manifest(object, 'head', { kind: 'file', path: 'a.yaml' }, []).root
}

/** What a set does not say itself, each with its line. */
function unknownIn(spec: string): string[] {
  const [set] = loadFile({ text: setOf(spec) }).objects
  if (!set) throw new Error('there is no set')
  return madeBySet(set).unknown.map(({ node, reason }) => `${set.regionOf(node).startLine} ${reason}`)
}

const two = 'inputs:\n  - {app: one, port: 80}\n  - {app: two, port: 81}\n'

describe('the objects of a ResourceSet', () => {
  test.each<[name: string, spec: string, expected: string[]]>([
    ['without inputs', `resources:\n${configMap('a', '1')}`, ['ConfigMap shop/a 1 6']],
    [
      'once for each input, where the input is written',
      `${two}resources:\n${configMap('<< inputs.app >>', '<< inputs.port >>')}`,
      ['ConfigMap shop/one 80 6', 'ConfigMap shop/two 81 7'],
    ],
    [
      'at the template, where more than the input is in a text',
      `${two}resources:\n${configMap('<< inputs.app >>', '"a-<< inputs.port >>"')}`,
      ['ConfigMap shop/one "a-80" 9', 'ConfigMap shop/two "a-81" 9'],
    ],
    ['once where no input differs', `${two}resources:\n${configMap('a', 'b')}`, ['ConfigMap shop/a "b" 9']],
    [
      'with functions',
      `${two}resources:\n${configMap('<< inputs.app | upper | slugify >>-<< inputs.provider.name >>', '<< get inputs "none" | default inputs.port | quote >>')}`,
      ['ConfigMap shop/one-web "80" 9', 'ConfigMap shop/two-web "81" 9'],
    ],
    [
      'with a map of an input',
      `inputs: [{labels: {a: b}}]\nresources:\n${configMap('a', '<< inputs.labels | toYaml | nindent 4 >>')}`,
      ['ConfigMap shop/a {"a":"b"} 7'],
    ],
    [
      'of a template of several documents',
      `${two}resourcesTemplate: |\n  <<- range $n := list "x" "z" >>\n  ---\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: << inputs.app >>-<< $n >>}\n  data: {value: << $n >>}\n  <<- end >>`,
      ['ConfigMap one-x "x" 8', 'ConfigMap one-z "z" 8', 'ConfigMap two-x "x" 8', 'ConfigMap two-z "z" 8'],
    ],
    [
      'with conditions on inputs that only some have',
      `inputs: [{app: one}, {app: two, more: true}]\nresourcesTemplate: |\n  <<- if and (hasKey inputs "more") inputs.more >>\n  {apiVersion: v1, kind: ConfigMap, metadata: {name: << inputs.app >>}, data: {value: 1}}\n  <<- end >>`,
      ['ConfigMap two 1 6'],
    ],
    [
      'of steps',
      `steps:\n  - name: first\n    resources:\n    ${configMap('a', '1')}  - name: second\n    resources:\n    ${configMap('b', '2')}`,
      ['ConfigMap shop/a 1 8', 'ConfigMap shop/b 2 11'],
    ],
    [
      'the first of two with one name',
      `resources:\n${configMap('a', '1')}${configMap('a', '2')}`,
      ['ConfigMap shop/a 1 6'],
    ],
    [
      'without those that are switched off',
      `inputs: [{app: one}]\nresources:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {fluxcd.controlplane.io/reconcile: disabled}}}\n${configMap('b', '1')}`,
      ['ConfigMap shop/b 1 8'],
    ],
    [
      'of a set in a set',
      `resources:\n- apiVersion: fluxcd.controlplane.io/v1\n  kind: ResourceSet\n  metadata: {name: inner}\n  spec:\n    resources:\n    ${configMap('a', '1')}`,
      ['ResourceSet inner undefined 6', 'ConfigMap shop/a 1 11'],
    ],
    [
      'for the inputs it has, beside those of a provider',
      `inputsFrom: [{name: more}]\n${two}resources:\n${configMap('<< inputs.app >>', '1')}`,
      ['ConfigMap shop/one 1 10', 'ConfigMap shop/two 1 10'],
    ],
  ])('%s', (_, spec, expected) => {
    expect(madeIn(spec)).toEqual(expected)
  })

  test('have the places of the labels that all get', () => {
    const spec =
      'commonMetadata: {labels: {team: edge}}\nresources:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'
    const [, made] = loadFile({ text: setOf(spec) }).objects
    expect(made && rootOf(made).at('metadata', 'labels', 'team').region.startLine).toBe(5)
    expect(made && rootOf(made).at('metadata', 'labels').region.startLine).toBe(5)
  })

  test('have the labels of all over their own', () => {
    const spec =
      'commonMetadata: {labels: {team: edge}}\nresources:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {team: web, tier: x}}}'
    const [, made] = loadFile({ text: setOf(spec) }).objects
    expect(made && rootOf(made).at('metadata').value).toEqual({ name: 'a', labels: { tier: 'x', team: 'edge' } })
  })

  test('differ where only an input differs', () => {
    const contents = (app: string) =>
      loadFile({ text: setOf(`inputs: [{app: ${app}}]\nresources:\n${configMap('a', '<< inputs.app >>')}`) })
        .objects.slice(1)
        .map(({ content }) => content)
    expect(contents('one')).not.toEqual(contents('two'))
  })

  test('are not left out where only kinds are wanted', () => {
    const text = setOf(`resources:\n${configMap('a', '1')}`)
    expect([skimKind(text), skimIdentities(text).map(({ kind }) => kind)]).toEqual([undefined, ['ResourceSet']])
  })
})

describe('a ResourceSet that does not say all of its objects', () => {
  test.each<[name: string, spec: string, unknown: string[], made: string[]]>([
    [
      'with an unknown function',
      `${two}resources:\n${configMap('a', '<< inputs.app | sha256sum >>')}${configMap('b', '1')}`,
      ['9 `<< inputs.app | sha256sum >>` cannot be filled in'],
      ['ConfigMap shop/b 1 10'],
    ],
    [
      'with an input that is not there',
      `${two}resources:\n${configMap('a', '<< inputs.none >>')}`,
      ['9 `<< inputs.none >>` cannot be filled in'],
      [],
    ],
    [
      'with inputs of a provider',
      `inputsFrom: [{name: more}]\nresources:\n${configMap('<< inputs.app >>', '1')}${configMap('b', '2')}`,
      ['5 inputs of its inputsFrom are unknown here'],
      ['ConfigMap shop/b 2 8'],
    ],
    [
      'with a template that is no YAML',
      'inputs: [{a: "["}]\nresourcesTemplate: |\n  kind: << inputs.a >>',
      ['6 a value is missing here, or a bracket is not closed'],
      [],
    ],
    [
      'with an object that has no name',
      `inputs: [{id: 12}]\nresources:\n${configMap('<< inputs.id >>', '1')}`,
      ['7 an object of it has no apiVersion, kind or name'],
      [],
    ],
    [
      'with a document that is no object',
      'resourcesTemplate: |\n  - a\n  ---\n  # nothing\n',
      ['5 an object of it has no apiVersion, kind or name'],
      [],
    ],
    [
      'with more objects than are made',
      `inputs:\n${Array.from({ length: 2001 }, (_, n) => `  - {app: a${n}}\n`).join('')}resources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: << inputs.app >>}, data: {value: 1}}]`,
      ['2007 it makes more than 2000 objects'],
      Array.from({ length: 2000 }, (_, n) => `ConfigMap a${n} 1 2007`),
    ],
    [
      'with too large a template',
      `inputs: [{n: [${'1, '.repeat(100)}1]}]\nresourcesTemplate: |\n  <<- range $a := inputs.n >><<- range $b := inputs.n >>\n  ---\n  {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}\n  <<- end >><<- end >>`,
      ['6 its resourcesTemplate cannot be filled in'],
      [],
    ],
  ])('%s', (_, spec, unknown, made) => {
    expect([unknownIn(spec), madeIn(spec)]).toEqual([unknown, made])
  })

  test('is one where sets are nested too deep', () => {
    const nested = (depth: number): string =>
      depth === 0
        ? '{apiVersion: v1, kind: ConfigMap, metadata: {name: last}}'
        : `{apiVersion: fluxcd.controlplane.io/v1, kind: ResourceSet, metadata: {name: s${depth}}, spec: {resources: [${nested(depth - 1)}]}}`
    expect(unknownIn(`resources: [${nested(6)}]`)).toEqual(['5 sets in it are more than 4 levels deep'])
  })
})
