import { expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { opened } from '../source/in-memory'
import { kustomization } from '../source/kustomize-objects'
import { places, relatedPlaces } from '../source/rendered'
import type { Files } from '../source/repository'

const overlay = 'over/kustomization.yaml'
const base: Files = {
  'base/kustomization.yaml': kustomization('resources: [web.yaml]'),
  'base/web.yaml': `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec:
  tls: [{hosts: [a.example.com], secretName: web}]
  rules: [{host: a.example.com}]
`,
  [overlay]: kustomization('resources: [../base]'),
}
const identity = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\n'

async function judged(patch: string, ...entry: readonly string[]) {
  const head = { [overlay]: kustomization('resources: [../base]', 'patches:', ...entry), 'over/patch.yaml': patch }
  return await checkOpened(opened(base, head), '--policy', 'ingress-tls@1.25.0')
}

test('the line of a new patch, among others, without which the finding is gone', async () => {
  const labelled = identity.replace('shop}', 'shop, labels: {a: b}}')
  const report = await judged(`${labelled}spec:\n  tls: null\n  ingressClassName: nginx\n`, '  - path: patch.yaml')
  expect(places(report)).toContain('head/over/patch.yaml:5 exact ingress-tls/tls-kept')
  expect(relatedPlaces(report, 'ingress-tls/tls-kept')[0]).toBe('head/over/kustomization.yaml:5 exact')
})

test('the first field of a new patch, where no line alone can be left out', async () => {
  const report = await judged(
    `${identity}spec:\n  tls:\n    - hosts: [b.example.com]\n      secretName: web\n`,
    '  - path: patch.yaml',
  )
  expect(places(report)).toContain('head/over/patch.yaml:6 exact ingress-tls/host-covered')
})

test('the operation of a new JSON patch', async () => {
  const report = await judged(
    '- op: add\n  path: /metadata/labels\n  value: {a: b}\n- {op: remove, path: /spec/tls}\n',
    '  - path: patch.yaml',
    '    target: {kind: Ingress}',
  )
  expect(places(report)).toContain('head/over/patch.yaml:4 exact ingress-tls/tls-kept')
})
