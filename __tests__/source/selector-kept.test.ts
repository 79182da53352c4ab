import { expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { object } from './probe'
import { judgeChange } from './rendered'

const workload = (app: string) =>
  object(
    'apps/v1',
    'Deployment',
    'web',
    'shop',
    `spec:
  selector: {matchLabels: {app: ${app}}}
  template:
    metadata: {labels: {app: ${app}}}
    spec: {containers: [{name: web, image: registry.example.com/web:1}]}
`,
  )

const service = (app: string) =>
  object('v1', 'Service', 'web', 'shop', `spec: {selector: {app: ${app}}, ports: [{port: 80}]}\n`)

const rule = '{http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}]}}'
const route = object('networking.k8s.io/v1', 'Ingress', 'web', 'shop', `spec: {rules: [${rule}]}\n`)

const apart = {
  'web/kustomization.yaml': 'resources: [web.yaml, route.yaml]\n',
  'services/kustomization.yaml': 'resources: [service.yaml]\n',
  'flux/services.yaml': kustomization('services', './services'),
}

test.each([
  [
    'updates nothing of a Kustomization whose workload is refused',
    '',
    {},
    'web',
    [
      'warning head/web/web.yaml: so the API server refuses this and every later update of it, and Flux applies nothing else of the Kustomization web either',
    ],
  ],
  [
    'updates a Service of another Kustomization',
    '',
    apart,
    'services',
    [
      'error head/web/web.yaml: so its Pods keep their labels, while Service shop/web is updated and selects none of them',
    ],
  ],
  ['creates a workload again with `force`', 'force: true', {}, 'web', []],
])('Flux %s', async (_, more, files, place, expected) => {
  const side = (app: string) => ({ 'web/web.yaml': workload(app), [`${place}/service.yaml`]: service(app) })
  const base = {
    'flux/source.yaml': repository(),
    'flux/web.yaml': kustomization('web', './web', more),
    'web/kustomization.yaml': 'resources: [web.yaml, service.yaml, route.yaml]\n',
    'web/route.yaml': route,
    ...files,
    ...side('web'),
  }
  const { findings } = await judgeChange(base, side('shop-web'), 'helm', ['controller-scope@1.13.0'])
  const found = findings.map(({ level, location: { side: at, path }, text }) => {
    const [, what = ''] = /a selector is immutable, ([^.:]*)/.exec(text) ?? []
    return `${level} ${at}/${path}: ${what}`
  })
  expect(found).toEqual(expected)
})
