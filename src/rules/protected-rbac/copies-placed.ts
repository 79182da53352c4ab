import type { Snapshot } from '../../cluster/snapshot'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/copies-placed',
  summary: 'An object in the folder of a namespace is not that of another namespace, which has it in its own folder.',
  since: '1.19.0',
  scope: 'snapshot',
  kinds: [
    'Role.rbac.authorization.k8s.io',
    'RoleBinding.rbac.authorization.k8s.io',
    'ServiceAccount',
    'Service',
    'NetworkPolicy.networking.k8s.io',
    'Certificate.cert-manager.io',
    'Issuer.cert-manager.io',
    ...backendKinds,
  ],
  reads: ['Namespace'],
  direct: true,
  messages: {
    // Source: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#metadata: one
    // object of a kind, a namespace and a name
    copied: ({ object, path, here, other, there }: Record<'object' | 'path' | 'here' | 'other' | 'there', string>) =>
      `${object} is written in ${path}, among the objects of the namespace ${here}, and in ${other}, among those of its own namespace ${there}. The one that is applied last replaces the other, and ${here} gets none. Write the namespace ${here} and a name of its own.`,
  },
  *partners({ ref, origin }) {
    yield ref.name
    yield* foldersOf(origin.path).filter((one) => one.includes('-') && one !== ref.namespace)
  },
  partnerKinds: ({ ref }) => [groupKindOf(ref), 'Namespace'],
  check({ manifest, snapshot, report }) {
    const { ref, root, origin, assumption } = manifest
    const named = root.at('metadata', 'namespace')
    if (assumption || origin.kind !== 'file' || !named.string || isPlaceholder(named.string) || isPlaceholder(ref.name))
      return
    for (const other of snapshot.get(ref)) {
      const here = other.origin.kind === 'file' && !other.assumption ? folderBeside(manifest, other) : undefined
      if (here === undefined || !isNamespaceOf(here, manifest, snapshot)) continue
      const args = { object: nameOf(ref), path: origin.path, here, other: other.origin.path, there: ref.namespace }
      report([named, other.root.at('metadata', 'namespace')], 'copied', args, { keys: [here] })
      return
    }
  },
})

function foldersOf(path: string): string[] {
  return path.split('/').slice(0, -1)
}

/** The folder of an object, where its copy is in the same one of the folder that is called like the namespace of both. */
function folderBeside({ ref, origin }: Manifest, other: Manifest): string | undefined {
  const [own, its] = [foldersOf(origin.path), foldersOf(other.origin.path)]
  if (own.length !== its.length) return undefined
  const [apart, ...more] = own.flatMap((folder, index) => (folder === its[index] ? [] : [index]))
  return apart !== undefined && more.length === 0 && its[apart] === ref.namespace ? own[apart] : undefined
}

/** Whether a folder is that of a namespace: its Namespace is there, or an object of it in the same file. */
function isNamespaceOf(folder: string, { origin }: Manifest, snapshot: Snapshot): boolean {
  if (snapshot.get({ group: '', kind: 'Namespace', namespace: '', name: folder }).length > 0) return true
  return snapshot.inNamespace(folder).some((one) => one.ref.namespace === folder && one.origin.path === origin.path)
}
