import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { judgeChange } from './rendered'
import type { Files } from './repository'

function ingress(name: string, ingressClass: string): string {
  return `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: ${name}, namespace: apps}\nspec:\n  ingressClassName: ${ingressClass}\n  rules: [{host: ${name}.example.com}]\n`
}

const controller = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nginx, namespace: network}
spec:
  chart:
    spec: {chart: ingress-nginx, version: 4.12.1, sourceRef: {kind: HelmRepository, name: ingress-nginx}}
  values:
    controller:
      ingressClassResource: {name: public, controllerValue: k8s.io/public}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: ingress-nginx, namespace: network}
spec: {url: https://kubernetes.github.io/ingress-nginx}
`

/** Moves the Ingress `web` from the class `public` to `internal`, which nothing provides, beside untouched files. */
async function moved(others: Files, more: { before?: Files; after?: Files } = {}, folder = '') {
  const base = { [`${folder}nginx.yaml`]: controller, [`${folder}web.yaml`]: ingress('web', 'public') }
  const report = await judgeChange(
    { ...base, ...others, ...more.before },
    { [`${folder}web.yaml`]: ingress('web', 'internal'), ...more.after },
    'helm',
    ['controller-scope@1.6.0'],
  )
  return { rendered: report.inspected.head.rendered, lines: lines(report) }
}

const line = 'introduced warning head/web.yaml:5 controller-scope/class-served'

describe('an Ingress that is moved to a class that nothing provides', () => {
  test('is reported where no other file uses the class', async () => {
    expect(await moved({ 'notes.yaml': '# The internal network\n' })).toEqual({ rendered: 0, lines: [line] })
  })

  test('is reported where the same change moves a further one', async () => {
    const more = { before: { 'api.yaml': ingress('api', 'public') }, after: { 'api.yaml': ingress('api', 'internal') } }
    expect((await moved({}, more)).lines).toEqual([line.replace('web', 'api'), line])
  })

  test.each<[string, Files]>([
    ['an Ingress', { 'api.yaml': ingress('api', 'internal') }],
    ['an annotation', { 'api.yaml': 'metadata:\n  annotations:\n    kubernetes.io/ingress.class: "internal"\n' }],
    ['values of a chart', { 'charts/api/values.yaml': 'ingress: {enabled: true, className: internal}\n' }],
    ['a patch', { 'patch.yaml': '- op: replace\n  path: /spec/ingressClassName\n  value: internal\n' }],
    [
      'a Kustomization, which is not rendered for that',
      { 'api/kustomization.yaml': 'resources: [api.yaml]\n', 'api/api.yaml': ingress('api', 'internal') },
    ],
  ])('is not reported where the class is used by %s', async (_, others) => {
    expect(await moved(others)).toEqual({ rendered: 0, lines: [] })
  })

  test('is reported where only another cluster uses the class', async () => {
    const others = { 'clusters/west/api.yaml': ingress('api', 'internal') }
    expect((await moved(others, {}, 'clusters/east/')).lines).toEqual([line.replace('web', 'clusters/east/web')])
    const shared = { 'bases/api.yaml': ingress('api', 'internal') }
    expect((await moved(shared, {}, 'clusters/east/')).lines).toEqual([])
  })

  test('is reported where a controller has the name of the class, and takes it from annotations alone', async () => {
    const base = { 'nginx.yaml': controller }
    const judged = await judgeChange(base, { 'web.yaml': ingress('web', 'nginx') }, 'helm', ['controller-scope@1.6.0'])
    expect(lines(judged)).toEqual([line])
  })
})
