import { describe, expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { object } from './probe'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const base: Files = {
  'flux/source.yaml': repository(),
  'apps/cert-manager/app/config.yaml': object('v1', 'ConfigMap', 'config', 'cert-manager', 'data: {a: b}\n'),
  'apps/cert-manager/ks.yaml': kustomization('cert-manager', './apps/cert-manager/app'),
}

async function found(head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head, 'helm', ['controller-scope@1.19.0'])
  return findings
    .filter(({ rule, message }) => rule === 'controller-scope/deployer-single' && message === 'itself')
    .map(({ level, location: { path, region }, text }) => `${level} ${path}:${region.startLine} ${text}`)
}

const outer = (name: string, place = './apps/cert-manager') => ({ 'flux/apps.yaml': kustomization(name, place) })

describe('a Kustomization of Flux with another of its name in its folder', () => {
  test('overwrites itself', async () => {
    expect(await found(outer('cert-manager'))).toEqual([
      'warning flux/apps.yaml:7 Kustomization flux-system/cert-manager applies ./apps/cert-manager, which has a Kustomization of the same name for ./apps/cert-manager/app: it overwrites itself with that one, so the rest of ./apps/cert-manager is no longer applied, and with prune its objects are deleted. Give one of the two another name.',
    ])
  })

  test.each([
    ['has another name', outer('apps')],
    [
      'is a copy of it',
      { ...outer('cert-manager'), 'apps/cert-manager/ks.yaml': kustomization('cert-manager', './apps/cert-manager') },
    ],
    ['is in another namespace', { 'flux/apps.yaml': kustomization('cert-manager', './apps/cert-manager', '', 'apps') }],
  ])('is passed over if it %s', async (_, head) => {
    expect(await found(head)).toEqual([])
  })
})
