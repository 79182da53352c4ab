import { expect, test } from '@jest/globals'
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
