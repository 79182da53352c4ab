import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { assign } from '../../src/deployers/common/typed-text'
import { checkOpened } from '../cli/guard'
import { tool } from '../tools'
import { opened } from './in-memory'
import { object, url } from './probe'
import { type Files, temporaryFolder, writeFiles } from './repository'

/** An Ingress with a host for each value, made of its key, its type and its printed form. */
const template = `{{- define "hosts" }}
{{- range $key, $value := . }}
    - host: {{ printf "%q %T %v %s" $key $value $value (toJson $value) | sha256sum | trunc 40 }}.example.com
{{- end }}
{{- end -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ .Release.Name }}
spec:
  tls:
    - hosts: [covered.example.com]
      secretName: covered
  rules:
    - host: covered.example.com
{{- include "hosts" (dig "spec" "values" (dict) .Values.AsMap | default .Values) }}
`
const chart: Files = {
  'charts/edge/Chart.yaml': 'apiVersion: v2\nname: edge\nversion: 1.0.0\n',
  'charts/edge/templates/ingress.yaml': template,
}

/** The hosts that helm itself renders. */
function rendered(args: readonly string[], files: Files = {}): string[] {
  const folder = temporaryFolder()
  writeFiles(folder, { ...chart, ...files })
  const output = execFileSync(tool('helm'), ['template', 'web', 'charts/edge', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return hostsIn(output)
}

/** A release is rendered again where its lines are sought. */
function hostsIn(output: string): string[] {
  return [...new Set([...output.matchAll(/host: (\w{40})\.example\.com/g)].map(([, host = '']) => host))].sort()
}

/** An object as the API server holds it after kubectl sent it. */
function held(text: string): string {
  const folder = temporaryFolder()
  writeFiles(folder, { 'object.yaml': text })
  const file = path.join(folder, 'object.yaml')
  return execFileSync(tool('kubectl'), ['label', '--local', '-f', file, '-o', 'json', 'a=b'], { encoding: 'utf8' })
}

/** Every form of a scalar that parsers of YAML disagree about, as values and as keys. */
const forms = [
  ...['on', 'off', 'yes', 'no', 'y', 'n', 'On', 'TRUE', 'False', 'true', '"on"', "'yes'", '"true"', '"no"'],
  ...['0', '0755', '0o755', '"0755"', '09', '0x10', '"0x10"', '0b11', '1_000', '"1_000"', '+5', '-5', '-0x10', '1e3'],
  ...['"1e3"', '1E+3', '.5', '1.', '1.0', '1.10', '"1.10"', '12345678901234567890', '9007199254740993', '1e21'],
  ...['18446744073709551616', '1:30', '22:22', '2001-01-01', '"2001-01-01"', '2001-01-01T10:00:00Z', '~', '"~"'],
  ...['null', '"null"', 'Null', '""', "''", '" "', '"=x"', '"- a"', '"a: b"', '"# a"', '"{{ x }}"', '!!str 5'],
  ...[
    '!!str yes',
    '!!int "5"',
    '!!float 3',
    '"line\\nbreak\\n"',
    '"\\t"',
    '"\\u00e9\\u2028\\U0001f600"',
    '@'.repeat(0),
  ],
  ...['[on, "on", 0755]', '{on: yes, "no": off}', '[]', '{}', '"*a"', '"&a"', '"!a"', '"%a"', '"`"', '"<<"'],
].filter((form) => form !== '')

const list = forms.map((form, index) => `v${index}: ${form}`)
const keys = [
  'on: 1',
  '"on": 2',
  'off: 3',
  '0755: 4',
  '1.10: 5',
  '"null": 6',
  '"yes": 7',
  '"~": 8',
  '"0755": 9',
  '"1e3": 1',
]
const anchored = ['base: &b {on: yes, mode: 0644}', 'merged: {<<: *b, mode: 1}', 'alias: *b', 'twice: 1', 'twice: on']
const values = [...list, ...keys, ...anchored]
const below = (indent: string) => values.map((one) => `${indent}${one}\n`).join('')

const application = (helm: string) =>
  object(
    'argoproj.io/v1alpha1',
    'Application',
    'web',
    'argocd',
    `spec:\n  project: default\n  destination: {namespace: shop}\n  source:\n    repoURL: ${url}\n    path: charts/edge\n    helm:\n${helm}`,
  )

/** The hosts that the gate renders: a helm that also keeps its output replaces the real one. */
async function judged(files: Files): Promise<string[]> {
  const folder = temporaryFolder()
  const [helm, kept] = [path.join(folder, 'helm'), path.join(folder, 'output')]
  writeFiles(folder, { helm: `#!/bin/sh\n'${tool('helm')}' "$@" | tee -a '${kept}'\n`, output: '' })
  chmodSync(helm, 0o755)
  const { findings } = await checkOpened(opened({ ...chart, ...files }, undefined, url), '--all', '--helm', helm)
  expect(findings.filter(({ rule }) => rule === 'source/unrendered')).toEqual([])
  return hostsIn(readFileSync(kept, 'utf8'))
}

const release = (spec: string) =>
  object(
    'helm.toolkit.fluxcd.io/v2',
    'HelmRelease',
    'web',
    'flux-system',
    `spec:\n  interval: 5m\n  chart: {spec: {chart: ./charts/edge, sourceRef: {kind: GitRepository, name: own}}}\n${spec}`,
  )
const source = object('source.toolkit.fluxcd.io/v1', 'GitRepository', 'own', 'flux-system', `spec: {url: ${url}}\n`)

describe('values reach helm as their deployer hands them over', () => {
  const asHeld = () => rendered(['-f', 'held.json'], { 'held.json': held(release(`  values:\n${below('    ')}`)) })

  test('a helm that gets other values renders other hosts', () => {
    expect(rendered(['-f', 'v.yaml'], { 'v.yaml': '"on": true\n' })).not.toEqual(
      rendered(['-f', 'v.yaml'], { 'v.yaml': 'on: true\n' }),
    )
    expect(asHeld()).toHaveLength(new Set(asHeld()).size)
    expect(asHeld().length).toBeGreaterThan(80)
  })

  test('valuesObject of an Application, which the API server has read', async () => {
    expect(await judged({ 'app.yaml': application(`      valuesObject:\n${below('        ')}`) })).toEqual(asHeld())
  })

  test('values of a HelmRelease, which the API server has read', async () => {
    expect(await judged({ 'hr.yaml': release(`  values:\n${below('    ')}`), 'source.yaml': source })).toEqual(asHeld())
  })

  test('the text in values of an Application', async () => {
    const expected = rendered(['-f', 'text.yaml'], { 'text.yaml': below('') })
    expect(await judged({ 'app.yaml': application(`      values: |\n${below('        ')}`) })).toEqual(expected)
  })

  test('the text in a ConfigMap of a HelmRelease: its first document', async () => {
    const expected = rendered(['-f', 'text.yaml'], { 'text.yaml': below('') })
    const map = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: flux-system}\ndata:\n  values.yaml: |\n${below('    ')}    ---\n    second: true\n`
    const from = release('  valuesFrom: [{kind: ConfigMap, name: own}]\n')
    expect(await judged({ 'hr.yaml': from, 'source.yaml': source, 'map.yaml': map })).toEqual(expected)
  })
})

const words = [
  ...['true', 'TRUE', 'False', 'null', 'on', 'yes', '0', '0755', '-0', '5', '+5', '-5', '1.5', '1e3', '0x10', '1_000'],
  ...['', '~', '"quoted"', 'a b', '{a,b}', '{}', '{0,true,x}', 'a\\.b', '2001-01-01', '9007199254740993', 'é', 'a=b'],
]

describe('parameters', () => {
  test('of an Application are what --set and --set-string make of them, with commas as text', async () => {
    const named = [...words, 'a,b', 'a\\,b', '$ARGOCD_APP_NAME', '$$x', `$${'{ARGOCD_APP_NAMESPACE}'}-$NONE`].map(
      (value, index) => ({ name: `p${index}`, value }),
    )
    const paths = ['deep.a.b', 'with\\.dot', 'list[0].x', 'list[2]'].map((name) => ({ name, value: '1' }))
    const texts = ['true', '0755', '5', 'null', 'a,b'].map((value, index) => ({
      name: `t${index}`,
      value,
      forceString: true,
    }))
    const again = [
      { name: 'twice', value: '1' },
      { name: 'twice', value: 'on' },
    ]
    const parameters = JSON.stringify([...named, ...paths, ...texts, ...again])
    const handed = (value: string) =>
      ({ 'a,b': 'a\\,b', $ARGOCD_APP_NAME: 'web', $$x: '$x', [`$${'{ARGOCD_APP_NAMESPACE}'}-$NONE`]: 'shop-' })[
        value
      ] ?? value
    const args = [
      ...[...named, ...paths].flatMap(({ name, value }) => ['--set', `${name}=${handed(value)}`]),
      ...texts.flatMap(({ name, value }) => ['--set-string', `${name}=${handed(value)}`]),
      ...['--set', 'twice=on'],
    ]
    expect(await judged({ 'app.yaml': application(`      parameters: ${parameters}\n`) })).toEqual(rendered(args))
  })

  const assignments = [
    ...words.map((word) => `a=${word}`),
    ...['a.b.c=1', 'a\\.b=1', 'a[0]=1', 'a[2].b=x', 'a[0][1]=y', 'a=1,b=on', 'a={1,2},b.c=3', 'a=x\\,y', 'a=\\{x\\}'],
    ...['a.b=1,a.c=2', 'a=,b=1', 'a.b=,c={x}'],
  ]
  test.each(assignments)('%s means the same to the reader of targetPath and to helm', (assignment) => {
    const folder = temporaryFolder()
    const values = '{{ toJson .Values }}'
    writeFiles(folder, {
      'c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 1.0.0\n',
      'c/templates/v.yaml': `apiVersion: v1\nkind: X\nmetadata: {name: x}\nv: ${values}\n`,
    })
    for (const flag of ['--set', '--set-string']) {
      const output = execFileSync(tool('helm'), ['template', 'x', `${folder}/c`, flag, assignment], {
        encoding: 'utf8',
      })
      const into = {}
      expect(assign(assignment, into, flag === '--set-string')).toBe(true)
      expect(into).toEqual(JSON.parse(output.match(/^v: (.*)$/m)?.[1] ?? ''))
    }
  })

  test.each(['a', 'a.=1', '=1', 'a={x', 'a=1,a.b=2', 'a[x]=1', 'a[0=1', 'a[0]x=1', 'a=1,b'])(
    '%s is refused',
    (assignment) => {
      expect(assign(assignment, {}, false)).toBe(false)
    },
  )
})

describe('a single value that a HelmRelease takes of a ConfigMap', () => {
  const map = (name: string, data: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: flux-system}\ndata: {${data}}\n`
  const maps = {
    'maps.yaml': [map('one', 'k: single'), map('whole', 'values.yaml: "{a: {b: whole, c: whole}}"')].join('---\n'),
  }
  const single = (path: string, more = '') => `{kind: ConfigMap, name: one, valuesKey: k, targetPath: ${path}${more}}`
  const whole = '{kind: ConfigMap, name: whole}'
  // Observed with Flux: facts in the order of `ChartValuesFromReferences`.
  const cases: [what: string, from: string, inline: string, expected: string][] = [
    ['loses against the same key of the object', single('a'), '{a: inline}', '{a: inline}'],
    ['wins in a map that only the object has', single('a.b'), '{a: {b: inline}}', '{a: {b: single}}'],
    [
      'loses in a map that an earlier entry has',
      `${whole}, ${single('a.b')}`,
      '{a: {b: inline}}',
      '{a: {b: inline, c: whole}}',
    ],
    ['loses against a later entry', `${single('a.b')}, ${whole}`, '{}', '{a: {b: whole, c: whole}}'],
    ['wins over an earlier entry', `${whole}, ${single('a.b')}`, '{}', '{a: {b: single, c: whole}}'],
  ]
  test.each(cases)('%s', async (_, from, inline, expected) => {
    const files = {
      ...maps,
      'hr.yaml': release(`  valuesFrom: [${from}]\n  values: ${inline}\n`),
      'source.yaml': source,
    }
    expect(await judged(files)).toEqual(rendered(['-f', 'v.yaml'], { 'v.yaml': expected }))
  })

  test('is typed like --set, unless it is quoted or literal', async () => {
    const data = { plain: '0', quoted: '"0"', literal: 'x,{y}', comma: 'x,d=on', line: 'true\n' }
    const from = Object.keys(data).map(
      (key) =>
        `{kind: ConfigMap, name: one, valuesKey: ${key}, targetPath: v.${key}${key === 'literal' ? ', literal: true' : ''}}`,
    )
    const files = {
      'maps.yaml': map(
        'one',
        Object.entries(data)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join(),
      ),
      'hr.yaml': release(`  valuesFrom: [${from.join()}]\n`),
      'source.yaml': source,
    }
    const expected = { v: { plain: 0, quoted: '0', literal: 'x,{y}', comma: 'x', line: 'true\n' }, d: 'on' }
    expect(await judged(files)).toEqual(rendered(['-f', 'v.yaml'], { 'v.yaml': JSON.stringify(expected) }))
  })
})
