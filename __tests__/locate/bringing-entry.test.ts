import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { countingTool } from '../source/counting'
import { opened } from '../source/in-memory'
import { ingress, kustomization, uncovered } from '../source/kustomize-objects'
import { configMap } from '../source/objects'
import { judgeChange, places, relatedPlaces } from '../source/rendered'

/** An Ingress whose first host has no certificate, in a base of an overlay. */
const base = {
  'base/kustomization.yaml': kustomization('resources:', '  - ingress.yaml'),
  'base/ingress.yaml': ingress('a.example.com', 'b.example.com').replace('[a.example.com, ', '['),
  'other/kustomization.yaml': kustomization('resources:', '  - ingress.yaml'),
  'other/ingress.yaml': ingress('c.example.com').replace('name: web', 'name: other'),
  'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base', '  - ../../other'),
}
const origin = ['head/base/ingress.yaml:11 exact rendered from here']

test('an object that a new overlay includes: the entry that brings it', async () => {
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization('resources:', '  - ../../other', '  - ../../base'),
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:5 exact ${uncovered}`])
  expect(relatedPlaces(report, uncovered)).toEqual(origin)
})

test('the only entry, without which the overlay would not build', async () => {
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization('resources:', '  - ../../base'),
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:4 exact ${uncovered}`])
  expect(relatedPlaces(report, uncovered)).toEqual(origin)
})

test('of an overlay that changes what it includes, the line that decides', async () => {
  const patch = ingress('c.example.com').replace('name: web', 'name: other').replace('[c.', '[d.')
  const report = await judgeChange(base, {
    'overlays/test/kustomization.yaml': kustomization(
      'resources:',
      '  - ../../other',
      'patches:',
      '  - path: tls.yaml',
    ),
    'overlays/test/tls.yaml': patch,
  })
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:6 exact ${uncovered}`])
})

test('of an overlay that only patches objects of other kinds, the entry that brings it, and no trial', async () => {
  const kubectl = countingTool('kubectl')
  const report = await checkOpened(
    opened(base, {
      'overlays/test/kustomization.yaml': kustomization(
        'resources:',
        '  - ../../base',
        'patches:',
        '  - path: replicas.yaml',
        '    target: {kind: Deployment}',
      ),
      'overlays/test/replicas.yaml': '- op: add\n  path: /spec/replicas\n  value: 2\n',
    }),
    ...['--kustomize', kubectl.program, '--policy', 'ingress-tls@1.0.0'],
  )
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:4 exact ${uncovered}`])
  // The new Kustomization.
  expect(kubectl.count('kustomize')).toBe(1)
})

test('of an overlay with a patch for every kind, what trials find', async () => {
  const kubectl = countingTool('kubectl')
  const report = await checkOpened(
    opened(base, {
      'overlays/test/kustomization.yaml': kustomization(
        'resources:',
        '  - ../../other',
        'patches:',
        '  - target: {kind: .*}',
        '    path: hosts.yaml',
      ),
      'overlays/test/hosts.yaml': '- op: replace\n  path: /spec/tls/0/hosts\n  value: [d.example.com]\n',
    }),
    ...['--kustomize', kubectl.program, '--policy', 'ingress-tls@1.0.0'],
  )
  expect(places(report)).toEqual([`head/overlays/test/kustomization.yaml:4 exact ${uncovered}`])
  expect(kubectl.count('kustomize')).toBeGreaterThan(2)
})

/** An Application for each cluster of a list. */
const set = (...clusters: string[]) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: web, namespace: argocd}
spec:
  generators:
    - list:
        elements:
${clusters.map((name) => `          - cluster: ${name}\n`).join('')}  template:
    metadata: {name: 'web-{{cluster}}'}
    spec:
      source: {path: 'web/{{cluster}}', repoURL: https://example.com/repo.git}
      destination: {name: '{{cluster}}', namespace: shop}
`

test('an object of a new cluster, in a file of its own: its line, and no trial', async () => {
  const kubectl = countingTool('kubectl')
  const its = (cluster: string, file: string, text: string) => ({
    [`web/${cluster}/kustomization.yaml`]: kustomization('namespace: shop', 'resources:', `  - ${file}`),
    [`web/${cluster}/${file}`]: text,
  })
  const administrator = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: default, namespace: default}]
`
  const report = await checkOpened(
    opened(
      { 'sets/web.yaml': set('eu'), ...its('eu', 'config.yaml', configMap('eu')) },
      { 'sets/web.yaml': set('eu', 'us'), ...its('us', 'admin.yaml', administrator) },
    ),
    ...['--kustomize', kubectl.program, '--policy', 'protected-rbac@1'],
  )
  expect(places(report)).toEqual(['head/web/us/admin.yaml:5 exact protected-rbac/not-widened'])
  // The new Kustomization.
  expect(kubectl.count('kustomize')).toBe(1)
})

test('an object of a new cluster that another file of the change brings to all: that file', async () => {
  const its = (cluster: string) => ({
    [`web/${cluster}/kustomization.yaml`]: kustomization('resources:', '  - ../../base'),
  })
  const report = await judgeChange(
    { ...base, 'base/ingress.yaml': ingress('b.example.com'), 'sets/web.yaml': set('eu'), ...its('eu') },
    { 'base/ingress.yaml': base['base/ingress.yaml'], 'sets/web.yaml': set('eu', 'us'), ...its('us') },
  )
  expect(new Set(places(report))).toEqual(new Set([`head/base/ingress.yaml:11 exact ${uncovered}`]))
})

test('an object that the rest of a new overlay cannot alter: the entry that brings it, and no trial', async () => {
  const kubectl = countingTool('kubectl')
  const deployment = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n'
  const judged = (patch: string) =>
    checkOpened(
      opened(base, {
        'overlays/test/all.env': 'domain=example.org\n',
        'overlays/test/kustomization.yaml': kustomization(
          'namespace: shop',
          'resources:',
          '  - deployment.yaml',
          '  - ../../base',
          'patchesStrategicMerge:',
          '  - patch.yaml',
          'configMapGenerator:',
          '  - name: settings',
          '    envs: [all.env]',
        ),
        'overlays/test/deployment.yaml': deployment,
        'overlays/test/patch.yaml': patch,
      }),
      ...['--kustomize', kubectl.program, '--policy', 'ingress-tls@1.0.0'],
    )
  const found = `head/overlays/test/kustomization.yaml:6 exact ${uncovered}`
  expect(places(await judged(deployment.replace('1}', '2}')))).toEqual([found])
  // The new Kustomization.
  const builds = kubectl.count('kustomize')
  expect(builds).toBe(1)
  // A patch of an Ingress may be the cause.
  const patch =
    'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop, labels: {a: b}}\n'
  expect(places(await judged(patch))).toEqual([found.replace(':6', ':1')])
  expect(kubectl.count('kustomize') - builds).toBeGreaterThan(builds)
})
