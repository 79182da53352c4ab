import { expect, test } from '@jest/globals'
import { judge } from '../harness'

const row = {
  id: 'own',
  component: 'calico',
  versions: '*',
  requires: { kernel: '>=6.0' },
  severity: 'error',
  reason: 'our own nodes say so',
  source: ['https://example.com'],
  checked: '2026-11-01',
}
const guard = (more: object) =>
  JSON.stringify({
    format: 1,
    clusters: { prod: { paths: ['**'], kernel: '5.10.0' } },
    policies: [{ use: 'version-matrix@1.0.0', params: { matrix: [{ ...row, ...more }] } }],
  })
const head = {
  'calico.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata: { name: calico-node, namespace: kube-system }
spec: { template: { spec: { containers: [{ name: calico-node, image: 'calico/node:v3.32.1' }] } } }
`,
}

test('a row of a config is judged like a bundled one', async () => {
  const { findings } = await judge({ head, guard: guard({}) })
  expect(findings.map(({ text }) => text)).toEqual([
    'calico/node:v3.32.1 of DaemonSet kube-system/calico-node does not work with kernel 5.10.0 of its nodes: our own nodes say so. Use a kernel >=6.0 on these nodes.',
  ])
})

test.each([
  ['without a source', { source: [] }, 'is empty'],
  ['without the day', { checked: undefined }, 'lacks the key `checked`'],
  ['with a day that is none', { checked: '2026-02-30' }, 'must be an existing date'],
  ['on a component that nothing goes by', { component: 'calcio' }, 'must be one of antrea,'],
  ['with a setting that nothing goes by', { when: { setting: ['bpf'] } }, 'must be one of aws-network-policy,'],
  ['with a kernel that is no range', { requires: { kernel: '5.10' } }, 'does not have the required form: Bounds like'],
])('a row %s is refused', async (_, more, sentence) => {
  await expect(judge({ head, guard: guard(more) })).rejects.toThrow(sentence)
})
