import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { countingTool } from '../source/counting'
import { opened } from '../source/in-memory'
import { kept, kustomization, name, shared } from '../source/kustomize-objects'
import { binding, configMap, role } from '../source/objects'
import { places, policies, relatedPlaces } from '../source/rendered'
import type { Files } from '../source/repository'

/** A Kustomization that takes in a protected role in a file with other objects. */
const all = [configMap('first'), role(name), configMap('last')].join('---\n')
const base: Files = {
  'base/kustomization.yaml': kustomization('resources:', '  - all.yaml', '  - binding.yaml'),
  'base/all.yaml': all,
  'base/binding.yaml': binding(name),
  'overlays/prod/kustomization.yaml': shared['overlays/prod/kustomization.yaml'],
}
const roleLine = all.split('\n').findIndex((line) => line.includes(name)) + 1

async function judged(head: Files) {
  const kubectl = countingTool('kubectl')
  const report = await checkOpened(
    opened(base, head),
    '--kustomize',
    kubectl.program,
    ...policies.flatMap((one) => ['--policy', one]),
  )
  return { report, built: kubectl.count('kustomize') }
}

test('an object that is taken out of a file: its name there, without a trial', async () => {
  const { report, built } = await judged({ 'base/all.yaml': [configMap('first'), configMap('last')].join('---\n') })
  expect(places(report)).toEqual([`base/base/all.yaml:${roleLine} exact ${kept}`])
  expect(relatedPlaces(report, kept)[0]).toBe(`head/base/all.yaml:${roleLine - 4} exact removed here`)
  // Each side once.
  expect(built).toBe(2)
})

test('an object that is renamed there: the new name', async () => {
  const { report, built } = await judged({ 'base/all.yaml': all.replace(name, 'renamed') })
  expect(places(report)).toEqual([`head/base/all.yaml:${roleLine} exact ${kept}`])
  expect(built).toBe(2)
})

test('an object that a patch deletes: the patch, by trials', async () => {
  const patch = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: '${name}'}, $patch: delete}\n`
  const { report, built } = await judged({
    'overlays/prod/kustomization.yaml': kustomization(
      'resources:',
      '  - ../../base',
      'patches:',
      '  - path: gone.yaml',
    ),
    'overlays/prod/gone.yaml': patch,
  })
  expect(places(report)).toEqual([`head/overlays/prod/gone.yaml:1 exact ${kept}`])
  expect(built).toBeGreaterThan(2)
})
