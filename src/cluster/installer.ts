import { entryOf } from '../entry'
import type { Cursor } from '../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../manifest/manifest'
import * as configuration from './configuration'
import { parseImage } from './image'
import { factAt, type StatedValue } from './inventory'
import { kubeProxyModeOfWorkload } from './kube-proxy'
import { workloadKinds } from './pod'
import { parseVersion } from './version'

/** Strings that the files of installers contain. */
export const installerMarks: readonly string[] = [
  'kubekey.kubesphere.io',
  'kubeadm.k8s.io',
  'kubeproxy.config.k8s.io',
  'eksctl.io/',
  'kops.k8s.io/',
  'k0sctl.k0sproject.io/',
  'kubeone.k8c.io/',
  'upgrade.cattle.io/',
  'tuppr.home-operations.com/',
  'kube-proxy',
]

type ReadSetting = (root: Cursor) => StatedValue<Cursor> | undefined

/** The settings of one kind of installer, and their places in its object. */
interface Installer {
  readonly kubernetes?: ReadSetting
  readonly kubeProxyMode?: ReadSetting
}

/**
 * Sources: https://github.com/kubesphere/kubekey/blob/v3.1.9/docs/config-example.md, where the default of proxyMode is
 * ipvs; https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/;
 * https://kubernetes.io/docs/reference/config-api/kube-proxy-config.v1alpha1/; https://schema.eksctl.io/;
 * https://github.com/kubernetes/kops/blob/master/pkg/apis/kops/v1alpha2/cluster.go and componentconfig.go;
 * https://github.com/k0sproject/k0sctl#configuration-file; https://docs.kubermatic.com/kubeone/v1.14/references/kubeone-cluster-v1beta3/;
 * https://github.com/home-operations/tuppr
 */
const installers: Readonly<Record<GroupKind, Installer>> = {
  'Cluster.kubekey.kubesphere.io': {
    kubernetes: (root) => factAt(root.at('spec', 'kubernetes', 'version')),
    kubeProxyMode: (root) => modeOf(root.at('spec', 'kubernetes')),
  },
  'ClusterConfiguration.kubeadm.k8s.io': { kubernetes: configuration.kubernetesOf },
  'KubeProxyConfiguration.kubeproxy.config.k8s.io': { kubeProxyMode: configuration.kubeProxyModeOf },
  'ClusterConfig.eksctl.io': { kubernetes: (root) => factAt(root.at('metadata', 'version')) },
  'Cluster.kops.k8s.io': {
    kubernetes: (root) => factAt(root.at('spec', 'kubernetesVersion')),
    kubeProxyMode: (root) => factAt(root.at('spec', 'kubeProxy', 'proxyMode')),
  },
  'Cluster.k0sctl.k0sproject.io': { kubernetes: (root) => known(factAt(root.at('spec', 'k0s', 'version'))) },
  'KubeOneCluster.kubeone.k8c.io': { kubernetes: (root) => known(factAt(root.at('versions', 'kubernetes'))) },
  'Plan.upgrade.cattle.io': { kubernetes: versionOfPlan },
  'KubernetesUpgrade.tuppr.home-operations.com': {
    kubernetes: (root) => known(factAt(root.at('spec', 'kubernetes', 'version'))),
  },
  ...Object.fromEntries(
    workloadKinds.map((kind) => [kind, { kubeProxyMode: (root: Cursor) => kubeProxyModeOfWorkload(root.manifest) }]),
  ),
  ConfigMap: { kubernetes: configuration.kubernetesOfConfigMap, kubeProxyMode: configuration.kubeProxyModeOfConfigMap },
}

/**
 * The version that a Plan of the system upgrade controller takes k3s or RKE2 to, or the minor release that its channel
 * follows. Other channels, such as `stable`, move. Sources: https://docs.k3s.io/upgrades/automated,
 * https://docs.rke2.io/upgrades/automated_upgrade
 */
function versionOfPlan(root: Cursor): StatedValue<Cursor> | undefined {
  const spec = root.at('spec')
  const { repository } = parseImage(spec.at('upgrade', 'image').string ?? '')
  if (!repository.endsWith('/k3s-upgrade') && !repository.endsWith('/rke2-upgrade')) return undefined
  const channel = factAt(spec.at('channel'))
  const followed = channel && known({ ...channel, value: channel.value.split('/channels/')[1] ?? '' })
  // The version is taken where both are written.
  return spec.at('version').exists ? known(factAt(spec.at('version'))) : followed
}

/** The fact, if it is a version: a variable that is not filled in says nothing of the cluster. */
function known(fact: StatedValue<Cursor> | undefined): StatedValue<Cursor> | undefined {
  return fact && parseVersion(fact.value) ? fact : undefined
}

function modeOf(kubernetes: Cursor): StatedValue<Cursor> | undefined {
  const at = kubernetes.at('proxyMode')
  return kubernetes.isMap ? { value: at.string || 'ipvs', at } : undefined
}

/** The kinds that configure an installer, or start kube-proxy. */
export const installerKinds: readonly GroupKind[] = Object.keys(installers)

/** Whether an object configures an installer. */
export function describesInstallation(manifest: Manifest): boolean {
  return Object.values(entryOf(installers, groupKindOf(manifest.ref)) ?? {}).some((read) => read(manifest.root))
}

/** The Kubernetes version that an installer among the manifests is set to install. */
export function kubernetesIn(manifests: readonly Manifest[]): StatedValue<Cursor> | undefined {
  return agreed(manifests, 'kubernetes')
}

/** The mode that kube-proxy is set to. */
export function kubeProxyModeIn(manifests: readonly Manifest[]): StatedValue<Cursor> | undefined {
  return agreed(manifests, 'kubeProxyMode')
}

/** If two installers' files of one cluster differ, it is unknown which of them was used. */
function agreed(manifests: readonly Manifest[], what: keyof Installer): StatedValue<Cursor> | undefined {
  const facts = manifests.flatMap(
    (manifest) => entryOf(installers, groupKindOf(manifest.ref))?.[what]?.(manifest.root) ?? [],
  )
  return facts.every(({ value }) => value === facts[0]?.value) ? facts[0] : undefined
}
