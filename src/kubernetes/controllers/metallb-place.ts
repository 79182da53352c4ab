import { podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isOwnCluster, readApplication } from '../../gitops/application'
import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'

/** What installs MetalLB, and the namespace it runs in. */
export interface MetalPlace {
  readonly by: Manifest
  readonly namespace: string
}

/**
 * Where MetalLB runs by the manifests of a cluster: it reads its configuration in its own namespace alone. None if one of
 * the namespaces is unknown, or if an operator makes it. Source:
 * https://github.com/metallb/metallb/blob/v0.16.1/internal/k8s/k8s.go, New
 */
export function metalPlaces(snapshot: Snapshot): readonly MetalPlace[] {
  const places = [
    ...snapshot.ofKind(gitOpsKind.helmRelease).flatMap(ofHelmRelease),
    ...snapshot.ofKind(gitOpsKind.application).flatMap(ofApplication),
    ...workloadKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(ofWorkload),
  ]
  const isKnown = places.every(({ namespace }) => namespace !== '' && !isPlaceholder(namespace))
  return isKnown && snapshot.ofKind('MetalLB.metallb.io').length === 0 ? places : []
}

function ofHelmRelease(by: Manifest): MetalPlace[] {
  const { chart, kubeConfig, targetNamespace } = readHelmRelease(by.root)
  if (chart.chart.string !== 'metallb' || kubeConfig.exists) return []
  return [{ by, namespace: targetNamespace.exists ? (targetNamespace.string ?? '') : by.ref.namespace }]
}

function ofApplication(by: Manifest): MetalPlace[] {
  const { sources, destination } = readApplication(by.root)
  if (!isOwnCluster(destination.cluster) || !sources.some(({ chart }) => chart.string === 'metallb')) return []
  return [{ by, namespace: destination.namespace.string ?? '' }]
}

/** A workload of MetalLB; one that is made to read another namespace has an unknown one. */
function ofWorkload(by: Manifest): MetalPlace[] {
  return [...podOf(by).at('spec', 'containers').items()].flatMap((container) => {
    if (!/(?:^|\/)metallb[/-](?:controller|speaker)(?:[:@]|$)/.test(container.at('image').string ?? '')) return []
    const isNamed = [...container.at('args').items()].some(({ string }) => /^--?namespace\b/.test(string ?? ''))
    const isSet = [...container.at('env').items()].some(
      (one) => one.at('name').string === 'METALLB_NAMESPACE' && one.at('value').exists,
    )
    return [{ by, namespace: isNamed || isSet ? '' : by.ref.namespace }]
  })
}
