import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { countingTool } from '../source/counting'
import { opened } from '../source/in-memory'
import { kustomization } from '../source/kustomize-objects'
import { binding, role } from '../source/objects'
import { places } from '../source/rendered'
import type { Files } from '../source/repository'

const policies = ['--policy', 'protected-rbac@1.16.0']
const changed = 'protected-rbac/role-ref-kept'

/** A Kustomization with a binding, and another one of the same name that it does not include. */
const base: Files = {
  'base/kustomization.yaml': kustomization('resources:', '  - role.yaml', '  - binding.yaml'),
  'base/role.yaml': role('deployer'),
  'base/binding.yaml': binding('deployer'),
  'base/unused.yaml': binding('deployer'),
}

async function judged(before: Files, head: Files) {
  const kubectl = countingTool('kubectl')
  const report = await checkOpened(opened(before, head), '--kustomize', kubectl.program, ...policies)
  const own = report.findings.filter(({ rule }) => rule === changed)
  return { places: places({ ...report, findings: own }), built: kubectl.count('kustomize') }
}

const renamed = binding('deployer').replace(/deployer\n$/, 'reader\n')

test('a changed field of a roleRef: its own line, with a build of each side and no other', async () => {
  const { places: found, built } = await judged(base, { 'base/binding.yaml': renamed })
  expect(found).toEqual([`head/base/binding.yaml:8 exact ${changed}`])
  expect(built).toBe(2)
})

test('where the name gets a prefix, the same line, with one more build of each side', async () => {
  const withPrefix = {
    ...base,
    'base/kustomization.yaml': kustomization('namePrefix: shop-', 'resources:', '  - role.yaml', '  - binding.yaml'),
  }
  const { places: found, built } = await judged(withPrefix, { 'base/binding.yaml': renamed })
  expect(found).toEqual([`head/base/binding.yaml:8 exact ${changed}`])
  expect(built).toBe(4)
})

test('where a patch writes the field, the line of the patch', async () => {
  const patched = {
    ...base,
    'base/kustomization.yaml': kustomization(
      'resources:',
      '  - role.yaml',
      '  - binding.yaml',
      'patches:',
      '  - path: patch.yaml',
    ),
    'base/patch.yaml': binding('deployer'),
  }
  const { places: found } = await judged(patched, { 'base/patch.yaml': renamed })
  expect(found).toEqual([`head/base/patch.yaml:8 exact ${changed}`])
})
