import { describe, expect, test } from '@jest/globals'
import { type Controller, controllersOf } from '../../src/kubernetes/controller'
import { manifestIn } from '../manifest/manifests'

function releaseOf(
  values: object,
  version = '4.12.1',
  chart = 'ingress-nginx',
  spec: object = {},
  repository = chart,
): Controller[] {
  const sourceRef = { kind: 'HelmRepository', name: repository }
  const object = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name: 'web', namespace: 'edge' },
    spec: { chart: { spec: { chart, version, sourceRef } }, values, ...spec },
  }
  return controllersOf(manifestIn(JSON.stringify(object)))
}

function only(found: Controller[]): Controller {
  const [controller, ...more] = found
  if (!controller || more.length > 0) throw new Error(`${found.length} controllers`)
  return controller
}

const claimsOf = ({ claims }: Controller) =>
  claims.map(({ names, controller, made }) => `${names.join()} of ${controller} makes ${made}`)

describe('releases of a chart that is not here', () => {
  test.each<[string, string, string | undefined, string[]]>([
    ['2.3.0', '0.32.0', 'ConfigMap ingress-controller-leader-nginx', ['nginx of undefined makes undefined']],
    ['4.0.1', '1.0.0', 'ConfigMap ingress-controller-leader', ['nginx of k8s.io/ingress-nginx makes nginx']],
    ['4.2.3', '1.3.0', 'ConfigMap+Lease ingress-controller-leader', ['nginx of k8s.io/ingress-nginx makes nginx']],
    ['4.15.1', '1.15.1', 'Lease web-ingress-nginx-leader', ['nginx of k8s.io/ingress-nginx makes nginx']],
    ['4.x', '1.15.1', 'Lease web-ingress-nginx-leader', ['nginx of k8s.io/ingress-nginx makes nginx']],
    ['4.99.0', '1.15.1', 'Lease web-ingress-nginx-leader', ['nginx of k8s.io/ingress-nginx makes nginx']],
  ])('ingress-nginx %s', (version, app, lock, claims) => {
    const controller = only(releaseOf({}, version))
    expect([controller.release, controller.watched.scope, controller.status.writes]).toEqual([app, 'all', 'source'])
    expect(controller.locks.map(({ kinds, name }) => `${kinds.join('+')} ${name}`)[0]).toBe(lock)
    expect(claimsOf(controller)).toEqual(claims)
  })

  test('what values say, and where', () => {
    const controller = only(
      releaseOf({
        fullnameOverride: 'main',
        controller: {
          image: { tag: 'v1.9.4' },
          scope: { enabled: true, namespace: 'shop' },
          publishService: { enabled: false },
          extraArgs: { 'ingress-class': 'internal', 'publish-status-address': '192.0.2.1' },
          ingressClassResource: { name: 'internal', controllerValue: 'k8s.io/internal' },
        },
      }),
    )
    const { release, watched, status, locks } = controller
    expect(release).toBe('1.9.4')
    expect(watched.scope === 'namespaces' && watched.names).toEqual(['shop'])
    expect(watched.at.path.slice(-2)).toEqual(['scope', 'namespace'])
    expect(status.writes === 'source' && [status.flag, status.value]).toEqual(['publish-status-address', '192.0.2.1'])
    expect(locks[0]?.name).toBe('main-leader')
    expect(claimsOf(controller)).toEqual(['internal of k8s.io/internal makes internal'])
  })

  test('what a tool fills in, or another place may give, is not told', () => {
    expect(
      only(releaseOf({ controller: { scope: { enabled: true, namespace: '$'.concat('{NS}') } } })).watched.scope,
    ).toBe('unknown')
    const valuesFrom = [{ kind: 'Secret', name: 'values' }]
    const { watched, claims } = only(releaseOf({}, '4.12.1', 'ingress-nginx', { valuesFrom }))
    expect([watched.scope, claims]).toEqual(['unknown', []])
  })

  test.each<[string, object, string[]]>([
    ['as it comes', {}, ['traefik', 'traefik-crd']],
    [
      'for Ingresses of ingress-nginx',
      { kubernetesIngressNginx: { enabled: true } },
      ['traefik', 'traefik-ingress-nginx', 'traefik-crd'],
    ],
    ['for routes alone', { kubernetesIngress: { enabled: false } }, ['traefik-crd']],
  ])('Traefik %s', (_, providers, names) => {
    expect(releaseOf({ providers }, '38.0.0', 'traefik').map(({ facts }) => facts.name)).toEqual(names)
  })

  test('Traefik, by arguments and lists', () => {
    const [ingresses] = releaseOf(
      {
        providers: { kubernetesIngress: { namespaces: ['a', 'b'] } },
        additionalArguments: ['--providers.kubernetesingress.ingressclass=internal'],
      },
      '38.0.0',
      'traefik',
    )
    expect(ingresses?.watched.scope === 'namespaces' && ingresses.watched.names).toEqual(['a', 'b'])
    expect(ingresses?.claims.map(({ names, by }) => [names, by])).toEqual([[['internal'], 'both']])
  })

  test('Kong, by variables; and none where the controller is off', () => {
    const values = { ingressController: { ingressClass: 'internal', env: { watch_namespace: 'a,b' } } }
    const { watched, locks, claims } = only(releaseOf(values, '2.48.0', 'kong'))
    expect(watched.scope === 'namespaces' && watched.names).toEqual(['a', 'b'])
    expect([claims.at(-1)?.names, locks]).toEqual([['internal'], []])
    expect(releaseOf({ ingressController: { enabled: false } }, '2.48.0', 'kong')).toEqual([])
  })

  test('values in a text are found on their lines', () => {
    const [controller] = controllersOf(
      manifestIn(`apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: { name: web, namespace: argocd }
spec:
  source:
    chart: ingress-nginx
    targetRevision: 4.12.1
    helm:
      values: |
        # The team's own.

        controller:
          scope:
            enabled: false
  destination: { namespace: edge }
`),
    )
    expect(controller?.watched.at.region).toEqual({ startLine: 14, startColumn: 22, endLine: 14, endColumn: 27 })
    expect(controller?.namespace).toBe('edge')
  })

  /** What the rendered chart shows of the controller that stands first: each row was compared with it. */
  const described = ({
    watched,
    status,
    locks,
    serviceAccount,
    namespace,
    installed,
    claims,
    release,
  }: Controller) => ({
    watched: watched.scope === 'namespaces' ? watched.names.join() : watched.scope,
    status: status.writes === 'source' ? `${status.flag.split('.').at(-1)}=${status.value}` : status.writes,
    lock: locks[0]?.name,
    account: serviceAccount.name,
    namespace,
    service: installed?.service?.value,
    made: claims[0]?.made,
    unclassed: claims[0]?.unclassed,
    by: claims[0]?.by,
    release,
  })

  test.each<[string, string, object, Partial<ReturnType<typeof described>>]>([
    [
      'ingress-nginx',
      '3.7.0',
      { controller: { name: 'front' } },
      { status: 'publish-service=edge/web-ingress-nginx-controller' },
    ],
    [
      'ingress-nginx',
      '4.12.1',
      { controller: { name: 'front' } },
      { status: 'publish-service=edge/web-ingress-nginx-front' },
    ],
    [
      'ingress-nginx',
      '4.12.1',
      { namespaceOverride: 'other' },
      { namespace: 'other', status: 'publish-service=other/web-ingress-nginx-controller' },
    ],
    ['ingress-nginx', '4.7.2', { namespaceOverride: 'other' }, { namespace: 'edge' }],
    ['ingress-nginx', '4.12.1', { serviceAccount: { create: false } }, { account: 'default' }],
    ['ingress-nginx', '4.12.1', { serviceAccount: { name: 'me' } }, { account: 'me' }],
    // A text is on for a template, whatever it says.
    ['ingress-nginx', '4.12.1', { controller: { ingressClassByName: 'false' } }, { by: 'either' }],
    ['ingress-nginx', '4.12.1', { controller: { watchIngressWithoutClass: 'false' } }, { unclassed: true }],
    ['ingress-nginx', '4.12.1', { controller: { disableLeaderElection: 'false' } }, { lock: undefined }],
    [
      'ingress-nginx',
      '4.12.1',
      { controller: { service: { external: { enabled: false } } } },
      { service: undefined, status: 'fallback' },
    ],
    [
      'ingress-nginx',
      '4.12.1',
      { controller: { publishService: { enabled: false }, reportNodeInternalIp: true } },
      { status: 'fallback' },
    ],
    // What is off once stood for a flag alone.
    [
      'ingress-nginx',
      '2.3.0',
      { controller: { extraArgs: { 'update-status': false } } },
      { status: 'publish-service=edge/web-ingress-nginx-controller' },
    ],
    ['ingress-nginx', '3.34.0', { controller: { ingressClassResource: { enabled: true } } }, { made: 'nginx' }],
    ['ingress-nginx', '3.34.0', {}, { made: undefined }],
    [
      'ingress-nginx',
      '4.12.1',
      { fullnameOverride: `${'long-'.repeat(12)}name-of-it` },
      { account: `${'long-'.repeat(12)}nam` },
    ],
    [
      'nginx-ingress',
      '0.15.2',
      { fullnameOverride: 'main' },
      { account: 'web-nginx-ingress', lock: 'web-nginx-ingress-leader-election' },
    ],
    [
      'nginx-ingress',
      '0.18.1',
      { fullnameOverride: 'main' },
      { account: 'main', status: 'external-service=main-controller' },
    ],
    [
      'nginx-ingress',
      '0.15.2',
      {},
      { status: 'external-service=web-nginx-ingress', unclassed: false, release: '2.4.2' },
    ],
    ['nginx-ingress', '2.4.3', {}, { release: '5.3.3', made: 'nginx' }],
    ['nginx-ingress', '2.0.1', { controller: { image: { digest: 'sha256:0a' } } }, { release: undefined }],
    ['nginx-ingress', '2.4.3', { controller: { service: { type: 'NodePort' } } }, { status: 'nothing' }],
    [
      'nginx-ingress',
      '2.4.3',
      { controller: { reportIngressStatus: { ingressLink: 'big' } } },
      { status: 'ingresslink=big' },
    ],
    ['nginx-ingress', '2.4.3', { serviceNameOverride: 'gate' }, { status: 'external-service=gate' }],
    ['nginx-ingress', '2.4.3', { controller: { ingressClass: { create: false } } }, { made: undefined }],
    [
      'nginx-ingress',
      '0.15.2',
      { controller: { reportIngressStatus: { enable: false } } },
      { lock: 'nginx-ingress-leader-election' },
    ],
    [
      'nginx-ingress',
      '2.4.3',
      { controller: { reportIngressStatus: { enable: false } } },
      { lock: 'web-nginx-ingress-leader-election', status: 'nothing' },
    ],
    ['nginx-ingress', '0.9.0', {}, { unclassed: false, release: '1.11.0' }],
    ['nginx-ingress', '0.6.1', {}, { unclassed: true, release: '1.8.1' }],
    ['traefik', '41.3.0', { service: { enabled: false } }, { status: 'nothing', service: undefined }],
    [
      'traefik',
      '41.3.0',
      { service: { enabled: false }, providers: { kubernetesIngress: { publishedService: { pathOverride: 'a/b' } } } },
      { status: 'publishedservice=a/b' },
    ],
    ['traefik', '32.1.1', {}, { status: 'nothing', release: '3.1.6' }],
    ['traefik', '20.8.0', { ingressClass: { name: 'mine' } }, { made: 'web-traefik' }],
    ['traefik', '25.0.0', { ingressClass: { name: 'mine' } }, { made: 'mine' }],
    ['traefik', '41.3.0', { rbac: { namespaced: true } }, { watched: 'edge' }],
    ['traefik', '41.3.0', { rbac: { namespaced: true, enabled: false } }, { watched: 'all' }],
    [
      'traefik',
      '41.3.0',
      { additionalArguments: ['--configfile=/config/traefik.yaml'] },
      { watched: 'unknown', status: 'unknown' },
    ],
    [
      'traefik',
      '41.3.0',
      {
        providers: {
          kubernetesIngress: { ingressEndpoint: { ip: '192.0.2.1' }, publishedService: { enabled: false } },
        },
      },
      { status: 'ip=192.0.2.1' },
    ],
    ['kong', '3.4.1', { proxy: { nameOverride: 'px' } }, { status: 'publish-service=edge/px' }],
    ['kong', '3.4.1', { ingressController: { createIngressClass: false } }, { made: undefined, release: '3.5.0' }],
    ['kong', '3.4.1', { namespace: 'other' }, { namespace: 'other' }],
    ['kubernetes-ingress', '1.52.1', { serviceAccount: { create: false } }, { account: 'default', made: 'haproxy' }],
    ['kubernetes-ingress', '1.12.1', {}, { made: undefined, unclassed: true }],
    ['haproxy-ingress', '0.13.1', { controller: { publishService: { enabled: true } } }, { status: 'fallback' }],
    [
      'haproxy-ingress',
      '0.14.5',
      { controller: { publishService: { enabled: true } } },
      { status: 'publish-service=edge/web-haproxy-ingress', release: '0.14.5' },
    ],
    ['haproxy-ingress', '0.14.5', { controller: { daemonset: { useHostPort: true } } }, { status: 'fallback' }],
    [
      'haproxy-ingress',
      '0.14.5',
      { controller: { daemonset: { useHostPort: true }, kind: 'DaemonSet' } },
      { status: 'nodes' },
    ],
  ])('%s %s with %j', (chart, version, values, expected) => {
    const [controller] = releaseOf(values, version, chart)
    expect(controller && described(controller)).toMatchObject(expected)
  })

  test.each<[string, string, object, string[]]>([
    ['traefik', '38.0.0', { providers: { kubernetesIngressNGINX: { enabled: true } } }, ['traefik', 'traefik-crd']],
    [
      'traefik',
      '40.1.0',
      { providers: { kubernetesIngressNGINX: { enabled: true } } },
      ['traefik', 'traefik-ingress-nginx', 'traefik-crd'],
    ],
    ['traefik', '40.1.0', { rbac: { namespaced: true } }, ['traefik', 'traefik-crd']],
    [
      'traefik',
      '28.3.0',
      { experimental: { kubernetesGateway: { enabled: true } } },
      ['traefik', 'traefik-crd', 'traefik-gateway'],
    ],
    ['traefik', '30.0.2', { experimental: { kubernetesGateway: { enabled: true } } }, ['traefik', 'traefik-crd']],
    [
      'traefik',
      '41.3.0',
      { additionalArguments: ['--providers.kubernetesgateway.qps=20'] },
      ['traefik', 'traefik-crd', 'traefik-gateway'],
    ],
    ['traefik', '8.5.0', { providers: { kubernetesCRD: { enabled: false } } }, ['traefik', 'traefik-crd']],
    ['traefik', '41.3.0', { deployment: { replicas: 0 } }, []],
    ['traefik', '36.0.0', { deployment: { replicas: 0 } }, ['traefik', 'traefik-crd']],
    ['ingress-nginx', '4.12.1', { controller: { replicaCount: 0 } }, []],
    ['ingress-nginx', '4.12.1', { controller: { replicaCount: 0, autoscaling: { enabled: true } } }, ['ingress-nginx']],
    ['ingress-nginx', '4.12.1', { controller: { replicaCount: 0, kind: 'DaemonSet' } }, ['ingress-nginx']],
    ['ingress-nginx', '4.12.1', { controller: { kind: 'Both' } }, []],
    ['ingress-nginx', '4.7.2', { controller: { kind: 'Both' } }, ['ingress-nginx']],
  ])('%s %s with %j runs', (chart, version, values, names) => {
    expect(releaseOf(values, version, chart).map(({ facts }) => facts.name)).toEqual(names)
  })

  test.each<[string, string, string, object, string[], Partial<ReturnType<typeof described>>]>([
    [
      'stable',
      'nginx-ingress',
      '1.41.3',
      {},
      ['ingress-nginx'],
      { status: 'fallback', lock: 'ingress-controller-leader-nginx', service: 'LoadBalancer', release: '0.34.1' },
    ],
    [
      'stable',
      'nginx-ingress',
      '1.41.3',
      { controller: { scope: { enabled: true } }, rbac: { scope: true } },
      ['ingress-nginx'],
      { status: 'nothing', watched: 'edge' },
    ],
    ['nginx', 'nginx-ingress', '2.4.3', {}, ['nginx-inc'], { status: 'external-service=web-nginx-ingress-controller' }],
    [
      'bitnami',
      'nginx-ingress-controller',
      '12.0.5',
      {},
      ['ingress-nginx'],
      { status: 'fallback', lock: 'ingress-controller-leader', made: 'nginx', release: '1.13.1' },
    ],
    [
      'bitnami',
      'nginx-ingress-controller',
      '11.3.14',
      { publishService: { enabled: true }, scope: { enabled: true } },
      ['ingress-nginx'],
      { status: 'publish-service=edge/web-nginx-ingress-controller', watched: 'edge' },
    ],
    [
      'bitnami',
      'nginx-ingress-controller',
      '12.0.5',
      { image: { tag: '1.11.2-debian-12-r0' } },
      ['ingress-nginx'],
      { release: '1.11.2' },
    ],
    [
      'contour',
      'contour',
      '0.7.0',
      {},
      ['contour'],
      {
        status: 'envoy-service-name=web-contour-envoy',
        lock: 'edge-web-contour-contour',
        account: 'web-contour-contour',
        made: 'contour',
        unclassed: true,
      },
    ],
    [
      'contour',
      'contour',
      '0.7.0',
      { contour: { ingressStatusAddress: '192.0.2.1', ingressClass: 'internal' } },
      ['contour'],
      { status: 'ingress-status-address=192.0.2.1', unclassed: false },
    ],
    [
      'contour',
      'contour',
      '0.7.0',
      { contour: { configPath: false } },
      ['contour'],
      { watched: 'all', status: 'unknown', lock: 'edge-web-contour-contour' },
    ],
    ['bitnami', 'contour', '8.0.5', {}, ['contour'], { lock: 'edge', release: '1.21.1' }],
    [
      'bitnami',
      'contour',
      '21.1.4',
      { namespaceOverride: 'other' },
      ['contour'],
      { lock: 'other-web-contour-contour', namespace: 'other' },
    ],
    ['bitnami', 'contour', '7.0.0', {}, ['contour'], { watched: 'all', lock: undefined }],
    ['bitnami', 'contour', '7.10.0', {}, ['contour'], { lock: 'leader-elect' }],
    [
      'kong',
      'ingress',
      '0.24.0',
      {},
      ['kong'],
      {
        lock: 'kong-ingress-controller-leader-kong',
        status: 'publish-service=edge/web-gateway-proxy',
        account: 'web-controller',
        release: '3.5.0',
        made: 'kong',
      },
    ],
    [
      'kong',
      'ingress',
      '0.19.0',
      { controller: { ingressController: { watchNamespaces: ['a', 'b'], createIngressClass: false } } },
      ['kong'],
      { watched: 'a,b', made: 'kong', release: '3.4.0' },
    ],
  ])('%s/%s %s with %j', (repository, chart, version, values, names, expected) => {
    const found = releaseOf(values, version, chart, {}, repository)
    expect(found.map(({ facts }) => facts.name)).toEqual(names)
    expect(found.map(described)).toMatchObject([expected])
  })

  test('a chart of files is not one of these', () => {
    const chart = { spec: { chart: 'ingress-nginx', sourceRef: { kind: 'GitRepository', name: 'charts' } } }
    expect(releaseOf({}, '', 'ingress-nginx', { chart })).toEqual([])
  })
})
