import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'

export const definitionKind = 'CustomResourceDefinition.apiextensions.k8s.io'

/** The objects of the kind that a CustomResourceDefinition defines. */
export function objectsOf({ root }: Manifest, snapshot: Snapshot): readonly Manifest[] {
  const [group, kind] = [root.at('spec', 'group').string, root.at('spec', 'names', 'kind').string]
  return group && kind ? snapshot.ofKind(`${kind}.${group}`) : []
}

/** The versions that a CustomResourceDefinition serves, and whether objects are stored in each. */
export function servedVersions({ root }: Manifest): Map<string, { readonly isStored: boolean }> {
  const versions = [...root.at('spec', 'versions').items()]
  // apiextensions.k8s.io/v1beta1 had one version in a field of its own.
  const single = versions.length === 0 ? root.at('spec', 'version').string : undefined
  if (single !== undefined) return new Map([[single, { isStored: true }]])
  return new Map(
    versions.flatMap((one) => {
      const name = one.at('name').string
      const isServed = name !== undefined && one.at('served').value !== false
      return isServed ? [[name, { isStored: one.at('storage').value === true }] as const] : []
    }),
  )
}

/** Whether a CustomResourceDefinition of the cluster serves a kind in an API version. */
export function servedByDefinition(snapshot: Snapshot, apiVersion: string, kind: string): boolean {
  const [group = '', version = ''] = apiVersion.split('/')
  return definitionsOf(snapshot, group, kind).some((definition) => servedVersions(definition).has(version))
}

/** The CustomResourceDefinitions of the cluster that define a kind. */
export function definitionsOf(snapshot: Snapshot, group: string, kind: string): readonly Manifest[] {
  return snapshot.ofKind(definitionKind).filter(({ ref, root }) => {
    // Its name ends in its group.
    if (!ref.name.endsWith(`.${group}`)) return false
    const spec = root.at('spec')
    return spec.at('group').string === group && spec.at('names', 'kind').string === kind
  })
}
