import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const [covered, kept, valid] = ['host-covered', 'tls-kept', 'host-valid'].map((rule) => `ingress-tls/${rule}`)

/** Values as charts made with `helm create` take them, two levels in. */
const standard = (hosts: readonly string[], tls: readonly string[], indent = 4): string => {
  const lines = [
    'ingress:',
    '  enabled: true',
    '  className: nginx',
    '  hosts:',
    ...hosts.map((host) => `    - host: ${host}\n      paths: [{path: /, pathType: Prefix}]`),
    ...(tls.length > 0 ? ['  tls:', '    - secretName: web-tls', '      hosts:'] : []),
    ...tls.map((host) => `        - ${host}`),
  ]
  return `${lines.join('\n')}\n`.replace(/^(?=.)/gm, ' '.repeat(indent))
}

const helmRelease = (values: string, more = ''): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: web
  namespace: shop
spec:
  chart:
    spec:
      chart: web
      version: 1.2.3
      sourceRef: {kind: HelmRepository, name: acme}
${more}  values:
${values}`

async function findings(base: Files, head: Files) {
  const report = await judgeChange({ 'a.md': 'a', ...base }, head)
  return report.findings
    .filter(({ rule, status }) => status === 'introduced' && rule.startsWith('ingress-tls/'))
    .map(({ rule, level, location: { side, path, region } }) => `${level} ${rule} ${side}/${path}:${region.startLine}`)
}

const release = (values: string, more = '') => ({ 'web.yaml': helmRelease(values, more) })
const [a, b] = ['a.example.com', 'b.example.com']

describe('the Ingress of a chart from elsewhere', () => {
  test('has a host that its TLS entries do not name, at the line of the values', async () => {
    const report = await judgeChange(release(standard([a], [a])), release(standard([a, b], [a])))
    const [finding, ...others] = report.findings.filter(({ status }) => status === 'introduced')
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      rule: covered,
      level: 'warning',
      object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
      location: { side: 'head', path: 'web.yaml', region: { startLine: 20 }, precision: 'values' },
    })
    expect(finding?.text).toContain(`No entry of spec.tls names ${b}`)
    expect(finding?.text).toMatch(
      /This Ingress is assumed: `ingress` in the values of HelmRelease shop\/web is read as charts made with `helm create` read it, and the chart itself was not rendered\.$/,
    )
    expect(finding?.fix).toBeUndefined()
  })

  test('loses the TLS of a host', async () => {
    expect(await findings(release(standard([a], [a])), release(standard([a], [])))).toEqual([
      `warning ${kept} head/web.yaml:18`,
    ])
  })

  test('has a host that the API server refuses', async () => {
    expect(await findings(release(standard([a], [])), release(standard(['https://a.example.com'], [])))).toEqual([
      `warning ${valid} head/web.yaml:18`,
    ])
  })
})
void b
