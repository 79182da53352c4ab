import { expect, test } from '@jest/globals'
import { judge } from '../harness'

const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: shop}
spec: {rules: [{host: web.example.com}]}
`
const policy = (match: string, more = '') => `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: old}
spec:
  schedule: "0 * * * *"
  match: {any: [{resources: {kinds: [Ingress]${match}}}]}
${more}`

async function judged(before: string | undefined, after: string) {
  const base = { 'web.yaml': ingress, ...(before === undefined ? {} : { 'policy.yaml': before }) }
  const { findings, inspected } = await judge({ base, head: { 'web.yaml': ingress, 'policy.yaml': after } })
  return {
    findings: findings.map(({ rule, message }) => `${rule} ${message}`),
    listed: inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`),
  }
}

const listed = (field: string) => ({
  findings: [],
  listed: [
    `policy.yaml: ClusterCleanupPolicy old: its field ${field} is not read, so whether it deletes every Ingress is not known`,
  ],
})

test.each([
  ['namespaceSelector', ', namespaceSelector: {matchLabels: {preview: "true"}}', ''],
  ['annotations', ', annotations: {preview: "true"}', ''],
  ['conditions', '', '  conditions: {all: [{key: a, operator: Equals, value: b}]}\n'],
  ['exclude', '', '  exclude: {any: [{resources: {kinds: [Ingress], names: [web]}}]}\n'],
])('a cleanup policy with %s is listed where it is new and where it is edited', async (field, match, more) => {
  const after = policy(match, more)
  expect(await judged(undefined, after)).toEqual(listed(field))
  expect(await judged(after.replace('0 * * * *', '5 * * * *'), after)).toEqual(listed(field))
})

test('a cleanup policy that loses its limit is an error', async () => {
  const before = policy(', namespaceSelector: {matchLabels: {preview: "true"}}')
  expect(await judged(before, policy(''))).toEqual({ findings: ['protected-rbac/cleanup-safe cleaned'], listed: [] })
})
