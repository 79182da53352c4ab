import { parseVersion } from '../../cluster/version'
import { betasOf } from '../../kubernetes/versions/api-facts'

/**
 * The stable APIs of Kubernetes, and the minor version of 1 since which there is each that is younger than 1.16.
 * https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
const stable: Readonly<Record<string, string>> = {
  v1: 'Binding ComponentStatus ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  'admissionregistration.k8s.io/v1':
    'MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy:30 ValidatingAdmissionPolicyBinding:30',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'authentication.k8s.io/v1': 'TokenReview SelfSubjectReview:28',
  'authorization.k8s.io/v1':
    'LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'autoscaling/v2': 'HorizontalPodAutoscaler:23',
  'batch/v1': 'Job CronJob:21',
  'certificates.k8s.io/v1': 'CertificateSigningRequest:19',
  'coordination.k8s.io/v1': 'Lease',
  'discovery.k8s.io/v1': 'EndpointSlice:21',
  'events.k8s.io/v1': 'Event:19',
  'flowcontrol.apiserver.k8s.io/v1': 'FlowSchema:29 PriorityLevelConfiguration:29',
  'networking.k8s.io/v1': 'NetworkPolicy Ingress:19 IngressClass:19 IPAddress:33 ServiceCIDR:33',
  'node.k8s.io/v1': 'RuntimeClass:20',
  'policy/v1': 'PodDisruptionBudget:21',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding Role RoleBinding',
  'resource.k8s.io/v1': 'DeviceClass:34 ResourceClaim:34 ResourceClaimTemplate:34 ResourceSlice:34',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'storage.k8s.io/v1':
    'CSIDriver:18 CSINode:17 CSIStorageCapacity:24 StorageClass VolumeAttachment VolumeAttributesClass:34',
}

/** Extensions that many clusters have. */
const common: Readonly<Record<string, string>> = {
  'acme.cert-manager.io/v1': 'Challenge Order',
  'argoproj.io/v1alpha1': 'Application ApplicationSet AppProject Rollout Workflow',
  'cert-manager.io/v1': 'Certificate CertificateRequest ClusterIssuer Issuer',
  'cilium.io/v2': 'CiliumClusterwideNetworkPolicy CiliumNetworkPolicy',
  'crd.projectcalico.org/v1': 'GlobalNetworkPolicy NetworkPolicy',
  'custom.metrics.k8s.io/v1beta1': 'MetricValueList',
  'external-secrets.io/v1': 'ClusterSecretStore ExternalSecret SecretStore',
  'external-secrets.io/v1beta1': 'ClusterSecretStore ExternalSecret SecretStore',
  'external.metrics.k8s.io/v1beta1': 'ExternalMetricValueList',
  'gateway.networking.k8s.io/v1': 'Gateway GatewayClass GRPCRoute HTTPRoute',
  'gateway.networking.k8s.io/v1beta1': 'Gateway GatewayClass HTTPRoute ReferenceGrant',
  'helm.toolkit.fluxcd.io/v2': 'HelmRelease',
  'karpenter.sh/v1': 'NodeClaim NodePool',
  'keda.sh/v1alpha1': 'ScaledJob ScaledObject TriggerAuthentication',
  'kustomize.toolkit.fluxcd.io/v1': 'Kustomization',
  'kyverno.io/v1': 'ClusterPolicy Policy',
  'metrics.k8s.io/v1beta1': 'NodeMetrics PodMetrics',
  'monitoring.coreos.com/v1': 'Alertmanager PodMonitor Probe Prometheus PrometheusRule ServiceMonitor ThanosRuler',
  'monitoring.coreos.com/v1alpha1': 'AlertmanagerConfig ScrapeConfig',
  'networking.istio.io/v1': 'DestinationRule Gateway ServiceEntry VirtualService',
  'networking.istio.io/v1beta1': 'DestinationRule Gateway ServiceEntry VirtualService',
  'operators.coreos.com/v1alpha1': 'ClusterServiceVersion Subscription',
  'route.openshift.io/v1': 'Route',
  'security.openshift.io/v1': 'SecurityContextConstraints',
  'config.openshift.io/v1': 'ClusterVersion Infrastructure',
  'security.istio.io/v1': 'AuthorizationPolicy PeerAuthentication',
  'snapshot.storage.k8s.io/v1': 'VolumeSnapshot VolumeSnapshotClass VolumeSnapshotContent',
  'traefik.io/v1alpha1': 'IngressRoute Middleware TLSOption',
  'autoscaling.k8s.io/v1': 'VerticalPodAutoscaler',
  'linkerd.io/v1alpha2': 'ServiceProfile',
  'eks.amazonaws.com/v1': 'NodeClass',
  'vpcresources.k8s.aws/v1beta1': 'SecurityGroupPolicy',
  'networking.gke.io/v1': 'ManagedCertificate',
  'cloud.google.com/v1': 'BackendConfig',
  'helm.cattle.io/v1': 'HelmChart HelmChartConfig',
  'k3s.cattle.io/v1': 'Addon ETCDSnapshotFile',
}

/** The APIs of extensions that many clusters have, each with its kind. */
export const extensions: readonly string[] = Object.entries(common).flatMap(([api, kinds]) =>
  kinds.split(' ').map((kind) => `${api}/${kind}`),
)

/** Kinds of Kubernetes by their API, in any version. */
export const stableKinds: readonly string[] = Object.entries(stable).flatMap(([api, kinds]) =>
  kinds.split(' ').map((kind) => `${api}/${kind.split(':', 1)[0]}`),
)

const groups = new Set([
  ...Object.keys(stable).map(groupOf),
  ...['extensions', 'internal.apiserver.k8s.io', 'storagemigration.k8s.io'],
])

/** Whether an API belongs to Kubernetes itself, unlike `metrics.k8s.io`. */
export function isOfKubernetes(api: string): boolean {
  return groups.has(groupOf(api))
}

/** The group of `apps/v1` and of `apps/v1/Deployment`; none of `v1` and `v1/Pod`. */
export function groupOf(api: string): string {
  return /^v\d/.test(api) ? '' : (api.split('/', 1)[0] ?? '')
}

/** The APIs that a release of Kubernetes serves, each with its kind: all stable ones, or also beta ones. */
export function apisOf(version: string, withBetas: boolean): string[] {
  const parsed = parseVersion(version)
  const minor = parsed?.minor ?? 0
  const served = Object.entries(stable).flatMap(([api, kinds]) =>
    kinds.split(' ').flatMap((entry) => {
      const [kind, since = '0'] = entry.split(':')
      return Number(since) <= minor ? [`${api}/${kind}`] : []
    }),
  )
  return [...served, ...(withBetas && parsed ? betasOf(parsed) : [])]
}
