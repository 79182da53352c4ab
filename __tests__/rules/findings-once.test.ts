import { describe, expect, test } from '@jest/globals'
import { annotationsOf } from '../../src/report/annotations'
import { checkJson, lines } from '../cli/guard'
import { judge } from '../harness'
import { TestRepository } from '../source/repository'

function release(name: string, version: string): string {
  return `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: ingress-nginx}
spec:
  chart:
    spec:
      chart: ingress-nginx
      version: ${version}
      sourceRef: {kind: HelmRepository, name: ingress-nginx}
`
}

test.each([
  ['2025-03-23', ['CVE-2021-25742']],
  ['2025-03-24', ['CVE-2021-25742', 'CVE-2025-1974']],
  ['2026-11-21', ['CVE-2021-25742', 'CVE-2025-1974', 'CVE-2026-24512']],
])('on %s the defects are known that were published by then', async (today, ids) => {
  const repo = new TestRepository()
  repo.commit({ 'release.yaml': release('one', '4.7.0') })
  const { findings } = await checkJson('--repo', repo.dir, '--all', '--today', today)
  const known = findings.filter(({ rule }) => rule === 'version-matrix/known-defect')
  const all = ['CVE-2021-25742', 'CVE-2025-1974', 'CVE-2026-24512']
  expect(all.filter((id) => known.some(({ keys }) => keys.includes(id)))).toEqual(ids)
  const hasEnded = known.some(({ message }) => message === 'ended')
  expect(hasEnded).toBe(today >= '2026-03-31')
})

test('a release that is renamed has the defects that it had; one of another version has its own', async () => {
  const found = async (after: string) => {
    const report = await judge({ base: { 'a.yaml': release('one', '4.12.0') }, head: { 'a.yaml': after } })
    const known = report.findings.filter(({ rule }) => rule === 'version-matrix/known-defect')
    return known.map(({ status, message }) => `${status} ${message}`).sort()
  }
  expect(await found(release('two', '4.12.0'))).toEqual(['existing ended', 'existing severe'])
  expect(await found(release('two', '4.11.4'))).toEqual(['existing ended', 'introduced severe', 'resolved severe'])
  const both = `${release('one', '4.12.0')}---\n${release('two', '4.12.0')}`
  expect(await found(both)).toEqual(['introduced ended', 'introduced severe'])
})

test('an Ingress beside others that name a Secret is one warning, whichever of them a change writes', async () => {
  const ingress = (name: string, secret: string) =>
    `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: shop}\nspec:\n  tls: [{hosts: [a.example.com]${secret}}]\n  rules: [{host: a.example.com}]\n`
  const files = (number: number) =>
    Object.fromEntries([
      ['open.yaml', ingress('open', '')],
      ...Array.from({ length: number }, (_, index) => [`${index}.yaml`, ingress(`i${index}`, ', secretName: web')]),
    ])
  const statuses = async (before: number, after: number) => {
    const report = await judge({ base: files(before), head: files(after) }, 'ingress-tls/secret-agrees')
    return report.findings.map(({ status, level, location }) => `${status} ${level} ${location.path}`)
  }
  expect(await statuses(0, 19)).toEqual(['introduced warning 0.yaml'])
  expect(await statuses(18, 19)).toEqual(['introduced warning 18.yaml'])
  expect(await statuses(19, 18)).toEqual(['resolved warning 18.yaml'])
})

test('a protected object whose name a script fills in is listed as not inspected when it goes', async () => {
  const role = `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "system:%TARGET%"}\nrules: []\n`
  const report = await judge({ base: { 'role.yaml': role }, head: {} })
  expect(report.findings).toEqual([])
  expect(report.inspected.skipped).toEqual([
    {
      path: 'role.yaml',
      reason:
        'ClusterRole system:%TARGET%: a script fills in its name, so a removal of the protected object is not seen',
    },
  ])
})

test('Flux objects that lose one source are one finding of each rule', async () => {
  const kustomization = (index: number) =>
    `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app-${index}, namespace: flux-system}\nspec: {interval: 1h, path: ./apps/${index}, prune: true, sourceRef: {kind: GitRepository, name: fleet}}\n`
  const source =
    'apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: fleet, namespace: flux-system}\nspec: {interval: 1h, url: "https://github.com/org/fleet"}\n'
  const app = (index: number) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app-${index}, namespace: shop}\n`
  const numbers = Array.from({ length: 100 }, (_, index) => index)
  const repo = new TestRepository()
  repo.git('remote', 'add', 'origin', 'https://github.com/org/fleet')
  repo.commit({
    'flux/source.yaml': source,
    ...Object.fromEntries(numbers.map((index) => [`flux/app-${index}.yaml`, kustomization(index)])),
    ...Object.fromEntries(numbers.map((index) => [`apps/${index}/app.yaml`, app(index)])),
  })
  repo.commit({ 'flux/source.yaml': null })
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
  expect(lines(report)).toEqual([
    'introduced warning base/flux/source.yaml:1 controller-scope/deployer-resolves',
    'introduced error base/flux/source.yaml:1 source/unrendered',
  ])
  expect(report.findings[0]?.text).toContain('Kustomization flux-system/app-0, Kustomization flux-system/app-1')
  expect(report.findings[1]?.text).toContain('The same applies in 99 more cases')
})

describe('what a change removes is annotated once', () => {
  const shown = async (base: Record<string, string>, head: Record<string, string>) => {
    const annotations = annotationsOf(await judge({ base, head }))
    return annotations.map(({ title, file, startLine, message }) => {
      const [was] = message.match(/^removed: was line \d+ at the base/) ?? ['']
      return `${title} ${file}:${startLine ?? '-'} ${was}`.trim()
    })
  }
  const role = (name: string) =>
    `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "${name}"}\nrules: []\n`
  const removed = (line: string, was: number) =>
    `protected-rbac/object-kept roles.yaml:${line} removed: was line ${was} at the base`

  test('a document of a file', async () => {
    const both = `${role('system:discovery')}---\n${role('system:basic-user')}`
    const base = { 'roles.yaml': both }
    expect(await shown(base, { 'roles.yaml': role('system:discovery') })).toEqual([removed('4', 6)])
    expect(await shown(base, {})).toEqual([removed('-', 1), removed('-', 6)])
  })

  test('lines of an object that stays', async () => {
    const ingress = (tls: string) =>
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, namespace: shop}\nspec:\n  rules: [{host: a.example.com}]\n${tls}`
    const tls = '  tls:\n    - hosts: [a.example.com]\n      secretName: web\n'
    expect(await shown({ 'a.yaml': ingress(tls) }, { 'a.yaml': ingress('') })).toEqual([
      'ingress-tls/tls-kept a.yaml:5',
    ])
  })

  test('a class that Ingresses name, and its controller', async () => {
    const of = 'k8s.io/edge'
    const cls = `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: edge}\nspec: {controller: ${of}}\n`
    const controller = `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: edge, namespace: edge}\nspec:\n  template:\n    spec:\n      containers:\n        - name: controller\n          image: registry.k8s.io/ingress-nginx/controller:v1.15.1\n          args: [/nginx-ingress-controller, --controller-class=${of}]\n`
    const user =
      'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: a, namespace: shop}\nspec: {ingressClassName: edge, rules: [{http: {paths: []}}]}\n'
    const base = { 'edge.yaml': `${cls}---\n${controller}`, 'a.yaml': user }
    expect(await shown(base, { 'a.yaml': user })).toEqual([
      'controller-scope/class-kept edge.yaml:- removed: was line 1 at the base',
    ])
  })
})
