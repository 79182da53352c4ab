import { describe, expect, test } from '@jest/globals'
import { judge } from '../harness'

const ing = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: a, namespace: shop}
spec:
  ingressClassName: edge
  rules: [{host: a.example.com}]
`
const cls = `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: edge}\nspec: {controller: k8s.io/edge}\n`
const dep = (args: string, image = 'registry.k8s.io/ingress-nginx/controller:v1.12.1') =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: edge, namespace: edge}\nspec:\n  template:\n    spec:\n      containers:\n        - name: controller\n          image: ${image}\n          args: [/nginx-ingress-controller, ${args}]\n`
const rel = (values: string, version = '4.12.1', chart = 'ingress-nginx') =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: edge, namespace: edge}\nspec:\n  chart: {spec: {chart: ${chart}, version: ${version}, sourceRef: {kind: HelmRepository, name: r}}}\n  values:\n${values}`
const app = (values: string) =>
  `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: edge, namespace: argocd}\nspec:\n  destination: {namespace: edge, server: https://kubernetes.default.svc}\n  source:\n    repoURL: https://kubernetes.github.io/ingress-nginx\n    chart: ingress-nginx\n    targetRevision: 4.12.1\n    helm:\n      parameters:\n${values}`
const name = '    controller:\n      ingressClassResource: {name: edge'

const cases: [what: string, base: string, head: string][] = [
  [
    '--watch-namespace is added',
    dep('--controller-class=k8s.io/edge'),
    dep('--controller-class=k8s.io/edge, --watch-namespace=other'),
  ],
  [
    '--watch-namespace names another one',
    dep('--controller-class=k8s.io/edge, --watch-namespace=shop'),
    dep('--controller-class=k8s.io/edge, --watch-namespace=other'),
  ],
  ['--controller-class changes', dep('--controller-class=k8s.io/edge'), dep('--controller-class=k8s.io/other')],
  ['--controller-class goes', dep('--controller-class=k8s.io/edge'), dep('--v=2')],
  [
    '--ingress-class of an old release changes',
    dep('--ingress-class=edge', 'registry.k8s.io/ingress-nginx/controller:v0.46.0'),
    dep('--ingress-class=other', 'registry.k8s.io/ingress-nginx/controller:v0.46.0'),
  ],
  ['values: another class', rel(name + '}\n'), rel('    controller:\n      ingressClassResource: {name: other}\n')],
  ['values: no class', rel(name + '}\n'), rel('    controller: {}\n')],
  ['values: the class is switched off', rel(name + '}\n'), rel(name + ', enabled: false}\n')],
  ['values: its own namespace', rel(name + '}\n'), rel(name + '}\n      scope: {enabled: true}\n')],
  ['values: one namespace', rel(name + '}\n'), rel(name + '}\n      scope: {enabled: true, namespace: other}\n')],
  ['values: a flag', rel(name + '}\n'), rel(name + '}\n      extraArgs: {watch-namespace: other}\n')],
  [
    'parameters: another class',
    app('        - {name: controller.ingressClassResource.name, value: edge}\n'),
    app('        - {name: controller.ingressClassResource.name, value: other}\n'),
  ],
  [
    'parameters: its own namespace',
    app('        - {name: controller.ingressClassResource.name, value: edge}\n'),
    app(
      '        - {name: controller.ingressClassResource.name, value: edge}\n        - {name: controller.scope.enabled, value: "true"}\n',
    ),
  ],
  [
    'Traefik: another class',
    rel(
      '    providers: {kubernetesIngress: {ingressClass: edge}}\n    ingressClass: {name: edge}\n',
      '33.0.0',
      'traefik',
    ),
    rel(
      '    providers: {kubernetesIngress: {ingressClass: other}}\n    ingressClass: {name: other}\n',
      '33.0.0',
      'traefik',
    ),
  ],
  [
    'Traefik: other namespaces',
    rel('    ingressClass: {name: edge}\n', '33.0.0', 'traefik'),
    rel(
      '    ingressClass: {name: edge}\n    providers: {kubernetesIngress: {namespaces: [other]}}\n',
      '33.0.0',
      'traefik',
    ),
  ],
]
const namespace = (labels: string) => `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {${labels}}}\n`
const all = '--controller-class=k8s.io/edge'
const selected = dep(`${all}, --watch-namespace-selector=team=web`)

async function found(base: string, head: string, more: Record<string, string>): Promise<string[]> {
  const { findings } = await judge({ base: { ...more, 'c.yaml': base }, head: { ...more, 'c.yaml': head } }, rule)
  const own = findings.filter((one) => one.rule === rule)
  return own.map(({ message, location }) => `${message} ${location?.path}`)
}
const rule = 'controller-scope/controller-kept'

describe('a controller that moves away from Ingresses that stay', () => {
  test.each(cases)('%s', async (what, base, head) => {
    const more = { 'i.yaml': ing, ...(/^--(?!ingress)/.test(what) ? { 'k.yaml': cls } : {}) }
    expect(await found(base, head, more)).toEqual(['elsewhere c.yaml'])
    expect(await found(base, base, more)).toEqual([])
  })

  test.each([
    ['a label that the namespace lacks', 'team: ops', ['unlabelled c.yaml']],
    ['a label that it has', 'team: web', []],
  ])('by %s', async (_, labels, expected) => {
    const more = { 'i.yaml': ing, 'k.yaml': cls, 'n.yaml': namespace(labels) }
    expect(await found(dep(all), selected, more)).toEqual(expected)
  })

  test('not by labels that are not known', async () => {
    expect(await found(dep(all), selected, { 'i.yaml': ing, 'k.yaml': cls })).toEqual([])
  })
})
