import { ClusterFacts } from '../cluster/cluster-facts'
import { type Declarations, mapClusters } from '../cluster/clusters'
import { releaseIn } from '../kubernetes/versions/matrix'
import type { Source } from '../sources/source'
import type { Descriptions } from './descriptions'

/**
 * Sets the Kubernetes version of releases to that of their cluster's description, as helm reads it from the cluster at
 * installation: charts ask for it. A version at the release itself takes precedence.
 */
export function withKubeVersion({ manifests }: Descriptions, declarations: Declarations): (source: Source) => Source {
  const map = mapClusters(declarations, [])
  const versions = new Map<string, string | undefined>()
  const versionOf = (cluster: string) => {
    if (!versions.has(cluster)) {
      const own = manifests.filter(({ clusters }) => clusters.includes(cluster))
      const version = new ClusterFacts(own, []).kubernetes?.value
      // With a vendor's suffix, v1.30.4-eks-a737599, helm 3 fails charts that require >=1.25.0.
      versions.set(cluster, version && releaseIn(version))
    }
    return versions.get(cluster)
  }
  return (source) => {
    if (manifests.length === 0 || source.kind !== 'helm' || source.kubeVersion) return source
    const { target } = source
    const clusters = 'cluster' in target ? [target.cluster] : map.of(target.path).clusters
    // A source deployed to clusters with different versions is rendered for none of them.
    const [kubeVersion, ...others] = new Set(clusters.map(versionOf))
    return kubeVersion && others.length === 0 ? { ...source, kubeVersion } : source
  }
}
