import { expect, jest, test } from '@jest/globals'
import { controllersOf } from '../src/kubernetes/controllers/controller'
import { Cursor } from '../src/manifest/cursor'
import { Manifest } from '../src/manifest/manifest'
import { judge, type Texts } from './harness'

const named = (kind: string, apiVersion: string, name: string, namespace: string, body: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}, namespace: ${namespace}, labels: {app: ${name}}}\n${body}`

/**
 * A team with all that rules compare with each other, one host that its certificate does not cover, and one Service that
 * is missing.
 */
function team(name: string): string {
  const pathTo = (service: string) =>
    `{path: /${service}, pathType: Prefix, backend: {service: {name: ${service}, port: {number: 80}}}}`
  const paths = `[${pathTo(`missing-${name}`)}, ${pathTo(name)}]`
  const rules = `rules:\n    - {host: ${name}.example.com, http: {paths: ${paths}}}\n    - {host: other-${name}.example.com}\n`
  return [
    named(
      'Ingress',
      'networking.k8s.io/v1',
      name,
      name,
      `spec:\n  ingressClassName: class-${name.length}\n  tls: [{hosts: [${name}.example.com], secretName: ${name}-tls}]\n  ${rules}`,
    ),
    named('Service', 'v1', name, name, `spec: {selector: {app: ${name}}, ports: [{port: 80}]}\n`),
    named(
      'ServiceMonitor',
      'monitoring.coreos.com/v1',
      name,
      name,
      `spec: {selector: {matchLabels: {app: ${name}}}}\n`,
    ),
    named('Secret', 'v1', `${name}-tls`, name, 'type: kubernetes.io/tls\ndata: {tls.crt: Y2VydA==, tls.key: a2V5}\n'),
    named(
      'Role',
      'rbac.authorization.k8s.io/v1',
      name,
      name,
      'rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]\n',
    ),
    named(
      'RoleBinding',
      'rbac.authorization.k8s.io/v1',
      name,
      name,
      `roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: ${name}}\nsubjects: [{kind: ServiceAccount, name: ${name}, namespace: ${name}}]\n`,
    ),
    named(
      'Deployment',
      'apps/v1',
      name,
      name,
      `spec:\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec: {containers: [{name: web, image: "example.com/web:1"}]}\n`,
    ),
  ].join('---\n')
}

function controller(name: string): string {
  const image = 'registry.k8s.io/ingress-nginx/controller:v1.11.2'
  return named(
    'Deployment',
    'apps/v1',
    name,
    name,
    `spec:\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec:\n      containers:\n        - name: controller\n          image: ${image}\n          args: [/nginx-ingress-controller, --controller-class=example.com/${name}, --ingress-class=${name}]\n`,
  )
}

function teams(count: number): Texts {
  const files = Array.from({ length: count }, (_, index) => [`teams/${index}/all.yaml`, team(`team-${1000 + index}`)])
  const controllers = Array.from({ length: 3 }, (_, index) => [`edge/${index}.yaml`, controller(`edge-${index}`)])
  return Object.fromEntries([...files, ...controllers])
}

/** The number of fields, and identities of objects, that are read during the work. */
async function visitsOf(work: () => Promise<unknown>): Promise<number> {
  let visits = 0
  const at = Cursor.prototype.at
  const fields = jest.spyOn(Cursor.prototype, 'at').mockImplementation(function (this: Cursor, ...keys) {
    visits++
    return at.apply(this, keys)
  })
  const identities = jest.spyOn(Manifest.prototype, 'ref', 'get').mockImplementation(function (this: Manifest) {
    visits++
    return this.object.ref
  })
  try {
    await work()
  } finally {
    fields.mockRestore()
    identities.mockRestore()
  }
  return visits
}

test('twice the objects are twice the work, whole and as a change of one Ingress', async () => {
  const edited = (files: Texts): Texts => ({
    ...files,
    'teams/1/all.yaml': (files['teams/1/all.yaml'] ?? '').replace('other-team', 'new-team'),
  })
  const visits: { whole: number; change: number }[] = []
  for (const files of [teams(40), teams(80)]) {
    visits.push({
      whole: await visitsOf(() => judge({ head: files })),
      change: await visitsOf(() => judge({ base: files, head: edited(files) })),
    })
  }
  const [few = { whole: 0, change: 0 }, many = { whole: 0, change: 0 }] = visits
  expect(few.whole).toBeGreaterThan(40 * 6)
  expect(many.whole / few.whole).toBeLessThan(2.03)
  expect(many.change / few.change).toBeLessThan(2.03)
})

test('twice the hosts of a route of Traefik are twice the work', async () => {
  const route = (hosts: number): Texts => {
    const match = Array.from({ length: hosts }, (_, index) => `Host(\`shop-${index}.example.net\`)`).join(' || ')
    const spec = `spec:\n  routes:\n    - {kind: Rule, match: "${match}", services: [{name: shop, port: 80}]}\n  tls: {secretName: shop-tls}\n`
    const certificate = 'spec: {secretName: shop-tls, issuerRef: {name: ca}, dnsNames: [shop.example.com]}\n'
    return {
      'route.yaml': named('IngressRoute', 'traefik.io/v1alpha1', 'shop', 'shop', spec),
      'certificate.yaml': named('Certificate', 'cert-manager.io/v1', 'shop', 'shop', certificate),
    }
  }
  const [few = 0, many = 0] = [
    await visitsOf(() => judge({ head: route(200) })),
    await visitsOf(() => judge({ head: route(400) })),
  ]
  expect(few).toBeGreaterThan(200)
  expect(many / few).toBeLessThan(2.03)
})

test('a change of a controller reads its Ingresses, and not what only those are compared with', async () => {
  const separate = (name: string): Texts => {
    const [ingress = '', service = '', ...others] = team(name).split('---\n')
    return {
      [`${name}/ingress.yaml`]: ingress.replace(/class-\d+/, 'edge-0'),
      [`${name}/service.yaml`]: service,
      [`${name}/others.yaml`]: others.join('---\n'),
    }
  }
  const base = { ...separate('red'), ...separate('blue'), 'edge.yaml': controller('edge-0') }
  const head = { ...base, 'edge.yaml': controller('edge-0').replace('v1.11.2', 'v1.11.3') }
  const { inspected } = await judge({ base, head })
  expect(inspected.head.sources).toBe(3)
})

test('the controllers of a workload are read once, however many rules ask', async () => {
  const manifests: Manifest[] = []
  const ref = jest.spyOn(Manifest.prototype, 'ref', 'get').mockImplementation(function (this: Manifest) {
    manifests.push(this)
    return this.object.ref
  })
  await judge({ head: { 'edge.yaml': controller('edge') } }).finally(() => ref.mockRestore())
  const [workload] = manifests.filter(({ object }) => object.ref.kind === 'Deployment')
  if (!workload) throw new Error('No workload was judged.')
  expect(controllersOf(workload)).toHaveLength(1)
  expect(controllersOf(workload)).toBe(controllersOf(workload))
})
