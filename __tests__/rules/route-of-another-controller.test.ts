import { expect, test } from '@jest/globals'
import { judge } from '../harness'

const route = `apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: portal, namespace: portal}
spec:
  routes:
    - kind: Rule
      match: Host(\`a.example.com\`) && Path(\`/f/{path:.*}\`)
      services: [{name: portal, port: 80}]
`
const daemonSet = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: traefik, namespace: traefik}
spec:
  template:
    spec:
      containers:
        - {name: traefik, image: "traefik:v3.5.3", args: [--providers.kubernetescrd, --core.defaultRuleSyntax=v3]}
`
const chart = `apiVersion: helm.cattle.io/v1
kind: HelmChart
metadata: {name: traefik, namespace: kube-system}
spec:
  repo: https://traefik.github.io/charts
  chart: traefik
  version: 37.1.2
  targetNamespace: traefik
  valuesContent: |
    core: {defaultRuleSyntax: v3}
`

test('a fault of a route is the same one where another object comes to deploy its controller', async () => {
  const { findings } = await judge(
    { base: { 'route.yaml': route, 'traefik.yaml': daemonSet }, head: { 'route.yaml': route, 'traefik.yaml': chart } },
    'controller-scope/syntax-known',
  )
  const ofRoute = findings.filter(({ rule }) => rule === 'controller-scope/syntax-known')
  expect(ofRoute.map(({ status, message }) => [status, message])).toEqual([['existing', 'unread']])
})
