/** A chart as its public repository has it, and how people deploy it. */
export interface PublicChart {
  readonly name: string
  /** On GitHub. */
  readonly repository: string
  readonly folder: string
  /** The tag of a version. */
  readonly tag: (version: string) => string
  readonly namespace: string
  /** The values of its release, as JSON. */
  readonly values: object
  /** Objects of other files that depend on what it deploys, as YAML. */
  readonly users: string
}

const ingress = (name: string, className: string) => `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ${name}, namespace: shop}
spec:
  ingressClassName: ${className}
  tls: [{hosts: [${name}.example.com], secretName: ${name}}]
  rules:
    - host: ${name}.example.com
      http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: shop, port: {number: 80}}}}]}
`

export const charts: readonly PublicChart[] = [
  {
    name: 'ingress-nginx',
    repository: 'kubernetes/ingress-nginx',
    folder: 'charts/ingress-nginx',
    tag: (version) => `helm-chart-${version}`,
    namespace: 'ingress-nginx',
    values: {
      controller: { replicaCount: 2, metrics: { enabled: true }, config: { 'use-forwarded-headers': 'true' } },
    },
    users: ingress('by-nginx', 'nginx'),
  },
  {
    name: 'cert-manager',
    repository: 'cert-manager/cert-manager',
    folder: 'deploy/charts/cert-manager',
    tag: (version) => `v${version}`,
    namespace: 'cert-manager',
    values: { crds: { enabled: true }, prometheus: { enabled: true } },
    users: `apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata: {name: letsencrypt}
spec: {acme: {server: https://acme.example.com, privateKeySecretRef: {name: letsencrypt}, solvers: [{http01: {ingress: {ingressClassName: nginx}}}]}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: by-nginx, namespace: shop}
spec: {secretName: by-nginx, dnsNames: [by-nginx.example.com], issuerRef: {kind: ClusterIssuer, name: letsencrypt}}
`,
  },
  {
    name: 'traefik',
    repository: 'traefik/traefik-helm-chart',
    folder: 'traefik',
    tag: (version) => `v${version}`,
    namespace: 'traefik',
    values: { deployment: { replicas: 2 }, ingressClass: { enabled: true, isDefaultClass: false } },
    users: `${ingress('by-traefik', 'traefik')}---
apiVersion: traefik.io/v1alpha1
kind: IngressRoute
metadata: {name: dashboard, namespace: traefik}
spec: {entryPoints: [websecure], routes: [{kind: Rule, match: Host(\`dashboard.example.com\`), services: [{kind: TraefikService, name: api@internal}]}]}
`,
  },
  {
    name: 'kong',
    repository: 'Kong/charts',
    folder: 'charts/kong',
    tag: (version) => `kong-${version}`,
    namespace: 'kong',
    values: { ingressController: { enabled: true }, replicaCount: 2, env: { database: 'off' } },
    users: `${ingress('by-kong', 'kong')}---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: {name: limits, namespace: shop}
plugin: rate-limiting
config: {minute: 5, policy: local}
`,
  },
  {
    name: 'metallb',
    repository: 'metallb/metallb',
    folder: 'charts/metallb',
    tag: (version) => `metallb-chart-${version}`,
    namespace: 'metallb-system',
    values: { frrk8s: { enabled: false }, speaker: { frr: { enabled: false } } },
    users: `apiVersion: metallb.io/v1beta1
kind: IPAddressPool
metadata: {name: pool, namespace: metallb-system}
spec: {addresses: [192.0.2.0/28]}
---
apiVersion: metallb.io/v1beta1
kind: L2Advertisement
metadata: {name: pool, namespace: metallb-system}
spec: {ipAddressPools: [pool]}
`,
  },
  {
    name: 'external-dns',
    repository: 'kubernetes-sigs/external-dns',
    folder: 'charts/external-dns',
    tag: (version) => `external-dns-helm-chart-${version}`,
    namespace: 'external-dns',
    values: {
      provider: { name: 'aws' },
      sources: ['ingress', 'service'],
      policy: 'sync',
      domainFilters: ['example.com'],
    },
    users: '',
  },
  {
    name: 'kube-prometheus-stack',
    repository: 'prometheus-community/helm-charts',
    folder: 'charts/kube-prometheus-stack',
    tag: (version) => `kube-prometheus-stack-${version}`,
    namespace: 'monitoring',
    values: {
      grafana: { enabled: false },
      alertmanager: { ingress: { enabled: true, ingressClassName: 'nginx', hosts: ['alerts.example.com'] } },
      prometheus: { prometheusSpec: { retention: '10d' } },
    },
    users: `apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: shop, namespace: shop}
spec: {selector: {matchLabels: {app: shop}}, endpoints: [{port: metrics}]}
`,
  },
]
