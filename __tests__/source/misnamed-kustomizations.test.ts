import { describe, expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { configMap } from './objects'
import { change } from './probe'
import type { Files } from './repository'

const base: Files = { 'web/settings.yaml': configMap('settings') }
const listing = 'resources: [settings.yaml]\n'
const typed = `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n${listing}`
const ofFlux =
  'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\n'

async function misnamed(head: Files, more: Files = {}): Promise<string[]> {
  const { findings } = await change({ ...base, ...more }, head)
  return findings
    .filter(({ rule }) => rule === 'source/misnamed')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

describe('a new Kustomization with a name that kustomize does not read', () => {
  test.each([
    ['kustomize.yaml', typed],
    ['kustomisation.yaml', listing],
    ['kustomization.yml.yaml', listing],
    ['Kustomization.yaml', listing],
  ])('is reported: %s', async (name, text) => {
    expect(await misnamed({ [`web/${name}`]: text })).toEqual([
      `introduced warning web/${name}:1 kustomize does not read this Kustomization, because of its name, so it does not build what is listed here. Rename the file to kustomization.yaml.`,
    ])
  })

  test('is reported in the root of the repository and when a right name is lost', async () => {
    expect(await misnamed({ 'kustomize.yaml': typed })).toHaveLength(1)
    const right = { 'web/kustomization.yaml': kustomization('resources: [settings.yaml]') }
    expect(await misnamed({ 'web/kustomization.yaml': null, 'web/kustomize.yaml': listing }, right)).toHaveLength(1)
  })

  test.each<[string, Files, Files?]>([
    ['it is not new', { 'web/kustomize.yaml': `# Edited.\n${typed}` }, { 'web/kustomize.yaml': typed }],
    ['its folder has one of a right name', { 'web/kustomize.yaml': typed, 'web/kustomization.yml': listing }],
    ['it is one of Flux', { 'web/kustomize.yaml': `${ofFlux}spec: {path: ./web}\n` }],
    ['it lists nothing', { 'web/kustomize.yaml': 'version: 5\n' }],
    ['it has another name', { 'web/production.yaml': typed }],
    [
      'it is a template of a chart',
      { 'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n', 'web/templates/kustomize.yaml': listing },
    ],
  ])('is passed over if %s', async (_, head, more = {}) => {
    expect(await misnamed(head, more)).toEqual([])
  })
})

describe("a Kustomization with the apiVersion of Flux's", () => {
  const file = 'web/kustomization.yaml'
  const foreign = `apiVersion: kustomize.toolkit.fluxcd.io/v1beta2\nkind: Kustomization\n${listing}`

  test('is reported', async () => {
    const found = await misnamed({ [file]: `# Edited.\n${foreign}` }, { [file]: typed })
    expect(found).toEqual([
      `introduced error ${file}:2 This Kustomization has the apiVersion of the one of Flux, which kustomize refuses, so nothing that is listed here is built or applied. Write apiVersion: kustomize.config.k8s.io/v1beta1.`,
    ])
  })

  test.each<[string, Files, Files?]>([
    ['it had it before', { [file]: `# Edited.\n${foreign}` }, { [file]: foreign }],
    ['it is one of Flux', { [file]: `${ofFlux}spec: {path: ./web}\n` }],
  ])('is passed over if %s', async (_, head, more = {}) => {
    expect(await misnamed(head, more)).toEqual([])
  })
})

describe('a Kustomization of Flux with the apiVersion of kustomize', () => {
  const spec = 'spec:\n  path: ./web\n  sourceRef: {kind: GitRepository, name: flux-system}\n'
  const swapped = (text: string) => text.replace('kustomize.toolkit.fluxcd.io/v1', 'kustomize.config.k8s.io/v1beta1')

  test('is reported at its apiVersion', async () => {
    expect(await misnamed({ 'clusters/web.yaml': `---\n${swapped(ofFlux)}${spec}` })).toEqual([
      'introduced error clusters/web.yaml:2 This Kustomization has the fields of the one of Flux and the apiVersion of the file of kustomize, which no cluster serves, so it is refused and nothing of its path is deployed. Write apiVersion: kustomize.toolkit.fluxcd.io/v1.',
    ])
  })

  test.each<[string, Files, Files?]>([
    [
      'it was so before',
      { 'web.yaml': `# Edited.\n${swapped(ofFlux)}${spec}` },
      { 'web.yaml': swapped(ofFlux) + spec },
    ],
    ['its apiVersion is right', { 'web.yaml': ofFlux + spec }],
    ['it has no source', { 'web.yaml': swapped(ofFlux) }],
  ])('is passed over if %s', async (_, head, more = {}) => {
    expect(await misnamed(head, more)).toEqual([])
  })
})
