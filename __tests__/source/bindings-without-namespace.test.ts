import { expect, test } from '@jest/globals'
import { kustomization } from './kustomize-objects'
import { binding } from './objects'
import { object, url } from './probe'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const parts: Files = {
  'watch/account.yaml': object('v1', 'ServiceAccount', 'watch', '', ''),
  'watch/binding.yaml': `${binding('watch')}subjects:\n  - {kind: ServiceAccount, name: watch}\n`,
}
const built = (...lines: string[]): Files => ({
  ...parts,
  'watch/kustomization.yaml': kustomization('resources: [account.yaml, binding.yaml]', ...lines),
})
const applied: Files = {
  'flux/source.yaml': object(
    'source.toolkit.fluxcd.io/v1',
    'GitRepository',
    'own',
    'flux-system',
    `spec: {url: "${url}"}\n`,
  ),
  'flux/watch.yaml': object(
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    'watch',
    'flux-system',
    'spec: {path: ./watch, prune: true, sourceRef: {kind: GitRepository, name: own}}\n',
  ),
}

test.each<[string, number, Files]>([
  ['plain files', 1, parts],
  ['a Kustomization that others may build on', 0, built()],
  ['a Kustomization that sets the namespace', 0, built('namespace: watch')],
  ['a Kustomization that Flux applies', 1, { ...built(), ...applied }],
])('the namespace of an account in %s', async (_, count, head) => {
  const { findings } = await judgeChange({ 'readme.md': '' }, head, 'helm', ['protected-rbac@1.15.0'])
  const found = findings.filter(({ rule }) => rule === 'protected-rbac/bindings-accepted')
  const at = 'watch/binding.yaml:10 Subject 1 of ClusterRoleBinding watch is ServiceAccount watch without a namespace'
  expect(
    found.map(({ location: { path, region }, text }) => `${path}:${region.startLine} ${text.split(',')[0]}`),
  ).toEqual(Array(count).fill(at))
})
