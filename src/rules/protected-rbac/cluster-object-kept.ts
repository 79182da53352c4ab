import { workloadKinds } from '../../cluster/pod'
import { unmetByNodes } from '../../cluster/scheduling'
import { apiServiceKind, lostApi, needsOfApi } from '../../kubernetes/object/api-service'
import { definitionKind, objectsOf } from '../../kubernetes/object/custom-resource'
import { heldBy } from '../../kubernetes/object/namespace'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { schemaLossesOf } from '../../kubernetes/object/schema-loss'
import { defaultClassMark, isDefaultStorageClass, storageClassKind } from '../../kubernetes/object/storage-class'
import { clusterObjectFacts } from '../../kubernetes/protection/cluster-object'
import { lostInCorefile } from '../../kubernetes/protection/corefile-change'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Loss = { object: string; left: string }

export default defineRule({
  id: 'protected-rbac/cluster-object-kept',
  summary: 'No object that the cluster itself needs is removed, nor one whose removal deletes other objects.',
  since: '1.1.0',
  scope: 'removal',
  yieldsTo: ['protected-rbac/object-kept'],
  kinds: '*',
  messages: {
    removed: ({ object, harm, restored }: { object: string; harm: string; restored: string }) =>
      `This change removes ${object}: ${harm}. Restore it; ${restored}.`,
    // Source:
    // https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#delete-a-customresourcedefinition
    definition: ({ object, left }: Loss) =>
      `This change removes ${object}, and the API server then deletes every object of that kind in every namespace: ${left}. Restore it, or first remove these objects in a separate change.`,
    // Source: https://kubernetes.io/docs/tasks/administer-cluster/namespaces/#deleting-a-namespace
    namespace: ({ object, left }: Loss) =>
      `This change removes ${object}, and the API server then deletes everything in it: ${left}. Restore it, or first remove these objects in a separate change.`,
    apiService: ({ object, api, left }: Loss & { api: string }) =>
      `This change removes ${object}, so the API ${api} is no longer served, ${left}. Restore it, or also remove the server and the users of that API.`,
    storageClass: ({ object }: { object: string }) =>
      `This change removes ${object}, the default StorageClass, and no other one is marked as default, so claims without a class stay pending. Restore it, or mark another one with ${defaultClassMark}: "true".`,
    unmarked: ({ object }: { object: string }) =>
      `${object} is no longer the default StorageClass, and no other one is marked as default, so claims without a class stay pending. Mark it or another one with ${defaultClassMark}: "true".`,
    stopped: ({ object, harm }: { object: string; harm: string }) =>
      `This change scales ${object} to 0 replicas: ${harm}. Restore the number of replicas.`,
    emptied: ({ object, harm }: { object: string; harm: string }) =>
      `This change empties the data of ${object}: ${harm}. Restore its data.`,
    unreadable: ({ object, harm, fault }: { object: string; harm: string; fault: string }) =>
      `CoreDNS cannot start with the Corefile of ${object}, because ${fault}: ${harm}. Fix it, and try it with \`coredns -conf\` first.`,
    gutted: ({ object, harm, lack }: { object: string; harm: string; lack: string }) =>
      `The Corefile of ${object} has ${lack} after this change: ${harm}. Restore what was removed.`,
    unschedulable: ({ object, harm, what }: { object: string; harm: string; what: string }) =>
      `After this change ${object} asks for nodes with ${what}, and no node of this cluster's description has that: ${harm}. Restore its nodeSelector and affinity.`,
    // Source:
    // https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#field-pruning
    pruned: ({ object, version, left }: Record<'object' | 'version' | 'left', string>) =>
      `After this change the schema of ${object} for ${version} admits ${left}, so the API server drops what its objects have there, those that exist too. Restore the schema.`,
  },
  later: { pruned: '1.16.0', unreadable: '1.2.0', gutted: '1.2.0', unschedulable: '1.2.0' },
  putBack: {
    emptied: 'changed',
    gutted: 'changed',
    pruned: 'changed',
    stopped: 'changed',
    unmarked: 'changed',
    unschedulable: 'changed',
  },
  *partners(manifest, _, isGone) {
    const { ref } = manifest
    const kind = groupKindOf(ref)
    if (kind === storageClassKind && isDefaultStorageClass(manifest)) yield* [ref.name, 'is-default-class']
    // A copy of it.
    if (clusterObjectFacts(ref)) yield ref.name
    if (!isGone) return
    if (ref.kind === 'Namespace') yield ref.name
    if (kind === definitionKind) {
      yield ref.name
      yield `${manifest.root.at('spec', 'group').string}/`
    }
    if (kind === apiServiceKind) yield* [ref.name, ...needsOfApi(manifest)]
  },
  partnerKinds({ ref }) {
    const kind = groupKindOf(ref)
    return ref.kind === 'Namespace' || [definitionKind, apiServiceKind].includes(kind) ? undefined : [kind]
  },
  check({ removed, base, head, report }) {
    if (outlivesPrune(removed)) return
    const object = nameOf(removed.ref)
    const facts = clusterObjectFacts(removed.ref)
    const kind = groupKindOf(removed.ref)
    const ends = (left: readonly Manifest[]) => [removed.root, ...left.slice(0, 1).map(({ root }) => root)]
    if (facts) {
      const restored = facts.restoredBy ? `only ${facts.restoredBy} recreates it` : 'nothing recreates it'
      report(removed.root, 'removed', { object, harm: facts.harm, restored })
    } else if (kind === definitionKind) {
      const left = objectsOf(removed, head)
      if (left.length > 0) report(ends(left), 'definition', { object, left: named(left) })
    } else if (kind === 'Namespace') {
      const namespace = removed.ref.name
      const left = heldBy(namespace, head)
      // The namespace of an Application may differ from the one it installs into.
      const words = named(
        left,
        ({ ref }) => `${ref.namespace === namespace ? '' : 'the objects installed by '}${nameOf(ref)}`,
      )
      if (left.length > 0) report(ends(left), 'namespace', { object, left: words })
    } else if (kind === apiServiceKind) {
      const lost = lostApi(removed, base, head)
      if (!lost) return
      const left = lost.users.length > 0 ? `which ${named(lost.users)} needs` : 'and every request to it fails'
      report(ends(lost.users), 'apiService', { object, api: lost.api, left })
    } else if (kind === storageClassKind && isDefaultStorageClass(removed)) {
      if (!head.ofKind(storageClassKind).some(isDefaultStorageClass)) report(removed.root, 'storageClass', { object })
    }
  },
  checkChange({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const object = nameOf(after.ref)
    const harm = clusterObjectFacts(after.ref)?.harm
    const lost = harm ? lostInCorefile(change.kind === 'changed' ? change.before : undefined, after) : undefined
    if (harm && lost?.fault) report(lost.at, 'unreadable', { object, harm, fault: lost.fault })
    if (harm && lost?.lack) report(lost.at, 'gutted', { object, harm, lack: lost.lack }, { keys: [lost.lack] })
    if (change.kind === 'added') return
    const { before } = change
    if (groupKindOf(after.ref) === definitionKind) {
      for (const { at, before: was, version, left } of schemaLossesOf(before, after))
        report([at, was], 'pruned', { object, version, left }, { keys: [version, left] })
      return
    }
    const unmet = harm && workloadKinds.includes(groupKindOf(after.ref)) && unmetByNodes(after, head.facts.nodes)
    if (unmet && !unmetByNodes(before, base.facts.nodes)) {
      const what = unmet.string === undefined ? 'other labels' : `${unmet.path.at(-1)}: ${unmet.string}`
      report([unmet, before.root], 'unschedulable', { object, harm, what }, { keys: [what] })
    }
    const [had, has] = [before, after].map(({ root }) => root.at('spec', 'replicas')) as [Cursor, Cursor]
    if (harm && has.value === 0 && had.value !== 0) report([has, had], 'stopped', { object, harm })
    if (harm && after.ref.kind === 'ConfigMap' && holdsData(before) && !holdsData(after))
      report([after.root.at('data'), before.root], 'emptied', { object, harm })
    if (groupKindOf(after.ref) !== storageClassKind || !isDefaultStorageClass(before)) return
    if (!head.isWhole || head.ofKind(storageClassKind).some(isDefaultStorageClass)) return
    report([after.root.at('metadata', 'annotations', defaultClassMark), before.root], 'unmarked', { object })
  },
})

function holdsData({ root }: Manifest): boolean {
  return [...root.at('data').entries(), ...root.at('binaryData').entries()].length > 0
}

function named(left: readonly Manifest[], call = ({ ref }: Manifest) => nameOf(ref)): string {
  return abridged(left.map(call))
}
