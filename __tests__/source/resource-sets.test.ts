import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { ingress } from './objects'
import type { Files } from './repository'

/** A ResourceSet of Flux Operator: inputs from line 5 on, one line each, and an Ingress made of each. */
function setFor(inputs: readonly string[], routed = '<< inputs.host >>'): string {
  const resource = ingress('<< inputs.name >>', ['a.example.com'], [routed]).trim().replaceAll('\n', '\n      ')
  return [
    'apiVersion: fluxcd.controlplane.io/v1',
    'kind: ResourceSet',
    'metadata: {name: web, namespace: flux-system}',
    'spec:',
    ...inputs,
    '  resources:',
    `    - ${resource}`,
    '',
  ].join('\n')
}

const inputs = (...hosts: readonly string[]) => [
  '  inputs:',
  ...hosts.map((host, index) => `    - {name: web-${index}, host: ${host}}`),
]

/** The findings of a change, and the states of its files. */
async function judged(before: Files, after: Files): Promise<string[]> {
  const report = await checkOpened(opened(before, after))
  return [
    ...lines(report),
    ...report.findings.map(({ text }) => text),
    ...(report.inspected.files ?? []).map(({ path, state, cause }) => [path, state, cause].filter(Boolean).join(' ')),
  ]
}

const ofSets = (before: string, after: string) => judged({ 'web.yaml': before }, { 'web.yaml': after })

test('an object that a ResourceSet makes is judged, at the input that changes it', async () => {
  expect(await ofSets(setFor(inputs('a.example.com')), setFor(inputs('a.example.com', 'b.example.com')))).toEqual([
    'introduced error head/web.yaml:7 ingress-tls/host-covered',
    expect.stringContaining('No entry of spec.tls lists b.example.com'),
    'web.yaml judged',
  ])
})

test('one more object is silent', async () => {
  const after = setFor(inputs('a.example.com', 'a.example.com'))
  expect(await ofSets(setFor(inputs('a.example.com')), after)).toEqual(['web.yaml judged'])
})

test('a template that can no longer be filled in is an error, at its line', async () => {
  const after = setFor(inputs('a.example.com'), '<< inputs.host | sha256sum >>')
  expect(await ofSets(setFor(inputs('a.example.com')), after)).toEqual([
    'introduced error head/web.yaml:18 source/unrendered',
    'The objects that ResourceSet flux-system/web deploys can no longer be rendered, so this change to them cannot be checked: `<< inputs.host | sha256sum >>` cannot be filled in.',
    'web.yaml not-judged out-of-sight',
  ])
})

test('a changed provider of inputs is a finding', async () => {
  const provider = (host: string) =>
    `apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSetInputProvider\nmetadata: {name: hosts}\nspec:\n  type: Static\n  defaultValues: {host: ${host}}\n`
  const set = setFor(['  inputsFrom: [{name: hosts}]'])
  const base = { 'web.yaml': set, 'hosts.yaml': provider('a.example.com') }
  expect(await judged(base, { 'hosts.yaml': provider('b.example.com') })).toEqual([
    'introduced warning head/hosts.yaml:6 source/not-judged',
    expect.stringContaining('the objects that ResourceSets make of its inputs are unknown here'),
    'hosts.yaml not-judged set-inputs',
  ])
})

const staticProvider = (name: string, values: string) =>
  `apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSetInputProvider\nmetadata: {name: ${name}, namespace: flux-system}\nspec: {type: Static, defaultValues: ${values}}\n`

describe('the inputs of a static provider', () => {
  const set = setFor(['  inputsFrom: [{name: web}]'])
  const of = (host: string) => staticProvider('web', `{name: web, host: ${host}}`)

  test('are filled in, in the same file', async () => {
    const text = (host: string) => `${set}---\n${of(host)}`
    expect(await ofSets(text('a.example.com'), text('b.example.com'))).toEqual([
      'introduced error head/web.yaml:17 ingress-tls/host-covered',
      expect.stringContaining('No entry of spec.tls lists b.example.com'),
      'web.yaml judged',
    ])
  })

  test('are filled in, in another file of the Kustomization', async () => {
    const files = (host: string): Files => ({
      'flux/kustomization.yaml': 'resources: [web.yaml, inputs.yaml]\n',
      'flux/web.yaml': set,
      'flux/inputs.yaml': of(host),
    })
    expect(await judged(files('a.example.com'), files('b.example.com'))).toEqual([
      'introduced error head/flux/inputs.yaml:4 ingress-tls/host-covered',
      expect.stringContaining('No entry of spec.tls lists b.example.com'),
      'flux/inputs.yaml judged',
    ])
  })

  test.each([
    ['for a selector', '[{selector: {matchLabels: {a: b}}}]', of],
    ['of another type', '[{name: web}]', (host: string) => of(host).replace('type: Static', 'type: ExternalService')],
    ['of another namespace', '[{name: web}]', (host: string) => of(host).replace('flux-system', 'other')],
    [
      'that is switched off',
      '[{name: web}]',
      (host: string) =>
        of(host).replace(
          '{name: web, namespace',
          '{name: web, annotations: {fluxcd.controlplane.io/reconcile: disabled}, namespace',
        ),
    ],
  ])('are listed %s', async (_, from, made) => {
    const own = setFor([`  inputsFrom: ${from}`])
    const report = await ofSets(`${own}---\n${made('a.example.com')}`, `${own}---\n${made('b.example.com')}`)
    expect(report).toEqual([
      'introduced warning head/web.yaml:23 source/not-judged',
      expect.stringContaining('the objects that ResourceSets make of its inputs are unknown here'),
      'web.yaml not-judged set-inputs',
    ])
  })
})

describe('permuted inputs', () => {
  const permuting = (more: string, host: string, name = '<< inputs.id >>') =>
    `${setFor(
      ['  inputStrategy: {name: Permute}', '  inputsFrom: [{name: The-Zone}]', ...inputs('a', 'b')],
      '<< inputs.web.host >>.<< inputs.the_zone.zone >>',
    ).replace('name: << inputs.name >>', `name: ${name}`)}${more}---\n${staticProvider('The-Zone', `{zone: ${host}}`)}`

  test('are each with each, by the names of their objects', async () => {
    const [one, two] = ['example.com', 'example.org'].map((zone) => permuting('', zone, '<< inputs.web.name >>'))
    const found = await ofSets(one ?? '', two ?? '')
    expect(found).toContainEqual(expect.stringMatching(/lists a.example.org.*The same applies in 1 more case/))
    expect(found).toContain('web.yaml judged')
  })

  test('are all unknown if one provider is', async () => {
    const more = (zone: string) => permuting('', zone).replace('[{name: The-Zone}]', '[{name: The-Zone}, {name: gone}]')
    expect((await ofSets(more('example.com'), more('example.org'))).at(-1)).toBe('web.yaml not-judged set-inputs')
  })
})

test.each([
  ['a file', {}],
  ['a Kustomization', { 'flux/kustomization.yaml': 'resources: [web.yaml]\n' }],
])('an object that an untouched set in %s puts together is compared with a new one', async (_, more: Files) => {
  const path =
    '\n      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}'
  const routed = (host: string, indent: string) => `- host: ${host}${path.replaceAll('\n', `\n${indent}`)}`
  const set = setFor(['  inputs:', '    - {name: web-0, host: sho, domain: xample.com}'])
    .replace('hosts: [a.example.com]', 'hosts: []')
    .replace('- host: << inputs.host >>', routed('<< inputs.host >>p.e<< inputs.domain >>', '      '))
  const another = ingress('other', ['shop.example.com'], ['shop.example.com']).replace(
    '- host: shop.example.com',
    routed('shop.example.com', ''),
  )
  // Nothing else that a search for words would find.
  const apart = another.replaceAll('web', 'front').replace('namespace: shop', 'namespace: front')
  const report = await judged({ 'flux/web.yaml': set, ...more }, { 'other.yaml': apart })
  expect(report).toContain('introduced warning head/other.yaml:12 ingress-tls/host-unique')
})
