import { describe, expect, test } from '@jest/globals'
import { judge, type Texts } from '../harness'

/** Routine changes of which a rule says nothing: what it is, the files before, and those that differ after. */
export type Routine = [what: string, base: Texts, head: Texts]

/** Tests that a rule says nothing of routine changes. An empty text is a file that the change deletes. */
export function silent(rule: string, changes: readonly Routine[]): void {
  describe(`${rule} is silent on`, () => {
    test.each(changes)('%s', async (_, base, head) => {
      const files = Object.entries({ ...base, ...head }).filter(([, text]) => text !== '')
      const report = await judge({ base, head: Object.fromEntries(files) }, rule)
      // A release whose chart is not here is not judged whole, which the gate says.
      const said = report.findings.filter((one) => one.status === 'introduced' && one.rule !== 'source/not-judged')
      expect(said.map(({ text }) => text)).toEqual([])
    })
  })
}

export const metadata = (name: string, namespace: string, more = '') =>
  `metadata: {name: ${name}, namespace: ${namespace}${more}}\n`
export const image = (version: string) => `registry.k8s.io/ingress-nginx/controller:v${version}`
export const workload = (args: string, of = image('1.12.1'), kind = 'Deployment', more = '', namespace = 'edge') =>
  `apiVersion: apps/v1\nkind: ${kind}\n${metadata('edge', namespace)}spec:\n${more}  template:\n    spec:\n      containers:\n        - name: controller\n          image: ${of}\n          args: [${args}]\n`
export const nginx = (flags: string, version = '1.12.1') =>
  workload(`/nginx-ingress-controller, ${flags}`, image(version))
export const release = (values: string, version = '4.12.1', name = 'edge', chart = 'ingress-nginx') =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n${metadata(name, 'edge')}spec:\n  chart: {spec: {chart: ${chart}, version: ${version}, sourceRef: {kind: HelmRepository, name: r}}}\n  values: ${values}\n`
const service = (port: string) => `backend: {service: {name: web, port: {number: ${port}}}}`
export const ingress = (paths: string, annotations = '', className = 'nginx', host = 'a.example.com', name = 'a') =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${metadata(name, 'shop', `, annotations: {${annotations}}`)}spec:\n  ingressClassName: ${className}\n  rules: [{host: ${host}, http: {paths: [${paths}]}}]\n`
export const route = (path: string, pathType = 'ImplementationSpecific') =>
  `{path: ${JSON.stringify(path)}, pathType: ${pathType}, ${service('80')}}`
export const regex = 'nginx.ingress.kubernetes.io/use-regex: "true"'
export const rewrite = 'nginx.ingress.kubernetes.io/rewrite-target: /$1'
export const ingressClass = (name: string, controller: string) =>
  `apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: ${name}}\nspec: {controller: ${controller}}\n`
export const config = (data: string, name = 'edge') =>
  `apiVersion: v1\nkind: ConfigMap\n${metadata(name, 'edge')}data: {${data}}\n`
export const namespace = (name: string, labels: string) =>
  `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}, labels: {${labels}}}\n`
