import { describe, expect, test } from '@jest/globals'
import { kept, kustomization, name } from './kustomize-objects'
import { role } from './objects'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const base = { 'app/kustomization.yaml': kustomization('resources: [role.yaml]'), 'app/role.yaml': role(name) }

describe('an emptied Kustomization takes all its objects away', () => {
  test.each<[string, string, Files]>([
    ['no entry', kustomization('resources: []'), {}],
    ['no field', kustomization(), {}],
    ['nothing but a comment', '# later\n', {}],
    ['nothing at all', '', {}],
    ['an empty map', '{}\n', {}],
    ['a field without a value', 'resources:\n', {}],
    ['nothing, with its files', '', { 'app/role.yaml': null }],
  ])('%s', async (_, text, more) => {
    const report = await judgeChange(base, { 'app/kustomization.yaml': text, ...more })
    expect(places(report)).toEqual([expect.stringContaining(kept)])
  })
})
