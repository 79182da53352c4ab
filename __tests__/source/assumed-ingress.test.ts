import { describe, expect, test } from '@jest/globals'
import { readParameters } from '../../src/kubernetes/charts/helm-parameters'
import { loadFile } from '../../src/manifest/load'
import { Manifest } from '../../src/manifest/manifest'
import { chart as localChart, url } from './probe'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const [covered, kept, valid] = ['host-covered', 'tls-kept', 'host-valid'].map((rule) => `ingress-tls/${rule}`)
const [a, b] = ['a.example.com', 'b.example.com']

const indented = (text: string, by: number) => text.replace(/^(?=.)/gm, ' '.repeat(by))

/** Values as charts made with `helm create` take them; hosts from line 5 on, two lines each. */
const standard = (hosts: readonly string[], tls: readonly string[]): string =>
  [
    'ingress:',
    '  enabled: true',
    '  className: nginx',
    '  hosts:',
    ...hosts.flatMap((host) => [`    - host: ${host}`, '      paths: [{path: /, pathType: Prefix}]']),
    ...(tls.length > 0 ? ['  tls:', '    - secretName: web-tls', '      hosts:'] : []),
    ...tls.map((host) => `        - ${host}`),
    '',
  ].join('\n')

const remoteChart = 'chart: {spec: {chart: web, version: 1.2.3, sourceRef: {kind: HelmRepository, name: acme}}}'

/** A HelmRelease whose values begin at line 8. */
const helmRelease = (values: string, spec = remoteChart): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec:
  interval: 1h
  ${spec}
  values:
${indented(values, 4)}`

function parameters(...names: readonly string[]) {
  const list = names.map((name) => `  - {name: '${name}', value: x}\n`).join('')
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nparameters:\n${list}`
  const [object] = loadFile({ text }).objects
  if (!object) throw new Error('no object')
  return readParameters(new Manifest(object, 'head', { kind: 'file', path: 'a.yaml' }, []).root.at('parameters'))
}

const release = (values: string, spec?: string): Files => ({ 'web.yaml': helmRelease(values, spec) })

async function judge(base: Files, head: Files) {
  const report = await judgeChange({ 'a.md': 'a', ...base }, head, 'helm', ['ingress-tls', 'controller-scope'])
  // The account of changed files, which has tests of its own, reports that the chart itself is not seen.
  return report.findings.filter(({ status, rule }) => status === 'introduced' && rule !== 'source/not-judged')
}

async function findings(base: Files, head: Files): Promise<string[]> {
  return (await judge(base, head)).map(
    ({ rule, level, location: { side, path, region } }) => `${level} ${rule} ${side}/${path}:${region.startLine}`,
  )
}

describe('the Ingress of a chart from elsewhere', () => {
  test('has a host that its TLS entries do not name, at the line of the values', async () => {
    const [finding, ...others] = await judge(release(standard([a], [a])), release(standard([a, b], [a])))
    expect(others).toEqual([])
    expect(finding).toMatchObject({
      rule: covered,
      level: 'warning',
      object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
      location: { side: 'head', path: 'web.yaml', region: { startLine: 14 }, precision: 'values' },
    })
    expect(finding?.text).toContain(`No entry of spec.tls lists ${b}`)
    expect(finding?.text).toMatch(
      /This Ingress is assumed: `ingress` in the values of HelmRelease shop\/web is read as charts made with `helm create` read it, and the chart itself was not rendered\.$/,
    )
    expect(finding?.fix).toBeUndefined()
  })

  test('loses the TLS of a host', async () => {
    const head = release(standard([a], []))
    expect(await findings(release(standard([a], [a])), head)).toEqual([`warning ${kept} head/web.yaml:12`])
  })

  test('has a host that the API server refuses', async () => {
    const head = release(standard([`https://${a}`], []))
    expect(await findings(release(standard([a], [])), head)).toEqual([`warning ${valid} head/web.yaml:12`])
  })

  test('is no news where nothing of it changes but the version of the chart', async () => {
    const values = standard([a, b], [a])
    const head = release(values, remoteChart.replace('1.2.3', '2.0.0'))
    expect(await findings(release(values), head)).toEqual([])
  })

  test('is judged together with what is read: TLS may be in another Ingress', async () => {
    const other = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: certificates, namespace: shop}
spec:
  tls: [{hosts: [${a}], secretName: web-tls}]
  rules: [{host: ${a}}]
`
    const base = { ...release(standard([a], [a])), 'other.yaml': other }
    expect(await findings(base, release(standard([a], [])))).toEqual([])
  })

  test('never silences what is read: a real Ingress is not judged by it', async () => {
    const real = (tls: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: real, namespace: shop}
spec:
${tls}  rules: [{host: ${a}}]
`
    const base = { 'real.yaml': real(`  tls: [{hosts: [${a}], secretName: real-tls}]\n`) }
    const head = { 'real.yaml': real(''), ...release(standard([a], [a])) }
    expect(await findings(base, head)).toEqual([`error ${kept} head/real.yaml:5`])
  })

  test('of values that nest or count without end is bounded', () => {
    const root = parameters('a[999999999].b', 'ingress.hosts[100].host')
    expect(root.unread).toEqual(['a[999999999].b'])
    expect(root.ofItems).toEqual(['ingress.hosts[100].host'])
  })

  test('is left to the rendering where the chart is in the repository', async () => {
    const spec = 'chart: {spec: {chart: ./charts/edge, sourceRef: {kind: GitRepository, name: here}}}'
    const source = `apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: here, namespace: shop}
spec: {url: "${url}"}
`
    const base = { ...localChart, 'source.yaml': source, ...release(standard([a], [a]), spec) }
    expect(await findings(base, release(standard([a, b], [a]), spec))).toEqual([])
  })
})

describe('the layouts of values', () => {
  const lost = (base: string, head: string) => findings(release(base), release(head))

  test('names instead of maps, below the name of a component', async () => {
    const values = (tls: string) =>
      `server:\n  ingress:\n    enabled: true\n    hosts:\n      - ${a}\n      - ${b}\n    tls:\n      - hosts: [${tls}]\n        secretName: tls\n`
    const report = await lost(values(`${a}, ${b}`), values(a))
    expect(report).toEqual([`warning ${covered} head/web.yaml:13`])
  })

  test('names with a path behind them', async () => {
    const values = (host: string) => `ingress:\n  enabled: true\n  hosts: [${host}]\n  tls: [{hosts: [${a}]}]\n`
    expect(await lost(values(a), values(`${a}/metrics`))).toEqual([])
    expect(await lost(values(a), values(`${b}/metrics`))).toEqual([`warning ${covered} head/web.yaml:10`])
  })

  test('the keyed form, which is on unless it says otherwise', async () => {
    const values = (tls: string, enabled = '') =>
      `ingress:\n  main:\n${enabled}    className: internal\n    hosts:\n      - host: ${a}\n${tls}`
    const tls = `    tls: [{hosts: [${a}]}]\n`
    expect(await lost(values(tls), values(''))).toEqual([`warning ${kept} head/web.yaml:12`])
    const off = '    enabled: false\n'
    expect(await lost(values(tls, off), values('', off))).toEqual([])
  })

  test('a hostname with a certificate of its own, and more names without one', async () => {
    const values = (tls: boolean, more = '') => `ingress:\n  enabled: true\n  hostname: ${a}\n  tls: ${tls}\n${more}`
    expect(await lost(values(true), values(false))).toEqual([`warning ${kept} head/web.yaml:10`])
    expect(await lost(values(true), values(true, `  extraHosts:\n    - name: ${b}\n      path: /\n`))).toEqual([
      `warning ${covered} head/web.yaml:13`,
    ])
  })

  test('a single host beside its TLS entries, with and without a switch', async () => {
    const single = (more: string, tls: string) =>
      `ingress:\n${more}  host: ${a}\n  tls:\n    - secretName: web-tls\n      hosts: [${tls}]\n`
    const found = async (more: string) => findings({}, release(single(more, b)))
    expect(await found('')).toEqual([`warning ${covered} head/web.yaml:9`])
    expect(await found('  enabled: true\n')).toEqual([`warning ${covered} head/web.yaml:10`])
    expect(await found('  enabled: false\n')).toEqual([])
  })

  test('names of the release, and variables that Flux fills in, are compared as text', async () => {
    const [own, other] = ['"{{ .Release.Name }}.$' + '{DOMAIN}"', '"admin.$' + '{DOMAIN}"']
    const same = '"web.$' + '{DOMAIN}"'
    expect(await lost(standard([own], [same]), standard([own, other], [same]))).toEqual([
      `warning ${covered} head/web.yaml:14`,
    ])
    expect(await lost(standard([own], [same]), standard([own], []))).toEqual([`warning ${kept} head/web.yaml:12`])
    expect(await lost(standard([own], [same]), standard([own, other], ['"$' + '{TLS_HOST}"']))).toEqual([])
  })

  test.each([
    [
      'one that is not turned on',
      standard([a], [a]).replace('true', 'false'),
      standard([a], []).replace('true', 'false'),
    ],
    [
      'one that nothing turns on',
      standard([a], [a]).replace('  enabled: true\n', ''),
      standard([a], []).replace('  enabled: true\n', ''),
    ],
    [
      'one of a component that is off',
      `web:\n  enabled: false\n${indented(standard([a], [a]), 2)}`,
      `web:\n  enabled: false\n${indented(standard([a], []), 2)}`,
    ],
    ['hosts by another key', standard([a], [a]), standard([a], []).replace('- host:', '- fqdn:')],
    ['hosts that a template makes', standard([a], [a]), 'ingress:\n  enabled: true\n  hosts: "{{ .Values.all }}"\n'],
    ['TLS of another form', standard([a], [a]), `${standard([a], [])}  tls: {enabled: true, secret: web-tls}\n`],
    ['a hostname beside hosts', standard([a], [a]), `${standard([a], [])}  hostname: ${a}\n`],
  ])('%s says nothing', async (_, base, head) => {
    expect(await lost(base, head)).toEqual([])
  })
})
