/**
 * Kinds that every API server has. In a cluster `.Capabilities.APIVersions` holds them; `helm template` knows group and
 * version alone. https://helm.sh/docs/chart_template_guide/builtin_objects/
 */
const kinds: Readonly<Record<string, string>> = {
  v1: 'ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
  'admissionregistration.k8s.io/v1': 'MutatingWebhookConfiguration ValidatingWebhookConfiguration',
  'apiextensions.k8s.io/v1': 'CustomResourceDefinition',
  'apiregistration.k8s.io/v1': 'APIService',
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'autoscaling/v1': 'HorizontalPodAutoscaler',
  'batch/v1': 'Job',
  'certificates.k8s.io/v1': 'CertificateSigningRequest',
  'coordination.k8s.io/v1': 'Lease',
  'networking.k8s.io/v1': 'Ingress IngressClass NetworkPolicy',
  'rbac.authorization.k8s.io/v1': 'ClusterRole ClusterRoleBinding Role RoleBinding',
  'scheduling.k8s.io/v1': 'PriorityClass',
  'storage.k8s.io/v1': 'CSIDriver CSINode StorageClass VolumeAttachment',
}

/** As options of `helm template`. */
export const builtInKinds: readonly string[] = Object.entries(kinds).flatMap(([version, names]) =>
  names.split(' ').flatMap((name) => ['--api-versions', `${version}/${name}`]),
)
