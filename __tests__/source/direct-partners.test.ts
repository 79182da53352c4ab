import { expect, test } from '@jest/globals'
import { judgeChange } from './rendered'

const ingress = (name: string, host: string) =>
  `apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  rules: [{host: ${host}}]\n`

const cluster = `apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: prod.example.com}
spec: {kubernetesVersion: 1.33.0}
`

test('the version of a cluster, read for an object, leads to no other object of a version that it lacks', async () => {
  const base = {
    'web.yaml': ingress('web', 'old.example.com'),
    'cluster.yaml': cluster,
    ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.yaml`, ingress(name, `${name}.example.com`)])),
  }
  const head = { 'web.yaml': ingress('web', 'new.example.com') }
  const { inspected, findings } = await judgeChange(base, head, 'helm', ['version-matrix@1'])
  expect(findings.map(({ rule, location }) => `${location.path} ${rule}`)).toEqual([
    'web.yaml version-matrix/api-served',
  ])
  expect(inspected.head.manifests).toBe(2)
})
