import { config, image, ingress, ingressClass, namespace, nginx, release, route, silent, workload } from './routine'

silent('controller-scope/flags-known', [
  [
    'an upgrade',
    { 'c.yaml': nginx('--election-id=edge', '1.8.1') },
    { 'c.yaml': nginx('--election-id=edge', '1.15.1') },
  ],
  [
    'an upgrade that brings a flag of the new release',
    { 'c.yaml': nginx('--v=2', '1.10.1') },
    { 'c.yaml': nginx('--v=2, --metrics-per-undefined-host=true', '1.12.1') },
  ],
  [
    'a downgrade that leaves a flag of the new release out',
    { 'c.yaml': nginx('--metrics-per-undefined-host', '1.12.1') },
    { 'c.yaml': nginx('--v=2', '1.10.1') },
  ],
  ['another order', { 'c.yaml': nginx('--v=2, --election-id=edge') }, { 'c.yaml': nginx('--election-id=edge, --v=2') }],
  [
    'a flag in another form',
    { 'c.yaml': nginx('--publish-service=edge/edge') },
    { 'c.yaml': nginx('--publish-service, edge/edge') },
  ],
  [
    'the flags of klog',
    { 'c.yaml': nginx('--v=2') },
    { 'c.yaml': nginx('--v=3, --logtostderr, --stderrthreshold=0, --vmodule=x=1') },
  ],
  [
    'a copy of the image, by its digest',
    { 'c.yaml': nginx('--v=2') },
    {
      'c.yaml': workload(
        '/nginx-ingress-controller, --v=2, --enable-ssl-passthrough',
        `mirror.example.com/ingress-nginx/controller:v1.12.1@sha256:${'a'.repeat(64)}`,
      ),
    },
  ],
  [
    'flags in values',
    { 'r.yaml': release('{}') },
    { 'r.yaml': release('{controller: {extraArgs: {v: 3, enable-ssl-passthrough: ""}}}') },
  ],
  [
    'a second controller of another product',
    { 'c.yaml': nginx('--v=2') },
    {
      't.yaml': workload('--entryPoints.web.address=:80, --providers.kubernetesingress', 'traefik:v3.3.1').replaceAll(
        'edge',
        'two',
      ),
    },
  ],
  [
    'another container of its Pod',
    { 'c.yaml': nginx('--v=2') },
    {
      'c.yaml': `${nginx('--v=2')}        - {name: exporter, image: 'prom/statsd-exporter:v0.27.2', args: [--statsd.mapping-config=/x]}\n`,
    },
  ],
  [
    'a release that is built here',
    { 'c.yaml': nginx('--v=2') },
    { 'c.yaml': workload('/nginx-ingress-controller, --made-here', 'registry.example.com/edge:main') },
  ],
])

const snippets = (on: string) => `allow-snippet-annotations: ${JSON.stringify(on)}`
const configured = nginx('--configmap=edge/edge')
silent('controller-scope/snippets-off', [
  [
    'that they are switched off',
    { 'c.yaml': configured, 'm.yaml': config(snippets('true')) },
    { 'm.yaml': config(snippets('false')) },
  ],
  ['that off is written', { 'c.yaml': configured, 'm.yaml': config('a: b') }, { 'm.yaml': config(snippets('false')) }],
  [
    'other settings',
    { 'c.yaml': configured, 'm.yaml': config('a: b') },
    { 'm.yaml': config('a: b, annotations-risk-level: Critical') },
  ],
  [
    'another setting beside it',
    { 'c.yaml': configured, 'm.yaml': config(snippets('true')) },
    { 'm.yaml': config(`${snippets('true')}, a: b`) },
  ],
  [
    'a move to another file',
    { 'c.yaml': configured, 'm.yaml': config(snippets('true')) },
    { 'm.yaml': '', 'n.yaml': config(snippets('true')) },
  ],
  [
    'another name',
    { 'c.yaml': configured, 'm.yaml': config(snippets('true')) },
    { 'c.yaml': nginx('--configmap=edge/new'), 'm.yaml': config(snippets('true'), 'new') },
  ],
  [
    'an old release, which has them on',
    { 'c.yaml': nginx('--configmap=edge/edge', '1.8.1'), 'm.yaml': config('a: b') },
    { 'm.yaml': config(snippets('true')) },
  ],
  [
    'values that turn them off',
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}') },
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: false}}') },
  ],
  [
    'an upgrade of a release that has them on',
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}', '4.11.2') },
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}') },
  ],
  [
    'the same in another value',
    { 'r.yaml': release('{controller: {config: {allow-snippet-annotations: "true"}}}') },
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}') },
  ],
  [
    'the same under another name of the release',
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}') },
    { 'r.yaml': release('{controller: {allowSnippetAnnotations: true}}', '4.12.1', 'new') },
  ],
])

const own = '--controller-class=k8s.io/edge'
const served = {
  'c.yaml': nginx(own),
  'k.yaml': ingressClass('edge', 'k8s.io/edge'),
  'i.yaml': ingress(route('/', 'Prefix'), '', 'edge'),
}
const selecting = (labels: string) => nginx(`${own}, --watch-namespace-selector=${labels}`)
const ofChart = release('{controller: {ingressClassResource: {name: edge}}}')
silent('controller-scope/controller-kept', [
  [
    'a release that is suspended',
    { 'r.yaml': ofChart, 'i.yaml': ingress(route('/', 'Prefix'), '', 'edge') },
    { 'r.yaml': ofChart.replace('spec:\n', 'spec:\n  suspend: true\n') },
  ],
  ['an upgrade', served, { 'c.yaml': nginx(own, '1.15.1') }],
  [
    'labels that the namespaces have',
    { ...served, 'n.yaml': namespace('shop', 'team: web') },
    { 'c.yaml': selecting('team=web') },
  ],
  [
    'labels that the change gives them',
    { ...served, 'n.yaml': namespace('shop', '') },
    { 'c.yaml': selecting('team=web'), 'n.yaml': namespace('shop', 'team: web') },
  ],
  [
    'labels in another form',
    { ...served, 'c.yaml': selecting('team=web'), 'n.yaml': namespace('shop', 'team: web') },
    { 'c.yaml': selecting('team in (web)') },
  ],
  [
    'a class that moves with its Ingresses',
    served,
    {
      'c.yaml': nginx('--controller-class=k8s.io/new'),
      'k.yaml': ingressClass('new', 'k8s.io/new'),
      'i.yaml': ingress(route('/', 'Prefix'), '', 'new'),
    },
  ],
  [
    'a second controller of another class',
    served,
    {
      'd.yaml': nginx('--controller-class=k8s.io/two').replaceAll('name: edge', 'name: two'),
      'l.yaml': ingressClass('two', 'k8s.io/two'),
    },
  ],
  ['a controller that goes with its Ingresses', served, { 'c.yaml': '', 'k.yaml': '', 'i.yaml': '' }],
  [
    'a DaemonSet in place of the Deployment',
    served,
    { 'c.yaml': workload(`/nginx-ingress-controller, ${own}`, image('1.12.1'), 'DaemonSet') },
  ],
  [
    'another number of Pods',
    {
      ...served,
      'c.yaml': workload(`/nginx-ingress-controller, ${own}`, image('1.12.1'), 'Deployment', '  replicas: 3\n'),
    },
    { 'c.yaml': workload(`/nginx-ingress-controller, ${own}`, image('1.12.1'), 'Deployment', '  replicas: 1\n') },
  ],
  [
    'another namespace',
    served,
    { 'c.yaml': workload(`/nginx-ingress-controller, ${own}`, image('1.12.1'), 'Deployment', '', 'ingress') },
  ],
  [
    'a release of the chart in its place',
    served,
    {
      'c.yaml': '',
      'k.yaml': '',
      'r.yaml': release('{controller: {ingressClassResource: {name: edge, controllerValue: k8s.io/edge}}}'),
    },
  ],
  [
    'all namespaces in place of one',
    { ...served, 'c.yaml': nginx(`${own}, --watch-namespace=shop`) },
    { 'c.yaml': nginx(own) },
  ],
])
