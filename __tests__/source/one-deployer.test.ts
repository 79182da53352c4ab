import { expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { kustomization } from './kustomize-objects'
import { object, url } from './probe'
import type { Files } from './repository'

const traefik = `apiVersion: apps/v1
kind: Deployment
metadata: {name: traefik, namespace: traefik}
spec:
  selector: {matchLabels: {app: traefik}}
  template:
    metadata: {labels: {app: traefik}}
    spec:
      containers:
        - name: traefik
          image: traefik:v3.6.2
          args: [--entrypoints.web.address=:8000, --entrypoints.websecure.address=:8443, --providers.kubernetescrd]
`

const route = (tls = '') => `apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: shop, namespace: shop}
spec:
  entryPoints: [websecure]
  routes:
    - kind: Rule
      match: Host(\`shop.example.com\`)
      services: [{name: shop, port: 80}]
${tls}`

const applications = (...folders: string[]) =>
  object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    folders.join('-'),
    'argocd',
    `spec:
  generators:
    - list: {elements: [${folders.map((folder) => `{folder: ${folder}}`).join(', ')}]}
  template:
    metadata: {name: '{{folder}}'}
    spec:
      project: default
      destination: {server: https://kubernetes.default.svc, namespace: '{{folder}}'}
      source: {repoURL: ${url}, path: '{{folder}}'}
`,
  )

const folders: Files = {
  'traefik/kustomization.yaml': kustomization('resources: [traefik.yaml]'),
  'traefik/traefik.yaml': traefik,
  'shop/kustomization.yaml': kustomization('resources: [route.yaml]'),
}
const withRoute = (sets: Files, tls = ''): Files => ({ ...folders, ...sets, 'shop/route.yaml': route(tls) })
const secured = '  tls: {secretName: shop-tls}\n'

test.each<[what: string, sets: Files, found: string[]]>([
  [
    'one object deploys are of one cluster',
    { 'argo/apps.yaml': applications('traefik', 'shop') },
    ['introduced error base/shop/route.yaml:10 ingress-tls/tls-kept'],
  ],
  [
    'two objects deploy may be of two',
    { 'argo/one.yaml': applications('traefik'), 'other/two.yaml': applications('shop') },
    [],
  ],
])('the folders that %s', async (_, sets, found) => {
  const report = await checkOpened(opened(withRoute(sets, secured), withRoute(sets), url))
  expect(lines(report).filter((line) => line.includes('ingress-tls/'))).toEqual(found)
})
