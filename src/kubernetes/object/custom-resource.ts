import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'

export const definitionKind = 'CustomResourceDefinition.apiextensions.k8s.io'

/** The objects of the kind that a CustomResourceDefinition defines. */
export function objectsOf({ root }: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const [group, kind] = [root.at('spec', 'group').string, root.at('spec', 'names', 'kind').string]
  return group && kind ? snapshot.ofKind(`${kind}.${group}`) : []
}

/** Whether a CustomResourceDefinition of the cluster serves a kind in an API version. */
export function servedByDefinition(snapshot: Snapshot, apiVersion: string, kind: string): boolean {
  const [group, version] = apiVersion.split('/')
  return snapshot.ofKind(definitionKind).some(({ root }) => {
    const spec = root.at('spec')
    if (spec.at('group').string !== group || spec.at('names', 'kind').string !== kind) return false
    const versions = [...spec.at('versions').items()]
    // apiextensions.k8s.io/v1beta1 had one version in a field of its own.
    if (versions.length === 0) return spec.at('version').string === version
    return versions.some((one) => one.at('name').string === version && one.at('served').value !== false)
  })
}
