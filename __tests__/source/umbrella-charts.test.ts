import { describe, expect, test } from '@jest/globals'
import { judgeChange, places } from './rendered'
import type { Files } from './repository'

const policies = ['ingress-tls', 'controller-scope']
const repository = 'repository: https://charts.example.com'

const chart = (dependency: string): Files => ({
  'all/Chart.yaml': `apiVersion: v2\nname: all\nversion: 1.0.0\ndependencies:\n  - {${dependency}}\n`,
})
const application: Files = {
  'app.yaml': `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web, namespace: argocd}
spec:
  destination: {namespace: shop, server: https://kubernetes.default.svc}
  source:
    repoURL: https://github.com/acme/platform.git
    path: all
    helm: {valueFiles: [values.yaml, prod.yaml]}
  project: default
`,
}

async function found(base: Files, head: Files): Promise<string[]> {
  const report = await judgeChange({ ...application, ...base }, head, 'helm', policies)
  return places(report).filter((place) => !place.includes('source/'))
}

describe('a chart from elsewhere that a chart of the repository takes in', () => {
  const values = (hosts: string, key = 'web') =>
    `${key}:\n  ingress:\n    enabled: true\n    hosts: [${hosts}]\n    tls:\n      - hosts: [a.example.com]\n`

  test('takes the values below its name', async () => {
    const web = chart(`name: web, version: 1.2.3, ${repository}`)
    const base = { ...web, 'all/values.yaml': '{}\n', 'all/prod.yaml': values('a.example.com') }
    expect(await found(base, { 'all/prod.yaml': values('a.example.com, b.example.com') })).toEqual([
      'warning head/all/prod.yaml:4 values ingress-tls/host-covered',
    ])
  })

  test('takes them below its alias, and none where its condition is off', async () => {
    const web = chart(`name: web, alias: front, condition: front.install, version: 1.2.3, ${repository}`)
    const base = {
      ...web,
      'all/values.yaml': 'front: {install: true}\n',
      'all/prod.yaml': values('a.example.com', 'front'),
    }
    const head = { 'all/prod.yaml': values('a.example.com, b.example.com', 'front') }
    expect(await found(base, head)).toEqual(['warning head/all/prod.yaml:4 values ingress-tls/host-covered'])
    expect(await found({ ...base, 'all/values.yaml': 'front: {install: false}\n' }, head)).toEqual([])
  })

  test('is judged as a release where it is a known controller', async () => {
    const nginx = chart('name: ingress-nginx, version: 4.12.1, repository: https://kubernetes.github.io/ingress-nginx')
    const scope = (enabled: boolean) => `ingress-nginx:\n  controller:\n    scope:\n      enabled: ${enabled}\n`
    const other = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: two, namespace: two}
spec:
  chart: {spec: {chart: ingress-nginx, version: 4.12.1, sourceRef: {kind: HelmRepository, name: ingress-nginx}}}
  values:
    controller: {scope: {enabled: true}}
`
    const base = { ...nginx, 'two.yaml': other, 'all/values.yaml': '{}\n', 'all/prod.yaml': scope(true) }
    expect(await found(base, { 'all/prod.yaml': scope(false) })).toContain(
      'head/all/prod.yaml:4 values controller-scope/namespace-isolated',
    )
  })

  test('is an object of its own among several', async () => {
    const both = (version: string) => ({
      'all/Chart.yaml': `apiVersion: v2
name: all
version: 1.0.0
dependencies:
  - {name: ingress-nginx, version: 4.12.1, repository: https://kubernetes.github.io/ingress-nginx, condition: ingress-nginx.enabled}
  - {name: other, version: ${version}, ${repository}}
`,
    })
    const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web}
spec:
  ingressClassName: nginx
  defaultBackend: {service: {name: web, port: {number: 80}}}
`
    const on = { 'all/values.yaml': '{}\n', 'all/prod.yaml': 'ingress-nginx:\n  enabled: true\n' }
    const base = { ...both('1.2.3'), ...on, 'all/templates/ingress.yaml': ingress }
    expect(await found(base, both('1.2.4'))).toEqual([])
    expect(await found(base, { 'all/prod.yaml': 'ingress-nginx:\n  enabled: false\n' })).toEqual([
      'head/all/prod.yaml:2 values controller-scope/controller-kept',
    ])
  })

  test('is not judged by the values that it alone takes, which is said', async () => {
    const said = async (base: Files, head: Files) =>
      places(await judgeChange({ ...application, ...base }, head, 'helm', policies))
    const web = chart(`name: web, version: 1.2.3, ${repository}`)
    const base = { ...web, 'all/values.yaml': 'web: {replicas: 1}\nother: 1\n', 'all/prod.yaml': '{}\n' }
    expect(await said(base, { 'all/values.yaml': 'web: {replicas: 2}\nother: 1\n' })).toEqual([
      'notice head/all/values.yaml:1 exact source/not-judged',
    ])
    expect(await said(base, { 'all/values.yaml': 'web: {replicas: 1}\nother: 2\n' })).toEqual([])
    expect(await said(base, { 'all/prod.yaml': 'web: {ingress: {enabled: false}}\n' })).toEqual([
      'warning head/all/prod.yaml:1 exact source/not-judged',
    ])
    expect(await said(base, chart(`name: web, version: 2.0.0, ${repository}`))).toEqual([
      'notice head/all/Chart.yaml:5 exact source/not-judged',
    ])
    expect(await said({ ...base, 'all/Chart.lock': 'a' }, { 'all/Chart.lock': 'b' })).toEqual([
      'notice head/all/Chart.lock:1 exact source/not-judged',
    ])
    const inline = (values: string): Files => ({
      'app.yaml': `${application['app.yaml'] ?? ''}`.replace('valueFiles:', `valuesObject: ${values}, valueFiles:`),
    })
    expect(await said({ ...base, ...inline('{web: {a: 1}, b: 1}') }, inline('{web: {a: 2}, b: 1}'))).toEqual([
      'notice head/app.yaml:9 exact source/not-judged',
    ])
    expect(await said({ ...base, ...inline('{web: {a: 1}, b: 1}') }, inline('{web: {a: 1}, b: 2}'))).toEqual([])
    const without = { ...base, ...chart('') }
    expect(await said(without, { ...web, 'all/values.yaml': 'web: {replicas: 2}\n' })).toEqual([
      'head/all/Chart.yaml:5 exact source/unrendered',
    ])
  })

  test('is left to the rendering where it is vendored', async () => {
    const base = {
      ...chart(`name: web, version: 1.2.3, ${repository}`),
      'all/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\n',
      'all/charts/web/templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n',
      'all/values.yaml': '{}\n',
      'all/prod.yaml': values('a.example.com'),
    }
    expect(await found(base, { 'all/prod.yaml': values('a.example.com, b.example.com') })).toEqual([])
  })
})

describe('a new chart with a dependency that is not vendored', () => {
  const app = (name: string, dependency: string, templates: Files = {}): Files => ({
    [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies:\n  - {${dependency}}\n`,
    [`${name}/values.yaml`]: 'replicas: 1\n',
    [`${name}.yaml`]: (application['app.yaml'] as string)
      .replace('name: web', `name: ${name}`)
      .replace('path: all', `path: ${name}`)
      .replace('[values.yaml, prod.yaml]', '[values.yaml]'),
    ...templates,
  })
  const redis = `name: redis, version: 1.2.3, ${repository}`
  const said = async (base: Files, head: Files) => {
    const { findings } = await judgeChange(base, head, 'helm', policies)
    return findings
      .filter(({ status }) => status === 'introduced')
      .map(({ level, rule, location }) => `${level} ${rule} ${location.path}`)
  }

  test('is not judged where all other charts are like it', async () => {
    expect(await said(app('old', redis), app('new', redis))).toEqual(['notice source/not-judged new/Chart.yaml'])
    const map = { 'new/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\n' }
    expect(await said(app('old', redis), app('new', redis, map))).toEqual(['notice source/not-judged new/Chart.yaml'])
  })

  test('is not judged where it takes the place of another one of its repository', async () => {
    const valkey = (from: string) => ({
      'old/Chart.yaml': app('old', `name: valkey, version: 1.2.3, ${from}`)['old/Chart.yaml'] ?? null,
    })
    const base = app('old', redis)
    expect(await said(base, valkey(repository))).toEqual(['notice source/not-judged old/Chart.yaml'])
    const elsewhere = valkey('repository: https://other.example.com')
    expect(await said(base, elsewhere)).toEqual(['error source/unrendered old/Chart.yaml'])
  })

  test('is an error where it is the first one, where another is vendored, and where its own is local', async () => {
    const error = ['error source/unrendered new/Chart.yaml']
    expect(await said({ 'README.md': 'x' }, app('new', redis))).toEqual(error)
    const vendored = { 'old/charts/redis/Chart.yaml': 'apiVersion: v2\nname: redis\nversion: 1.2.3\n' }
    expect(await said(app('old', redis, vendored), app('new', redis))).toEqual(error)
    const local = 'name: common, version: 1.0.0, repository: "file://../common"'
    expect(await said(app('old', redis), app('new', local))).toEqual(error)
  })
})
