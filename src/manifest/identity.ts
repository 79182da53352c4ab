import { entryOf } from '../entry'
import type { ObjectRef } from './manifest'

/**
 * The kinds that live outside namespaces; a `metadata.namespace` written on them is ignored by the API server.
 * Sources: `kubectl api-resources --namespaced=false` of Kubernetes 1.35, and the removed PodSecurityPolicy; `scope` in
 * the CustomResourceDefinitions of the other kinds that rules compare by name.
 */
const clusterScoped: Readonly<Record<string, readonly string[]>> = {
  '': ['ComponentStatus', 'Namespace', 'Node', 'PersistentVolume'],
  'admissionregistration.k8s.io': [
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io': ['CustomResourceDefinition'],
  'apiregistration.k8s.io': ['APIService'],
  'certificates.k8s.io': ['CertificateSigningRequest', 'ClusterTrustBundle'],
  'flowcontrol.apiserver.k8s.io': ['FlowSchema', 'PriorityLevelConfiguration'],
  'networking.k8s.io': ['IngressClass', 'IPAddress', 'ServiceCIDR'],
  'node.k8s.io': ['RuntimeClass'],
  policy: ['PodSecurityPolicy'],
  'rbac.authorization.k8s.io': ['ClusterRole', 'ClusterRoleBinding'],
  'resource.k8s.io': ['DeviceClass', 'DeviceTaintRule', 'ResourceSlice'],
  'scheduling.k8s.io': ['PriorityClass'],
  'storage.k8s.io': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment', 'VolumeAttributesClass'],
  'storagemigration.k8s.io': ['StorageVersionMigration'],
  'gateway.networking.k8s.io': ['GatewayClass'],
  'cert-manager.io': ['ClusterIssuer'],
  'certmanager.k8s.io': ['ClusterIssuer'],
  'crd.projectcalico.org': ['FelixConfiguration', 'IPPool'],
  'projectcalico.org': ['FelixConfiguration', 'IPPool'],
  'external-secrets.io': ['ClusterExternalSecret', 'ClusterSecretStore'],
  'kyverno.io': ['ClusterPolicy'],
}

/**
 * The present groups of the kinds of the retired group `extensions`, so that an apiVersion migration is a change and no
 * removal. Source: https://kubernetes.io/docs/reference/using-api/deprecation-guide/
 */
const movedFromExtensions: Readonly<Record<string, string>> = {
  DaemonSet: 'apps',
  Deployment: 'apps',
  ReplicaSet: 'apps',
  Ingress: 'networking.k8s.io',
  NetworkPolicy: 'networking.k8s.io',
  PodSecurityPolicy: 'policy',
}

/** The identity of an object from the four strings a manifest gives. */
export function identify(apiVersion: string, kind: string, namespace: string, name: string): ObjectRef {
  const written = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
  const group = written === 'extensions' ? (entryOf(movedFromExtensions, kind) ?? written) : written
  return { group, kind, namespace: isClusterScoped({ group, kind }) ? '' : namespace, name }
}

/** Whether the kind of an object has no namespaces; not known of all kinds that are not of Kubernetes. */
export function isClusterScoped({ group, kind }: Pick<ObjectRef, 'group' | 'kind'>): boolean {
  return entryOf(clusterScoped, group)?.includes(kind) ?? false
}

/**
 * A config file of a program: shaped like an object, but without a name, as no API server stores it.
 * https://kubernetes.io/docs/reference/config-api/
 */
const configurations: Readonly<Record<string, string>> = {
  'kubeadm.k8s.io ClusterConfiguration': 'kubeadm',
  'kubeproxy.config.k8s.io KubeProxyConfiguration': 'kube-proxy',
  'kubeone.k8c.io KubeOneCluster': 'kubeone',
}

/** The program that a nameless document configures, used as its name; none for any other document. */
export function programConfigured(apiVersion: string, kind: string): string | undefined {
  return entryOf(configurations, `${apiVersion.split('/')[0]} ${kind}`)
}
