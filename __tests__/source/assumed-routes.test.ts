import { describe, expect, test } from '@jest/globals'
import { newestVersions } from '../harness'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const policies = newestVersions.filter((one) => /^(?:ingress-tls|controller-scope)@/.test(one))

const attached = (place: string, level = 'warning') => `${level} ${place} ingress-tls/route-attached`

const gateway = (listeners: string) => `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: public, namespace: edge}
spec:
  gatewayClassName: cilium
  listeners: [${listeners}]
`
const listener = (name: string, more: string) =>
  `{name: ${name}, port: 443, allowedRoutes: {namespaces: {from: All}}, ${more}}`
const https = listener('https', 'protocol: HTTPS, hostname: "*.example.com", tls: {certificateRefs: [{name: web-tls}]}')
const tls = listener('tls', 'protocol: TLS, hostname: "*.example.com", tls: {mode: Passthrough}')

/** The values begin at line 8. */
const release = (values: string) => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  chartRef: {kind: OCIRepository, name: app-template}
  interval: 1h
  values:
${values.replace(/^(?=.)/gm, '    ')}`

const route = (parent: string, host = 'web.example.com', more = '') => `route:
  app:
    hostnames: [${host}]
    parentRefs: [${parent}]
${more}`

const named = (section: string, more = '') => `{name: public, namespace: edge, sectionName: ${section}${more}}`

async function found(before: string | undefined, after: string, more: Files = {}): Promise<string[]> {
  const others: Files = { 'gateway.yaml': gateway([https, tls].join(', ')), ...more }
  const base: Files = { ...others, ...(before === undefined ? {} : { 'web.yaml': release(before) }) }
  const report = await judgeChange(base, { 'web.yaml': release(after) }, 'helm', policies)
  return places(report).filter((place) => !place.endsWith(' source/not-judged'))
}

describe('a route in the values of app-template', () => {
  test('that names a listener which the Gateway lacks, at the line of the value', async () => {
    expect(await found(route(named('https')), route(named('secure')))).toEqual([attached('head/web.yaml:11 values')])
  })

  test('whose host no listener accepts', async () => {
    expect(await found(route(named('https')), route(named('https'), 'web.example.org'))).toEqual([
      attached('head/web.yaml:10 values'),
    ])
  })

  test('whose kind the listener does not take', async () => {
    const passed = (section: string) => route(named(section), 'web.example.com', '    kind: TLSRoute\n')
    expect(await found(passed('tls'), passed('https'))).toEqual([attached('head/web.yaml:11 values')])
  })

  test('that names a Gateway which is in another namespace, or beside it', async () => {
    const before = route(named('https'))
    expect(await found(before, before.replace('namespace: edge', 'namespace: network'))).toEqual([
      attached('head/web.yaml:11 values'),
    ])
    expect(await found(undefined, before.replace('name: public', 'name: public-ingress'))).toEqual([
      attached('head/web.yaml:11 values'),
    ])
  })

  test('that names a Gateway which the route of another release names, too', async () => {
    const other = route('{name: private, namespace: edge}')
    const beside = { 'other.yaml': release(other).replace('name: web', 'name: other') }
    expect(await found(undefined, other, beside)).toEqual([])
  })

  test('is attached, by the name of its release, and without an `enabled` of its own', async () => {
    const templated = route(named('https'), '"{{ .Release.Name }}.example.com", web.example.com')
    expect(await found(undefined, templated)).toEqual([])
    expect(await found(undefined, templated.replace('.com"', '.org"'))).toEqual([attached('head/web.yaml:10 values')])
  })

  test('is none where it is switched off, names no parents, or is that of another chart', async () => {
    const off = route(named('secure'), 'web.example.org', '    enabled: false\n')
    expect(await found(undefined, off)).toEqual([])
    expect(await found(undefined, 'route:\n  enabled: true\n  host: web.example.org\n')).toEqual([])
    expect(await found(undefined, `server:\n${route(named('secure')).replace(/^(?=.)/gm, '  ')}`)).toEqual([])
  })
})

test.each([
  ['server:\n  route:\n    main:\n      enabled: true\n', '      '],
  ['httpRoute:\n  enabled: true\n', '  '],
])('the route of another chart that is switched on: %j', async (key, indent) => {
  const values = (section: string) => `${key}${indent}parentRefs: [${named(section)}]\n`
  const line = 8 + key.split('\n').length - 1
  expect(await found(values('https'), values('secure'))).toEqual([attached(`head/web.yaml:${line} values`)])
})

test('a listener that goes while a route in values names it', async () => {
  const before = { 'gateway.yaml': gateway([https, tls].join(', ')), 'web.yaml': release(route(named('https'))) }
  const report = await judgeChange(before, { 'gateway.yaml': gateway(tls) }, 'helm', policies)
  expect(places(report)).toEqual([attached('head/gateway.yaml:6 exact')])
})

test('a Gateway that goes while a route in values names it', async () => {
  const before = { 'gateway.yaml': gateway(https), 'web.yaml': release(route(named('https'))) }
  const report = await judgeChange(before, { 'gateway.yaml': null }, 'helm', policies)
  expect(places(report)).toEqual(['warning base/gateway.yaml:1 exact controller-scope/gateway-kept'])
})

test('an issuer that goes while an Ingress in values names it', async () => {
  const issuer = `apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: letsencrypt}
spec: {acme: {server: https://acme.example.com/directory}}
`
  const ingress = `ingress:
  app:
    annotations: {cert-manager.io/cluster-issuer: letsencrypt}
    hosts: [{host: web.example.com, paths: [{path: /}]}]
    tls: [{hosts: [web.example.com], secretName: web-tls}]
`
  const before = { 'issuer.yaml': issuer, 'web.yaml': release(ingress) }
  const report = await judgeChange(before, { 'issuer.yaml': null }, 'helm', policies)
  expect(places(report)).toEqual(['warning base/issuer.yaml:1 exact ingress-tls/certificate-issued'])
})
