import { describe, expect, test } from '@jest/globals'
import { Snapshot } from '../../src/cluster/snapshot'
import { type Controller, controllersIn, controllersOf, endsAt } from '../../src/kubernetes/controllers/controller'
import { namesOfParts } from '../../src/kubernetes/controllers/controller-parts'
import { nameOf } from '../../src/manifest/manifest'
import { manifestIn, manifestsIn } from '../manifest/manifests'

interface Parts {
  image?: string
  command?: string[]
  args?: string[]
  env?: object[]
  envFrom?: object[]
  volumeMounts?: object[]
  volumes?: object[]
  beside?: object[]
}

const workload = ({ volumes = [], beside = [], ...container }: Parts) => {
  const containers = [{ name: 'edge', ...container }, ...beside]
  const spec = { template: { spec: { containers, volumes } } }
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'edge' },
    spec,
  })
}

const configMap = (data: Record<string, string>, name = 'config') =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'edge' }, data })

const controllersWith = (parts: Parts, ...others: string[]) =>
  controllersIn(new Snapshot('', manifestsIn([workload(parts), ...others].join('\n---\n'))))

const said = ({ facts, watched, claims, status, locks }: Controller) => [
  facts.name,
  watched.scope === 'namespaces' ? watched.names.join() : watched.scope,
  claims.map(({ names }) => names.join('+')).join(),
  locks.map(({ kinds, namespace, name }) => `${kinds.join('+')} ${namespace}/${name}`).join(),
  status.writes === 'source' ? `${status.flag}=${status.value}` : status.writes,
]

const volumes = [{ name: 'config', configMap: { name: 'config' } }]

describe('Traefik', () => {
  const image = 'docker.io/traefik:v3.7.9'
  const providers = (...lines: string[]) => ['providers:', ...lines.map((line) => `  ${line}`)].join('\n')
  const ingress = providers('kubernetesIngress: { namespaces: [a], ingressClass: web }')
  const read = ['traefik', 'a', 'web', '', 'nothing']
  const unknown = ['unknown', '', '', 'unknown']
  const mounted = (mountPath: string, more: object = {}) => ({
    image,
    volumes,
    volumeMounts: [{ name: 'config', mountPath, ...more }],
  })

  test.each<[string, Parts, Record<string, string>, unknown[][]]>([
    ['a file where it looks for one', mounted('/etc/traefik'), { 'traefik.yml': ingress }, [read]],
    [
      'a file that a flag names',
      { ...mounted('/c/'), args: ['--configFile=/c/x.yaml'] },
      { 'x.yaml': ingress },
      [read],
    ],
    [
      'a file by two words',
      { ...mounted('/c'), command: ['traefik', '--configfile', '/c/x.yml'] },
      { 'x.yml': ingress },
      [read],
    ],
    [
      'one key of several',
      mounted('/etc/traefik/traefik.yaml', { subPath: 'edge' }),
      { edge: ingress, 'traefik.yml': '' },
      [read],
    ],
    ['of two the first', mounted('/etc/traefik'), { 'traefik.yml': '', 'traefik.yaml': ingress }, [read]],
    [
      'no flags beside it',
      { ...mounted('/etc/traefik'), args: ['--providers.kubernetescrd'] },
      { 'traefik.yml': ingress },
      [read],
    ],
    [
      'flags where it is not there',
      { ...mounted('/etc/traefik'), args: ['--providers.kubernetescrd'] },
      { 'dynamic.yml': ingress },
      [['traefik-crd', 'all', 'traefik', '', 'nothing']],
    ],
    [
      'flags where a Secret may hold it',
      {
        ...mounted('/etc/traefik'),
        args: ['--providers.kubernetescrd'],
        volumes: [{ name: 'config', secret: { secretName: 'x' } }],
      },
      {},
      [['traefik-crd', 'all', 'traefik', '', 'nothing']],
    ],
    ['nothing that is off', mounted('/etc/traefik'), { 'traefik.yml': providers('kubernetesIngress: false') }, []],
    ['nothing that says nothing', mounted('/etc/traefik'), { 'traefik.yml': '# comments\n\n  # alone' }, []],
    [
      'its address',
      mounted('/etc/traefik'),
      { 'traefik.yml': providers('kubernetesIngress: { ingressEndpoint: { publishedService: edge/web } }') },
      [['traefik', 'all', 'traefik', '', 'providers.kubernetesingress.ingressendpoint.publishedservice=edge/web']],
    ],
  ])('%s', (_, parts, data, expected) => {
    expect(controllersWith(parts, configMap(data)).map(said)).toEqual(expected)
  })

  test.each<[string, Parts, Record<string, string>]>([
    ['a text that is no YAML', mounted('/etc/traefik'), { 'traefik.toml': '[providers.kubernetesIngress]' }],
    ['broken YAML', mounted('/etc/traefik'), { 'traefik.yml': 'a: [' }],
    ['a file of the image', { image, args: ['--configfile=/c/x.yml'] }, {}],
    ['a file of a Secret', { ...mounted('/etc/traefik'), volumes: [{ name: 'config', secret: {} }] }, {}],
    ['a path that is filled in', { ...mounted('/c'), args: ['--configfile=/c/{{ x }}'] }, { x: ingress }],
    ['a path by variables', mounted('/etc/traefik', { subPathExpr: '$(A)' }), { 'traefik.yml': ingress }],
    [
      'a ConfigMap that is not here',
      { ...mounted('/etc/traefik'), volumes: [{ name: 'config', configMap: { name: 'other' } }] },
      { 'traefik.yml': ingress },
    ],
  ])('not %s', (_, parts, data) => {
    const found = controllersWith(parts, configMap(data)).map(said)
    expect(found.map(([, ...rest]) => rest)).toEqual([unknown, unknown, unknown, unknown])
  })

  test('copies of a ConfigMap that differ leave the settings unknown', () => {
    const copies = [ingress, providers('kubernetesIngress: {}')].map((text) => configMap({ 'traefik.yml': text }))
    expect(controllersWith(mounted('/etc/traefik'), ...copies).map(({ watched }) => watched.scope)).toEqual(
      Array(4).fill('unknown'),
    )
  })

  test('is at the lines of the file, and in its words', () => {
    const [controller] = controllersWith(mounted('/etc/traefik'), configMap({ 'traefik.yml': ingress }))
    if (!controller) throw new Error('no controller was recognised')
    const ends = endsAt(controller, [controller.watched.at, ...controller.claims.flatMap(({ at }) => at)])
    expect(ends.map(({ manifest }) => nameOf(manifest.ref))).toEqual(['ConfigMap edge/config', 'Deployment edge/web'])
    expect(ends[0]?.path).toEqual(['data', 'traefik.yml', 'providers', 'kubernetesIngress', 'namespaces'])
    expect(controller.wordsFor('a.b')).toBe('a.b in traefik.yml of ConfigMap edge/config')
  })
})

describe('Contour', () => {
  const contour = (image: string, ...args: string[]) => ({
    image: `ghcr.io/projectcontour/contour:${image}`,
    args: ['contour', 'serve', ...args],
    volumes,
    volumeMounts: [{ name: 'config', mountPath: '/config' }],
  })
  const lock = 'Lease projectcontour/leader-elect'
  const configuration = (name: string, namespace: string, spec: object) =>
    JSON.stringify({
      apiVersion: 'projectcontour.io/v1alpha1',
      kind: 'ContourConfiguration',
      metadata: { name, namespace },
      spec,
    })

  test.each<[string, Parts, string, unknown[]]>([
    [
      'a flag over the file',
      contour('v1.33.6', '-c', '/config/contour.yaml', '--envoy-service-name=b'),
      'envoy-service-name: a',
      ['contour', 'all', 'contour', lock, 'envoy-service-name=b'],
    ],
    [
      'a value of the file without a flag',
      contour('v1.33.6', '--config-path=/config/contour.yaml'),
      'ingress-status-address: example.com\nenvoy-service-name: a',
      ['contour', 'all', 'contour', lock, 'ingress-status-address=example.com'],
    ],
    [
      'a lock that the file names',
      contour('v1.19.1', '--config-path=/config/contour.yaml'),
      'leaderelection: { configmap-name: web, configmap-namespace: edge }',
      ['contour', 'all', 'contour', 'ConfigMap edge/web', 'service'],
    ],
    [
      'comments alone',
      contour('v1.19.1', '--config-path=/config/contour.yaml'),
      '# leaderelection:\n#   configmap-name: web',
      ['contour', 'all', 'contour', 'ConfigMap projectcontour/leader-elect', 'service'],
    ],
    [
      'a file that is unknown',
      contour('v1.19.1', '--config-path=/elsewhere/contour.yaml'),
      '',
      ['contour', 'all', 'contour', '', 'unknown'],
    ],
  ])('%s', (_, parts, text, expected) => {
    expect(controllersWith(parts, configMap({ 'contour.yaml': text })).map(said)).toEqual([expected])
  })

  test.each<[string, Parts, unknown[]]>([
    [
      'takes what it says of the class, and the flags of the rest',
      contour('v1.33.6', '--contour-config-name=a', '--ingress-class-name=x', '--watch-namespaces=n'),
      ['contour', 'n', 'internal+lab', lock, 'envoy-service-name=envoy'],
    ],
    [
      'is in the namespace of the variable',
      {
        ...contour('v1.33.6', '--contour-config-name=a'),
        env: [{ name: 'CONTOUR_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }],
      },
      ['contour', 'all', 'own', 'Lease edge/leader-elect', 'service'],
    ],
    [
      'may be another one',
      contour('v1.33.6', '--contour-config-name=b', '--ingress-class-name=x'),
      ['contour', 'all', '', lock, 'unknown'],
    ],
  ])('a ContourConfiguration %s', (_, parts, expected) => {
    const others = [
      configuration('a', 'projectcontour', {
        ingress: { classNames: ['internal', 'lab'] },
        envoy: { service: { name: 'envoy', namespace: 'n' } },
      }),
      configuration('a', 'edge', { ingress: { className: 'own' } }),
    ]
    expect(controllersWith(parts, ...others).map(said)).toEqual([expected])
  })
})

describe('variables', () => {
  const kong = { image: 'kong/kubernetes-ingress-controller:3.5' }
  const watchedBy = (parts: Parts, ...others: string[]) =>
    controllersWith({ ...kong, ...parts }, ...others).map(({ watched }) => [
      watched.scope === 'namespaces' ? watched.names.join() : watched.scope,
      watched.at.manifest.ref.kind,
    ])
  const from = (name: string, prefix?: string) => ({ configMapRef: { name }, ...(prefix ? { prefix } : {}) })
  const key = { name: 'N', valueFrom: { configMapKeyRef: { name: 'config', key: 'namespace' } } }

  test.each<[string, Parts, string[]]>([
    ['all of a ConfigMap', { envFrom: [from('config')] }, ['a', 'ConfigMap']],
    ['with a prefix', { envFrom: [from('config', 'X_')] }, ['all', 'Deployment']],
    ['given by a prefix', { envFrom: [from('short', 'CONTROLLER_')] }, ['c', 'ConfigMap']],
    ['of two the last', { envFrom: [from('config'), from('more')] }, ['b', 'ConfigMap']],
    [
      'its own over those',
      { envFrom: [from('config')], env: [{ name: 'CONTROLLER_WATCH_NAMESPACE', value: 'x' }] },
      ['x', 'Deployment'],
    ],
    ['one key', { args: ['--watch-namespace=$(N),z'], env: [key] }, ['n,z', 'ConfigMap']],
    ['one key as a variable', { env: [{ ...key, name: 'CONTROLLER_WATCH_NAMESPACE' }] }, ['n', 'ConfigMap']],
    ['a Secret', { envFrom: [{ secretRef: { name: 'config' } }] }, ['unknown', 'Deployment']],
    ['a ConfigMap that is not here', { envFrom: [from('elsewhere')] }, ['unknown', 'Deployment']],
  ])('%s', (_, parts, expected) => {
    const maps = [
      configMap({ CONTROLLER_WATCH_NAMESPACE: 'a', namespace: 'n' }),
      configMap({ CONTROLLER_WATCH_NAMESPACE: 'b' }, 'more'),
      configMap({ WATCH_NAMESPACE: 'c' }, 'short'),
    ]
    expect(watchedBy(parts, ...maps)).toEqual([expected])
  })

  test('of a Kong with a database a leader is elected', () => {
    const proxy = (value: string) => ({ name: 'proxy', image: 'kong:3.9', env: [{ name: 'KONG_DATABASE', value }] })
    const locks = (...beside: object[]) => controllersWith({ ...kong, beside }).map(({ locks: found }) => found.length)
    expect([locks(proxy('postgres')), locks(proxy('off')), locks()]).toEqual([[1], [0], [0]])
  })

  test('the address that F5’s ConfigMap gives wins', () => {
    const args = ['-nginx-configmaps=edge/config', '-report-ingress-status', '-external-service=web']
    const parts = { image: 'nginx/nginx-ingress:5.1.0', args }
    const [given] = controllersWith(parts, configMap({ 'external-status-address': '192.0.2.1' }))
    expect(given?.status).toMatchObject({ flag: 'external-status-address', value: '192.0.2.1' })
    const [other] = controllersWith(parts, configMap({ 'proxy-body-size': '8m' }))
    expect(other?.status).toMatchObject({ flag: 'external-service', value: 'web' })
    const [open] = controllersWith({ ...parts, args: args.slice(0, 2) })
    expect(open?.status.writes).toBe('unknown')
  })
})

describe('a controller and its parts find each other', () => {
  const names = (text: string) => [...namesOfParts(manifestIn(text))]

  test.each<[string, string, string[]]>([
    [
      'a workload and its volumes',
      workload({ image: 'traefik:v3', volumes, args: ['--providers.kubernetescrd'] }),
      ['config'],
    ],
    [
      'a workload and its variables',
      workload({ image: 'kong/kubernetes-ingress-controller:3.5', envFrom: [{ configMapRef: { name: 'a' } }] }),
      ['a'],
    ],
    ['a workload and its objects', workload({ image: 'nginx-ingress', args: ['-nginx-configmaps=n/c'] }), ['c']],
    ['no other workload', workload({ image: 'web', args: ['traefik'], volumes }), []],
    ['a file', configMap({ 'x.yml': '' }), ['config']],
    ['a file by another key', configMap({ static: 'api: {}\nproviders: {}' }), ['config']],
    ['variables of a product', configMap({ CONTROLLER_X: '' }), ['config']],
    ['a key of an object', configMap({ 'external-status-address': '' }), ['config']],
    ['no other ConfigMap', configMap({ LOG_LEVEL: '' }), []],
    [
      'a ContourConfiguration',
      '{ apiVersion: projectcontour.io/v1alpha1, kind: ContourConfiguration, metadata: { name: a } }',
      ['contour-config-name'],
    ],
    [
      'a Rollout and what it runs',
      '{ apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: { name: a }, spec: { workloadRef: { name: b } } }',
      ['b'],
    ],
  ])('%s', (_, text, expected) => {
    expect(names(text)).toEqual(expected)
  })
})

test('a Rollout runs what is scaled to nothing itself', () => {
  const deployment = (replicas: number) =>
    workload({ image: 'registry.k8s.io/ingress-nginx/controller:v1.12.1' }).replace(
      '"spec":{',
      `"spec":{"replicas":${replicas},`,
    )
  const rollout = (replicas: number) =>
    `{ apiVersion: argoproj.io/v1alpha1, kind: Rollout, metadata: { name: a, namespace: edge }, spec: { replicas: ${replicas}, workloadRef: { kind: Deployment, name: web } } }`
  const found = (...texts: string[]) => controllersIn(new Snapshot('', manifestsIn(texts.join('\n---\n')))).length
  expect([found(deployment(0), rollout(2)), found(deployment(0), rollout(0)), found(deployment(0))]).toEqual([1, 0, 0])
  expect(found(deployment(1), rollout(2))).toBe(1)
  expect(controllersOf(manifestIn(deployment(0)))).toEqual([])
})

test('a release whose Traefik reads a file is unknown', () => {
  const release = (argument: string) =>
    `{ apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: { name: traefik, namespace: edge }, spec: { chart: traefik, repo: 'https://traefik.github.io/charts', version: 41.3.0, valuesContent: '{ additionalArguments: [${argument}] }' } }`
  const scopes = (argument: string) => controllersOf(manifestIn(release(argument))).map(({ watched }) => watched.scope)
  expect(new Set(scopes('--configfile=/c/x.yml'))).toEqual(new Set(['unknown']))
  expect(new Set(scopes('--log.level=INFO'))).toEqual(new Set(['all']))
})

test('a release of Kong with a database elects a leader', () => {
  const release = (database: string) =>
    `{ apiVersion: helm.cattle.io/v1, kind: HelmChart, metadata: { name: kong, namespace: edge }, spec: { chart: kong, repo: 'https://charts.konghq.com', version: 2.44.0, valuesContent: '{ env: { database: "${database}" } }' } }`
  const locks = (database: string) =>
    controllersOf(manifestIn(release(database))).flatMap((one) => one.locks.map(({ name }) => name))
  expect(locks('postgres')).toEqual(['kong-ingress-controller-leader-kong'])
  expect(locks('off')).toEqual([])
})
