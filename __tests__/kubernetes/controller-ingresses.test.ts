import { expect, test } from '@jest/globals'
import { Snapshot } from '../../src/cluster/snapshot'
import { takesClassOf } from '../../src/kubernetes/controllers/class-provider'
import { controllersOf } from '../../src/kubernetes/controllers/controller'
import { takesIngress } from '../../src/kubernetes/controllers/controller-ingresses'
import { manifestIn } from '../manifest/manifests'

const haproxytech = (release: string) => `haproxytech/kubernetes-ingress:${release}`
const haproxy = (release: string) => `quay.io/jcmoraisjr/haproxy-ingress:${release}`
const traefik = (release: string) => `traefik:${release}`
const ingressProvider = '--providers.kubernetesingress'

/** The classes of the cluster, by the controllers that they name. */
const classes = {
  own: 'haproxy.org/ingress-controller/prod',
  jcm: 'haproxy-ingress.github.io/controller',
  traefik: 'traefik.io/ingress-controller',
  f5: 'nginx.org/ingress-controller',
  other: 'example.org/controller',
}

interface Class {
  readonly field?: string
  readonly annotation?: string
}

function ingress({ field, annotation }: Class) {
  const annotations = annotation === undefined ? {} : { 'kubernetes.io/ingress.class': annotation }
  return manifestIn(
    JSON.stringify({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'web', namespace: 'shop', annotations },
      spec: { ...(field === undefined ? {} : { ingressClassName: field }), rules: [{ host: 'shop.example.com' }] },
    }),
  )
}

test.each<[string, string[], Class, boolean]>([
  // The annotation wins up to 3.1, and is not read from 3.2 on.
  [haproxytech('3.1.17'), ['--ingress.class=prod'], { annotation: 'prod' }, true],
  [haproxytech('3.1.17'), ['--ingress.class=prod'], { annotation: 'prod', field: 'other' }, true],
  [haproxytech('3.1.17'), ['--ingress.class=prod'], { annotation: 'own', field: 'own' }, false],
  [haproxytech('3.2.0'), ['--ingress.class=prod'], { annotation: 'prod' }, false],
  [haproxytech('3.2.0'), ['--ingress.class=prod'], { annotation: 'prod', field: 'other' }, false],
  [haproxytech('3.2.0'), ['--ingress.class=prod'], { annotation: 'own', field: 'own' }, true],
  [haproxytech('3.2.0'), ['--ingress.class=prod', '--empty-ingress-class'], { annotation: 'other' }, true],
  [haproxytech('3.2.0'), [], { annotation: 'other' }, true],
  [haproxytech('3.1.17'), [], { annotation: 'other' }, false],
  // A release that is not known may be of either kind.
  [haproxytech('latest'), ['--ingress.class=prod'], { annotation: 'prod' }, false],

  [haproxy('v0.14.0'), [], { annotation: 'haproxy', field: 'other' }, true],
  [haproxy('v0.14.0'), [], { annotation: 'other', field: 'jcm' }, false],
  [haproxy('v0.14.0'), ['--ingress-class-precedence'], { annotation: 'other', field: 'jcm' }, true],
  [haproxy('v0.14.0'), ['--ingress-class-precedence'], { annotation: 'haproxy', field: 'other' }, false],
  [haproxy('v0.16.1'), ['--disable-ingress-class-api'], { field: 'jcm' }, false],
  [haproxy('v0.16.1'), ['--disable-ingress-class-api'], { annotation: 'haproxy', field: 'jcm' }, true],
  [haproxy('v0.16.1'), ['--disable-ingress-class-api', '--watch-ingress-without-class'], { field: 'other' }, true],
  [haproxy('v0.16.1'), ['--disable-ingress-class-api=false'], { field: 'jcm' }, true],

  [traefik('v3.7.9'), [ingressProvider], { field: 'traefik' }, true],
  [traefik('v3.7.9'), [`${ingressProvider}.disableClusterScopeResources`], { field: 'traefik' }, false],
  [traefik('v3.0.4'), [`${ingressProvider}.disableIngressClassLookup=true`], { field: 'traefik' }, false],
  [traefik('v3.0.4'), [`${ingressProvider}.disableIngressClassLookup=true`], { annotation: 'traefik' }, true],
  [traefik('v3.0.4'), [`${ingressProvider}.disableIngressClassLookup=true`], {}, true],
  [traefik('v3.0.4'), [`${ingressProvider}.disableIngressClassLookup=false`], { field: 'traefik' }, true],

  ['nginx/nginx-ingress:4.0.1', ['-ingress-class=f5'], { annotation: 'other', field: 'f5' }, false],
  ['nginx/nginx-ingress:4.0.1', ['-ingress-class=f5'], { annotation: 'f5', field: 'other' }, true],
  [
    'ghcr.io/projectcontour/contour:v1.33.6',
    ['serve', '--ingress-class-name=own'],
    { annotation: 'x', field: 'own' },
    false,
  ],

  // ingress-nginx reads the field first.
  [
    'registry.k8s.io/ingress-nginx/controller:v1.12.1',
    ['--controller-class=example.org/controller'],
    { annotation: 'x', field: 'other' },
    true,
  ],
])('%s with %j takes an Ingress of %j: %s', (image, args, named, takes) => {
  const workload = manifestIn(
    JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'edge', namespace: 'edge' },
      spec: { template: { spec: { containers: [{ name: 'controller', image, args }] } } },
    }),
  )
  const written = Object.entries(classes).map(([name, controller]) =>
    manifestIn(
      JSON.stringify({
        apiVersion: 'networking.k8s.io/v1',
        kind: 'IngressClass',
        metadata: { name },
        spec: { controller },
      }),
    ),
  )
  const asked = ingress(named)
  const snapshot = new Snapshot('', [workload, ...written, asked])
  const [controller] = controllersOf(workload, snapshot)
  if (!controller) throw new Error('no controller was recognised')
  expect(takesIngress(controller, asked, snapshot)).toBe(takes)
  // Facts that are certain for each release are also used for its class.
  const byName = new Map(
    written.map(({ ref, root }) => [ref.name, { says: root.at('spec', 'controller').string, at: root }]),
  )
  if (takes) expect(takesClassOf(asked, controller, { controllers: [], classes: byName, hasDefault: false })).toBe(true)
})
