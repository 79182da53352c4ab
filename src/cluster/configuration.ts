import { parseDocument } from 'yaml'
import { factAt, type StatedValue, type ValueTree } from './inventory'

/** The modes that kube-proxy has on Linux; unsaid it is iptables. */
const defaultMode = 'iptables'

/** None if the image is named by a digest alone, or not at all. */
export function kubeProxyModeOfConfigMap<T extends ValueTree<T>>(configMap: T): StatedValue<T> | undefined {
  return valueIn(configMap, 'KubeProxyConfiguration', 'mode', defaultMode)
}

/** The mode of a separate KubeProxyConfiguration. */
export function kubeProxyModeOf<T extends ValueTree<T>>(configuration: T): StatedValue<T> {
  const at = configuration.at('mode')
  return { value: at.string || defaultMode, at }
}

/**
 * The version to which kubeadm last upgraded a control plane, from its ConfigMap `kubeadm-config`.
 * Source: https://kubernetes.io/docs/reference/config-api/kubeadm-config.v1beta4/
 */
export function kubernetesOfConfigMap<T extends ValueTree<T>>(configMap: T): StatedValue<T> | undefined {
  return valueIn(configMap, 'ClusterConfiguration', 'kubernetesVersion')
}

/** The version of a separate ClusterConfiguration. */
export function kubernetesOf<T extends ValueTree<T>>(configuration: T): StatedValue<T> | undefined {
  return factAt(configuration.at('kubernetesVersion'))
}

/** A value of a file in a ConfigMap, placed at the file. */
function valueIn<T extends ValueTree<T>>(
  configMap: T,
  kind: string,
  key: string,
  unsaid?: string,
): StatedValue<T> | undefined {
  for (const [, at] of configMap.at('data').entries()) {
    const file = at.string?.includes(kind) ? parseDocument(at.string) : undefined
    if (!file || file.errors.length > 0 || file.get('kind') !== kind) continue
    const written = file.get(key)
    const value = typeof written === 'string' && written !== '' ? written : unsaid
    return value === undefined ? undefined : { value, at }
  }
  return undefined
}
