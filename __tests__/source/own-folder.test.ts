import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from './in-memory'
import { configMap } from './objects'
import type { Files } from './repository'

const url = 'https://github.com/acme/platform.git'

const application = (folder: string, version = '4.12.1') => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {server: https://kubernetes.default.svc, namespace: web}
  sources:
    - {chart: web, repoURL: "https://charts.example.com", targetRevision: ${version}}
    - {path: ${folder}, repoURL: "${url}", targetRevision: main}
`
const flux = (folder: string, version = '1') => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system, labels: {version: "${version}"}}
spec: {path: ${folder}, prune: true, sourceRef: {kind: GitRepository, name: flux-system}}
`
const folder: Files = {
  'web/kustomization.yaml': 'resources: [map.yaml]\n',
  'web/map.yaml': configMap('map'),
}

/** What becomes of a change of an object that the Kustomization of its folder does not list. */
async function stateOf(before: string, after: string): Promise<string[]> {
  const { inspected } = await checkOpened(opened({ ...folder, 'web/app.yaml': before }, { 'web/app.yaml': after }, url))
  return (inspected.files ?? []).map(({ path, state }) => `${path} ${state}`)
}

test('an Application or Kustomization of Flux that deploys the folder it is in is applied, though nothing lists it', async () => {
  expect(await stateOf(application('web'), application('web', '4.13.0'))).toEqual(['web/app.yaml not-judged'])
  expect(await stateOf(flux('./web'), flux('./web', '2'))).toEqual(['web/app.yaml judged'])
})

test('one for another folder that nothing lists deploys nothing', async () => {
  expect(await stateOf(application('api'), application('api', '4.13.0'))).toEqual(['web/app.yaml not-deployed'])
  expect(await stateOf(flux('./api'), flux('./api', '2'))).toEqual(['web/app.yaml not-deployed'])
})

test('one that the change takes out of the Kustomization is no longer applied', async () => {
  const listed = {
    ...folder,
    'web/kustomization.yaml': 'resources: [map.yaml, app.yaml]\n',
    'web/app.yaml': application('web'),
  }
  const { inspected } = await checkOpened(opened(listed, { 'web/kustomization.yaml': 'resources: [map.yaml]\n' }, url))
  expect(inspected.changes.removed).toBeGreaterThan(0)
})
