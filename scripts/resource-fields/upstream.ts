/** A repository with CustomResourceDefinitions, and the releases whose fields count as known. */
export interface Upstream {
  readonly repository: string
  readonly releases: readonly string[]
  /** The files, as one of them may be in each release. */
  readonly files: readonly string[]
  readonly kinds: readonly string[]
  /** Versions that are no longer served, with other fields. */
  readonly leftOut?: readonly string[]
}

const gatewayApi = (kind: string) => `config/crd/experimental/gateway.networking.k8s.io_${kind}.yaml`
const certManager = (kind: string) => [`deploy/crds/cert-manager.io_${kind}.yaml`, `deploy/crds/crd-${kind}.yaml`]
const flux = (group: string, kind: string) => `config/crd/bases/${group}.toolkit.fluxcd.io_${kind}.yaml`

/** The newest release of each, and older ones with fields that were removed since. */
export const upstreams: readonly Upstream[] = [
  {
    repository: 'cert-manager/cert-manager',
    releases: ['v1.21.1', 'v1.12.17', 'v1.5.5'],
    files: ['certificates', 'issuers', 'clusterissuers'].flatMap(certManager),
    kinds: ['Certificate', 'ClusterIssuer', 'Issuer'],
    leftOut: ['v1alpha2', 'v1alpha3', 'v1beta1'],
  },
  {
    repository: 'kubernetes-sigs/gateway-api',
    releases: ['v1.6.1', 'v1.4.1', 'v1.2.1', 'v1.0.0', 'v0.8.1', 'v0.6.2'],
    files: [
      'backendtlspolicies',
      'gatewayclasses',
      'gateways',
      'grpcroutes',
      'httproutes',
      'listenersets',
      'referencegrants',
      'tlsroutes',
    ].map(gatewayApi),
    kinds: [
      'BackendTLSPolicy',
      'GRPCRoute',
      'Gateway',
      'GatewayClass',
      'HTTPRoute',
      'ListenerSet',
      'ReferenceGrant',
      'TLSRoute',
    ],
  },
  {
    repository: 'traefik/traefik',
    releases: ['v3.7.9', 'v3.0.4', 'v2.11.53', 'v2.10.7'],
    files: ['docs/content/reference/dynamic-configuration/kubernetes-crd-definition-v1.yml'],
    kinds: ['IngressRoute', 'IngressRouteTCP', 'Middleware', 'ServersTransport', 'TLSOption', 'TLSStore'],
  },
  {
    repository: 'fluxcd/kustomize-controller',
    releases: ['v1.9.4', 'v1.3.0', 'v0.35.1', 'v0.20.2'],
    files: [flux('kustomize', 'kustomizations')],
    kinds: ['Kustomization'],
  },
  {
    repository: 'fluxcd/helm-controller',
    releases: ['v1.6.3', 'v0.37.4', 'v0.20.1'],
    files: [flux('helm', 'helmreleases')],
    kinds: ['HelmRelease'],
  },
  {
    repository: 'fluxcd/source-controller',
    releases: ['v1.9.1', 'v1.5.0', 'v0.36.1', 'v0.22.5'],
    files: ['gitrepositories', 'helmrepositories', 'ocirepositories'].map((kind) => flux('source', kind)),
    kinds: ['GitRepository', 'HelmRepository', 'OCIRepository'],
  },
  {
    repository: 'argoproj/argo-cd',
    releases: ['v3.5.1', 'v2.14.21', 'v2.8.21', 'v2.2.16'],
    files: ['manifests/crds/application-crd.yaml'],
    kinds: ['Application'],
  },
  {
    repository: 'istio/api',
    releases: ['v1.30.3', '1.20.0', '1.14.0', '1.10.0'],
    files: ['kubernetes/customresourcedefinitions.gen.yaml'],
    kinds: ['DestinationRule', 'Gateway', 'VirtualService'],
  },
]
