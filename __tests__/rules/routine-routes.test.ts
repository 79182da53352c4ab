import { ingress, ingressClass, metadata, namespace, nginx, regex, rewrite, route, silent } from './routine'

silent('controller-scope/paths-served', [
  [
    'a plain path',
    { 'i.yaml': ingress(route('/', 'Prefix')) },
    { 'i.yaml': ingress(`${route('/', 'Prefix')}, ${route('/api/v1_2-a.b', 'Exact')}`) },
  ],
  [
    'a sound expression',
    { 'i.yaml': ingress(route('/')) },
    { 'i.yaml': ingress(route('/api/(v[12]|beta)/?$'), regex) },
  ],
  ['a rewrite', { 'i.yaml': ingress(route('/')) }, { 'i.yaml': ingress(route('/app/?(.*)'), rewrite) }],
  [
    'expressions with rare parts',
    { 'i.yaml': ingress(route('/'), regex) },
    {
      'i.yaml': ingress(
        [`/(?!admin)[a-z]{2,8}`, '/(?:a|b)++', '/[^/]+\\.(?:js|css)$', '/(?i)x', '/a*?b']
          .map((path) => route(path))
          .join(', '),
        regex,
      ),
    },
  ],
  [
    '`/*` for Traefik',
    { 't.yaml': ingressClass('traefik', 'traefik.io/ingress-controller') },
    { 'i.yaml': ingress(route('/*'), '', 'traefik') },
  ],
  [
    '`/*` for a load balancer',
    { 'i.yaml': ingress(route('/*'), '', 'alb') },
    { 'i.yaml': ingress(`${route('/*')}, ${route('/api/*')}`, '', 'alb') },
  ],
  [
    'a challenge',
    { 'i.yaml': ingress(route('/', 'Prefix')) },
    { 'i.yaml': ingress(`${route('/', 'Prefix')}, ${route('/.well-known/acme-challenge/', 'Prefix')}`) },
  ],
  [
    'signs that are no pattern',
    { 'i.yaml': ingress(route('/')) },
    { 'i.yaml': ingress(`${route('/~user')}, ${route('/a%20b')}, ${route('/a+b')}, ${route('/$')}`) },
  ],
  [
    'another Ingress of a host of expressions',
    { 'i.yaml': ingress(route('/api/(.*)'), rewrite) },
    {
      'j.yaml': ingress(
        `${route('/web', 'Prefix')}, ${route('/login.html', 'Exact')}`,
        '',
        'nginx',
        'a.example.com',
        'b',
      ),
    },
  ],
  [
    'a move to another class, whose controller reads such paths',
    { 'i.yaml': ingress(route('/')), 'c.yaml': ingressClass('gce', 'example.com/gce') },
    { 'i.yaml': ingress(route('/*'), '', 'gce') },
  ],
  [
    'an upgrade of the controller beside old paths',
    { 'c.yaml': nginx('--v=2', '1.11.2'), 'i.yaml': ingress(route('/a(/|$)', 'Prefix'), regex) },
    { 'c.yaml': nginx('--v=2') },
  ],
])

const listener = (name: string, port: number, more = '') =>
  `{name: ${name}, protocol: HTTPS, port: ${port}, allowedRoutes: {namespaces: {from: All}}${more}}`
const gateway = (listeners: string, name = 'public', className = 'cilium') =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n${metadata(name, 'edge')}spec:\n  gatewayClassName: ${className}\n  listeners: [${listeners}]\n`
const httpRoute = (parent: string, host = 'a.example.com', name = 'a') =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\n${metadata(name, 'shop')}spec:\n  parentRefs: [{namespace: edge, ${parent}}]\n  hostnames: [${host}]\n`
const toPublic = httpRoute('name: public')
const toWeb = httpRoute('name: public, sectionName: web')
const before = { 'g.yaml': gateway(listener('web', 443)), 'r.yaml': toPublic }
silent('controller-scope/gateway-kept', [
  [
    'a listener that is split in two',
    before,
    {
      'g.yaml': gateway(
        `${listener('a', 443, ', hostname: a.example.com')}, ${listener('b', 443, ', hostname: b.example.com')}`,
      ),
    },
  ],
  [
    'a listener of another name, with its routes',
    { ...before, 'r.yaml': toWeb },
    { 'g.yaml': gateway(listener('edge', 443)), 'r.yaml': toWeb.replace('web', 'edge') },
  ],
  ['another port, which no route names', before, { 'g.yaml': gateway(listener('web', 8443)) }],
  [
    'another port, with its routes',
    { ...before, 'r.yaml': httpRoute('name: public, port: 443') },
    { 'g.yaml': gateway(listener('web', 8443)), 'r.yaml': httpRoute('name: public, port: 8443') },
  ],
  [
    'a second listener',
    before,
    { 'g.yaml': gateway(`${listener('web', 443)}, {name: http, protocol: HTTP, port: 80}`) },
  ],
  [
    'another order',
    { ...before, 'g.yaml': gateway(`${listener('web', 443)}, ${listener('b', 444)}`) },
    { 'g.yaml': gateway(`${listener('b', 444)}, ${listener('web', 443)}`) },
  ],
  [
    'labels that the namespaces of its routes have',
    { ...before, 'n.yaml': namespace('shop', 'team: web') },
    {
      'g.yaml': gateway(
        listener('web', 443).replace('from: All', 'from: Selector, selector: {matchLabels: {team: web}}'),
      ),
    },
  ],
  [
    'labels that the change gives them',
    { ...before, 'n.yaml': namespace('shop', '') },
    {
      'g.yaml': gateway(
        listener('web', 443).replace('from: All', 'from: Selector, selector: {matchLabels: {team: web}}'),
      ),
      'n.yaml': namespace('shop', 'team: web'),
    },
  ],
  [
    'the kinds that its routes are of',
    before,
    { 'g.yaml': gateway(listener('web', 443).replace('{namespaces', '{kinds: [{kind: HTTPRoute}], namespaces')) },
  ],
  [
    'a listener that goes with its routes',
    {
      'g.yaml': gateway(`${listener('web', 443)}, ${listener('old', 444)}`),
      'r.yaml': toWeb,
      's.yaml': httpRoute('name: public, sectionName: old', 'b.example.com', 'b'),
    },
    { 'g.yaml': gateway(listener('web', 443)), 's.yaml': '' },
  ],
  [
    'routes that move to another Gateway',
    before,
    { 'g.yaml': gateway(listener('web', 443), 'next'), 'r.yaml': httpRoute('name: next') },
  ],
  ['another class', before, { 'g.yaml': gateway(listener('web', 443), 'public', 'envoy') }],
  [
    'a wider hostname',
    { ...before, 'g.yaml': gateway(listener('web', 443, ', hostname: a.example.com')) },
    { 'g.yaml': gateway(listener('web', 443, ', hostname: "*.example.com"')) },
  ],
])

const issuer = 'cert-manager.io/cluster-issuer: letsencrypt'
const secured = (annotations: string, labels: string, tls = '[{hosts: [a.example.com], secretName: web}]') =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\n${metadata('a', 'shop', `, annotations: {${annotations}}, labels: {${labels}}`)}spec:\n  tls: ${tls}\n  rules: [{host: a.example.com}]\n`
const certificate = `apiVersion: cert-manager.io/v1\nkind: Certificate\n${metadata('web', 'shop')}spec: {secretName: web, dnsNames: [a.example.com], issuerRef: {name: le, kind: ClusterIssuer}}\n`
const secret = `apiVersion: v1\nkind: Secret\n${metadata('web', 'shop')}type: kubernetes.io/tls\ndata: {tls.crt: "", tls.key: ""}\n`
silent('ingress-tls/certificate-issued', [
  ['an annotation', { 'i.yaml': secured('', '') }, { 'i.yaml': secured(issuer, '') }],
  ['a label that becomes an annotation', { 'i.yaml': secured('', issuer) }, { 'i.yaml': secured(issuer, '') }],
  ['both', { 'i.yaml': secured(issuer, '') }, { 'i.yaml': secured(issuer, issuer) }],
  [
    'other labels',
    { 'i.yaml': secured(issuer, '') },
    { 'i.yaml': secured(issuer, 'app.kubernetes.io/part-of: cert-manager') },
  ],
  [
    'a label beside a Certificate',
    { 'i.yaml': secured('', ''), 'c.yaml': certificate },
    { 'i.yaml': secured('', issuer) },
  ],
  ['a label beside the Secret', { 'i.yaml': secured('', ''), 's.yaml': secret }, { 'i.yaml': secured('', issuer) }],
  [
    'a label in place of another',
    { 'i.yaml': secured('', 'cert-manager.io/issuer: own') },
    { 'i.yaml': secured('', issuer) },
  ],
  ['a label without TLS', { 'i.yaml': secured('', '', '[]') }, { 'i.yaml': secured('', issuer, '[]') }],
  [
    'a host that is added',
    { 'i.yaml': secured(issuer, '') },
    { 'i.yaml': secured(issuer, '', '[{hosts: [a.example.com, b.example.com], secretName: web}]') },
  ],
  [
    'a second entry',
    { 'i.yaml': secured(issuer, '') },
    {
      'i.yaml': secured(
        issuer,
        '',
        '[{hosts: [a.example.com], secretName: web}, {hosts: [b.example.com], secretName: b}]',
      ),
    },
  ],
  [
    'another issuer',
    { 'i.yaml': secured(issuer, '') },
    { 'i.yaml': secured(issuer.replace('letsencrypt', 'own'), '') },
  ],
])
