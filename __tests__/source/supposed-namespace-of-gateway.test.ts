import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import type { Files } from './repository'

const gateway = (from: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge}
spec:
  gatewayClassName: traefik
  listeners:
    - {name: web, protocol: HTTP, port: 80, allowedRoutes: {namespaces: {from: ${from}}}}
`
const route = (parent: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: web}
spec:
  parentRefs: [{${parent}}]
  hostnames: [web.example.com]
  rules: [{backendRefs: [{name: web, port: 80}]}]
`
const chart: Files = {
  'web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
  'web/values.yaml': 'namespace: edge\n',
}
const own = { ...chart, 'web/templates/gateway.yaml': gateway('Same') }
const placed = gateway('Same').replace('name: edge', 'name: edge, namespace: edge')

async function found(base: Files, head: Files): Promise<string[]> {
  const report = await checkOpened(opened(base, { ...base, ...head }))
  return lines(report).filter((line) => line.includes('route-attached'))
}

describe('the namespace that is supposed of a chart which nothing installs', () => {
  test('is not held against its own Gateway', async () => {
    const parent = 'name: edge, namespace: "{{ .Values.namespace }}"'
    expect(await found(own, { 'web/templates/route.yaml': route(parent) })).toEqual([])
  })

  test('is not held against a Gateway with a namespace', async () => {
    const base = { ...chart, 'gateway.yaml': placed }
    expect(await found(base, { 'web/templates/route.yaml': route('name: edge, namespace: edge') })).toEqual([])
    expect(await found(base, { 'web/templates/route.yaml': route('name: edge') })).toEqual([])
  })

  test.each<[what: string, base: Files, head: Files]>([
    [
      'a Gateway that takes routes of no namespace',
      { ...chart, 'gateway.yaml': placed.replace('Same', 'None') },
      { 'web/templates/route.yaml': route('name: edge, namespace: edge') },
    ],
    [
      'a mistyped name of its own Gateway',
      { ...chart, 'web/templates/gateway.yaml': gateway('Same').replace('name: edge', 'name: edge-gateway') },
      { 'web/templates/route.yaml': route('name: edge-gatway') },
    ],
    [
      'a route with a namespace of its own',
      { ...chart, 'gateway.yaml': placed },
      {
        'web/templates/route.yaml': route('name: edge, namespace: edge').replace(
          'name: web',
          'name: web, namespace: web',
        ),
      },
    ],
    [
      'a listener that its Gateway does not have',
      own,
      { 'web/templates/route.yaml': route('name: edge, sectionName: b') },
    ],
  ])('hides no fault of %s', async (_, base, head) => {
    expect(await found(base, head)).not.toEqual([])
  })
})
