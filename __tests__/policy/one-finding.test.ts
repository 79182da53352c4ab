import { expect, test } from '@jest/globals'
import { judge } from '../harness'
import { binding, role } from '../source/objects'

const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: coredns, namespace: kube-system}\n'
const deployment =
  'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: dns, namespace: kube-system}\nspec: {template: {spec: {serviceAccountName: coredns}}}\n'
const subject = 'subjects:\n  - {kind: ServiceAccount, name: ci, namespace: shop}\n'

/** The rules that report a removed object while another one stays. */
async function heard(removed: string, left: string, params = ''): Promise<string[]> {
  const { findings } = await judge({
    base: { 'a.yaml': removed, 'b.yaml': left },
    head: { 'b.yaml': left },
    guard: `format: 1\npolicies:\n  - use: protected-rbac@1.1.0\n${params}`,
  })
  return findings.map(({ rule, level }) => `${level} ${rule.replace('protected-rbac/', '')}`)
}

test('an object that is removed is one finding: of the rule that protects it, else of what it leaves', async () => {
  expect(await heard(role('system:node'), binding('system:node') + subject)).toEqual(['error object-kept'])
  expect(await heard(role('reader'), binding('reader') + subject)).toEqual(['error binding-resolves'])
  expect(await heard(account, deployment)).toEqual(['error cluster-object-kept'])
  const protect = '    params: {protect: [ServiceAccount/kube-system/coredns]}\n'
  expect(await heard(account, deployment, protect)).toEqual(['error object-kept'])
  const off = '    rules: {protected-rbac/cluster-object-kept: {level: off}}\n'
  expect(await heard(account, deployment, off)).toEqual(['error binding-resolves'])
})
