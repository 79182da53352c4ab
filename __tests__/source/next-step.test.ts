import { expect, test } from '@jest/globals'
import { nextStep, readable } from '../../src/gaps/failures/next-step'
import type { HelmSource, KustomizeSource } from '../../src/sources/source'

const common = { id: '', target: { cluster: '' }, origin: 'named' as const, declaredAt: { path: 'a.yaml' } }
const web = { ...common, kind: 'kustomize', root: 'apps/web' } as unknown as KustomizeSource
const release = {
  ...common,
  kind: 'helm',
  chart: 'charts/web',
  release: 'web',
  namespace: 'shop',
  set: {},
  values: [{ path: 'prod.yaml' }],
} as unknown as HelmSource
const failed = { cause: 'tool-failed', path: 'charts/web/Chart.yaml' } as const

test('a failure of a tool ends with the command that shows it', () => {
  expect(nextStep(failed, web)).toBe(' Fix this error; `kustomize build apps/web` shows all of it.')
  expect(nextStep(failed, { ...web, root: '', overlay: { namespace: 'a' } })).toBe(
    ' Fix this error; `kustomize build .` shows all of it, unless its deployer adds it.',
  )
  expect(nextStep(failed, release)).toBe(
    ' Fix this error; `helm template web charts/web --namespace shop --values prod.yaml` shows all of it.',
  )
  expect(nextStep(failed, { ...release, set: { a: 1 } })).toMatch(/ \(add the values that are not in files\)\.$/)
})

test('a command has no word of the repository that a shell does not take as it is', () => {
  for (const root of ['$(id)', 'a b', "a'b", '-o', 'a`b'])
    expect(nextStep(failed, { ...web, root })).toBe(' Fix this error.')
  expect(nextStep({ ...failed, path: 'a.yaml' }, release)).toBe(' Fix this error.')
  expect(nextStep({ ...failed, cause: 'kustomization-invalid' }, web)).toBe('')
})

test.each([
  [
    'trouble configuring builtin PatchTransformer with config: ` path: a.yaml `: failed to get the patch file',
    'failed to get the patch file',
  ],
  [
    "path(a.yaml): evalsymlink failure on 'k/a.yaml' : lstat k/a.yaml: no such file or directory",
    'path(a.yaml): there is no file k/a.yaml',
  ],
  ['accumulating resources: no file', 'accumulating resources: no file'],
])('%s, for a reader', (words, short) => {
  expect(readable(words)).toBe(short)
})
