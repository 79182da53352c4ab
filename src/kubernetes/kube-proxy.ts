import { parseDocument } from 'yaml'
import type { Fact, Tree } from './inventory'

/** The modes that kube-proxy has on Linux; unsaid it is iptables. */
const defaultMode = 'iptables'

/**
 * The mode that kube-proxy's ConfigMap sets, in the file it holds; kubeadm calls the file `config.conf`.
 * Source: https://kubernetes.io/docs/reference/config-api/kube-proxy-config.v1alpha1/
 */
export function kubeProxyModeIn<T extends Tree<T>>(configMap: T): Fact<T> | undefined {
  for (const [, at] of configMap.at('data').entries()) {
    const config = at.string?.includes('KubeProxyConfiguration') ? parseDocument(at.string) : undefined
    if (!config || config.errors.length > 0 || config.get('kind') !== 'KubeProxyConfiguration') continue
    const mode = config.get('mode')
    return { value: typeof mode === 'string' && mode !== '' ? mode : defaultMode, at }
  }
  return undefined
}

/** The mode of a KubeProxyConfiguration that stands by itself. */
export function kubeProxyModeOf<T extends Tree<T>>(configuration: T): Fact<T> {
  const at = configuration.at('mode')
  return { value: at.string || defaultMode, at }
}
