import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { controllersOf } from '../../src/kubernetes/controllers/controller'
import { manifestIn } from '../manifest/manifests'
import { claimsOf, described, only, releaseOf } from './chart-releases'

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

  test('a long name is shortened, as Flux names the release', () => {
    const names = (spec: object) => only(releaseOf({}, '4.15.1', 'ingress-nginx', spec)).locks.map(({ name }) => name)
    const start = 'ingress-nginx-of-the-eastern-cloud-regio'
    const digest = createHash('sha256').update(`${start}n-one-of-three-web`).digest('hex').slice(0, 12)
    expect(names({ targetNamespace: `${start}n-one-of-three` })[0]).toBe(`${start}-${digest}-leader`)
    expect(names({ targetNamespace: `${start}n-one-of-three`, releaseName: 'edge' })[0]).toBe(
      'edge-ingress-nginx-leader',
    )
  })

  test('the facts that values state, and their places', () => {
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

  test('a value that a tool fills in, or that may come from another place, is unknown', () => {
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

  test.each([
    ['41.3.0', { rbac: { namespaced: true } }, 'none'],
    ['41.3.0', {}, 'controller'],
    ['29.0.0', { providers: { kubernetesIngress: { disableIngressClassLookup: true } } }, 'none'],
    ['29.0.0', { rbac: { namespaced: true } }, 'controller'],
  ])('Traefik %s with %j takes IngressClasses by %s', (version, values, by) => {
    const [ingresses] = releaseOf(values, version, 'traefik')
    expect(ingresses?.claims.map((claim) => claim.by)).toEqual([by])
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
    // A template treats any text as true.
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
    // In old releases this value set a flag alone.
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

  test('a chart of files is not one of these', () => {
    const chart = { spec: { chart: 'ingress-nginx', sourceRef: { kind: 'GitRepository', name: 'charts' } } }
    expect(releaseOf({}, '', 'ingress-nginx', { chart })).toEqual([])
  })
})
