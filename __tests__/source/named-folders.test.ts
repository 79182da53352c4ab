import { expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { object, url } from './probe'
import type { Files } from './repository'

/** Applications for the clusters that the folders of the orphans are named after. */
const applications = Object.fromEntries(
  ['east', 'west'].map((name) => [
    `argo/${name}.yaml`,
    object(
      'argoproj.io/v1alpha1',
      'Application',
      name,
      'argocd',
      `spec:\n  source: {repoURL: "${url}", path: deployed/${name}}\n  destination: {name: ${name}, namespace: shop}\n`,
    ),
  ]),
)

/** An ApplicationSet that may deploy any folder: the orphans are not known to be without a deployer. */
const set = object(
  'argoproj.io/v1alpha1',
  'ApplicationSet',
  'any',
  'argocd',
  `spec:\n  generators: [{plugin: {configMapRef: {name: folders}}}]\n  template:\n    metadata: {name: "{{folder}}"}\n    spec: {source: {repoURL: "${url}", path: "{{folder}}"}, destination: {name: "{{cluster}}"}}\n`,
)

const service =
  'apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\nspec:\n  selector: {app: web}\n  ports: [{name: http, port: 80}]\n'

const ingress =
  'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec:\n  rules: [{host: web.example.com, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}]\n'

const base: Files = {
  ...applications,
  'argo/set.yaml': set,
  ...Object.fromEntries(
    ['east', 'west'].flatMap((name) => [
      [`deployed/${name}/map.yaml`, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`],
      [`deployed/${name}/kustomization.yaml`, 'resources: [map.yaml]\n'],
      [`web/${name}/kustomization.yaml`, 'resources: [service.yaml, ingress.yaml]\n'],
      [`web/${name}/service.yaml`, service],
      [`web/${name}/ingress.yaml`, ingress],
    ]),
  ),
}

function judged(head: Files) {
  return checkOpened(opened(base, head, url), '--policy', 'controller-scope@1.13.0')
}

test('a folder with the name of a cluster is not compared with its siblings', async () => {
  const report = await judged({ 'web/east/service.yaml': service.replace('port: 80', 'port: 81') })
  expect(lines(report)).toEqual(['introduced warning head/web/east/service.yaml:6 controller-scope/backend-resolves'])
  expect(report.findings.map(({ cluster }) => cluster)).toEqual(['web/east'])
  expect(report.inspected.head.rendered).toBe(1)
})

test('a removal is compared with its copies in siblings', async () => {
  const report = await judged({ 'web/east/kustomization.yaml': 'resources: [ingress.yaml]\n' })
  expect(lines(report)).toEqual([
    'introduced warning head/web/east/kustomization.yaml:1 controller-scope/backend-resolves',
  ])
  expect(report.inspected.head.rendered).toBe(2)
})
