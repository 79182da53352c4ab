import { expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const finding = 'controller-scope/service-selects'

/** The selected label is in line 5. */
function service(app: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {app: ${app}}\n  ports: [{name: http, port: 80}]\n`
}

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: web, ports: [{name: http, containerPort: 80}]}]}
`

function route(namespace: string): string {
  return `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web, namespace: routes}
spec:
  hostnames: [web.example.com]
  rules: [{backendRefs: [{name: web, namespace: ${namespace}, port: 80}]}]
`
}

function kustomization(folder: string, text: string, more = ''): Files {
  return { [`${folder}/kustomization.yaml`]: `resources: [all.yaml]\n${more}`, [`${folder}/all.yaml`]: text }
}

test('partners are looked for in Kustomizations that give, inherit or name the namespace of a Service', async () => {
  const base = {
    'web.yaml': service('web'),
    ...kustomization('bases/web', deployment, 'namespace: shop\n'),
    'given/kustomization.yaml': 'resources: [../bases/web]\n',
    ...kustomization('named', route('shop'), 'namespace: routes\n'),
    ...kustomization('elsewhere', deployment, 'namespace: other\n'),
    ...kustomization('bases/elsewhere', deployment, 'namespace: other\n'),
    'inherited/kustomization.yaml': 'resources: [../bases/elsewhere]\n',
  }
  const report = await judgeChange(base, { 'web.yaml': service('wbe') }, 'helm', ['controller-scope@1.12.0'])
  expect(report.inspected.head.rendered).toBe(2)
  expect(lines(report)).toEqual([`introduced warning head/web.yaml:5 ${finding}`])
})

test('a Kustomization that leaves the namespace open may hold partners', async () => {
  const base = {
    'web.yaml': service('web'),
    ...kustomization('open', deployment.replace('name: web}', 'name: web, namespace: shop}')),
    ...kustomization('routes', route('shop')),
    ...kustomization('unknown', deployment),
    'loop/kustomization.yaml': 'resources: [../loop]\n',
  }
  const report = await judgeChange(base, { 'web.yaml': service('wbe') }, 'helm', ['controller-scope@1.12.0'])
  expect(report.inspected.head.rendered).toBe(3)
  expect(lines(report).filter((line) => line.includes(finding))).toEqual([
    `introduced warning head/web.yaml:5 ${finding}`,
  ])
})
