import { describe, expect, test } from '@jest/globals'
import { type Controller, controllersOf } from '../../src/kubernetes/controller'
import { manifestIn } from '../manifest/manifests'

function releaseOf(values: object, version = '4.12.1', chart = 'ingress-nginx', spec: object = {}): Controller[] {
  const sourceRef = { kind: 'HelmRepository', name: chart }
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
      { kubernetesIngressNGINX: { enabled: true } },
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

  test('a chart of files is not one of these', () => {
    const chart = { spec: { chart: 'ingress-nginx', sourceRef: { kind: 'GitRepository', name: 'charts' } } }
    expect(releaseOf({}, '', 'ingress-nginx', { chart })).toEqual([])
  })
})
