import { describe, expect, test } from '@jest/globals'
import { described, releaseOf } from './chart-releases'

describe('a chart by its repository, its version and its values runs', () => {
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
})
