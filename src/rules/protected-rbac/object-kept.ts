import * as Type from 'typebox'
import type { Snapshot } from '../../cluster/snapshot'
import { outlivesPrune, pruneGuards } from '../../kubernetes/object/prune'
import { clusterObjectFacts } from '../../kubernetes/protection/cluster-object'
import { protectedObjectFacts } from '../../kubernetes/protection/protected-objects'
import { isForeign, Protect, protectionOf } from '../../kubernetes/protection/protection'
import { bindingKinds, roleKinds } from '../../kubernetes/rbac/rbac'
import { accountOf, roleRefOf, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/object-kept',
  summary: 'No protected object is removed from its cluster, and no object gets an owner that may not exist.',
  since: '1.0.0',
  scope: 'change',
  kinds: '*',
  params: Type.Object({ protect: Protect }),
  later: { lost: '1.1.0', own: '1.1.0', unguarded: '1.1.0', owned: '1.14.0' },
  until: { removed: '1.1.0' },
  messages: {
    // The API server recreates its default objects when it starts, and only then:
    // https://kubernetes.io/docs/reference/access-authn-authz/rbac/#auto-reconciliation
    removed: ({ object, protection }: { object: string; protection: string }) =>
      `This change removes ${object}, which is protected (${protection}). Restore it: a kube-apiserver recreates default objects of Kubernetes only when it starts and other objects never, and until then every request that needs it is denied.`,
    lost: ({ object, harm, restored }: { object: string; harm: string; restored: string }) =>
      `This change removes ${object}: ${harm}. Restore it; ${restored}.`,
    own: ({ object, protection }: { object: string; protection: string }) =>
      `This change removes ${object}, which \`protect\` covers (${protection}). Restore it; nothing is known to recreate it.`,
    unguarded: ({ object, mark }: { object: string; mark: string }) =>
      `This change removes \`${mark}\` from ${object}, which is protected, so a prune or an uninstall may delete it from the cluster. Restore the mark.`,
    // Source: https://kubernetes.io/docs/concepts/architecture/garbage-collection/#owners-dependents
    owned: ({ object, owner, uid }: Record<'object' | 'owner' | 'uid', string>) =>
      `This change makes ${owner} with the uid ${uid} the owner of ${object}, and the garbage collector deletes an object whose owner does not exist. No file can know the uid of an object before it is created: remove the entry from metadata.ownerReferences.`,
  },
  putBack: { owned: 'changed' },
  *partners(manifest, { protect }) {
    if (protectionOf(manifest, protect)) yield manifest.ref.name
  },
  // A copy, or a binding that gives the role.
  partnerKinds({ ref }) {
    const kind = groupKindOf(ref)
    return roleKinds.some((one) => one === kind) ? [kind, ...bindingKinds] : [kind]
  },
  check({ change, base, head, params: { protect }, report, skip }) {
    if (change.kind === 'added') return
    const { before } = change
    const object = nameOf(before.ref)
    if (change.kind === 'changed') {
      for (const { at, owner, uid } of ownersGiven(before, change.after))
        report(at, 'owned', { object, owner, uid }, { keys: [uid] })
    }
    const protection = protectionOf(before, protect)
    if (!protection) return
    if (change.kind === 'changed') {
      const kept = new Set(pruneGuards(change.after).map(({ mark }) => mark))
      for (const { mark, at } of pruneGuards(before)) {
        if (kept.has(mark)) continue
        report([change.after.root.at(...at.path), at], 'unguarded', { object, mark }, { keys: [mark] })
      }
      return
    }
    if (head.get(before.ref).length > 0) return
    const { name, namespace } = before.ref
    // A template that a script fills in: which object it makes, and whether any, no file shows.
    if (/%\w+%/.test(`${namespace}/${name}`)) {
      skip(before.root, 'a script fills in its name, so a removal of the protected object is not seen')
      return
    }
    const byMore = protectionOf(
      before,
      protect.filter((one) => !isOfPrefix(one)),
    )
    if (!byMore && goesWithItsUsers(before, base, head)) return
    report(before.root, 'removed', { object, protection })
    // An object with an annotation that keeps it is not deleted there.
    if (outlivesPrune(before)) return
    const facts = protectedObjectFacts(before.ref) ?? clusterObjectFacts(before.ref)
    if (!facts) {
      report(before.root, 'own', { object, protection })
      return
    }
    const restored = facts.restoredBy ? `only ${facts.restoredBy} recreates it` : 'nothing is known to recreate it'
    report(before.root, 'lost', { object, harm: facts.harm, restored })
  },
})

/** The owners that a change gives to an object, and that it had by no uid before. */
function ownersGiven(before: Manifest, after: Manifest): { at: Cursor; owner: string; uid: string }[] {
  const had = new Set(ownersOf(before).map((one) => one.at('uid').string))
  return ownersOf(after).flatMap((one) => {
    const at = one.at('uid')
    if (!at.string || had.has(at.string)) return []
    return [{ at, owner: `${one.at('kind').string ?? 'an object'} ${one.at('name').string ?? ''}`, uid: at.string }]
  })
}

function ownersOf({ root }: Manifest): Cursor[] {
  return [...root.at('metadata', 'ownerReferences').items()]
}

/** An entry of `protect` that is about nothing but the reserved prefix of names. */
function isOfPrefix(entry: Protect[number]): boolean {
  return typeof entry === 'string' && entry.endsWith('/system:*')
}

/**
 * Whether a role with a name of the cluster's own, which no component is known to need, is removed with its bindings and with all
 * accounts that they name: no request is left that could be denied.
 */
function goesWithItsUsers(role: Manifest, base: Snapshot, head: Snapshot): boolean {
  if (!roleKinds.some((kind) => kind === groupKindOf(role.ref)) || !isForeign(role)) return false
  if (protectedObjectFacts(role.ref)?.restoredBy) return false
  const giving = (side: Snapshot) =>
    bindingKinds
      .flatMap((kind) => side.ofKind(kind))
      .filter((binding) => {
        const given = roleRefOf(binding)?.ref
        return given && identityOf(given) === identityOf(role.ref)
      })
  const accounts = giving(base).flatMap(subjectsOf).map(accountOf)
  if (accounts.length === 0 || giving(head).length > 0) return false
  return accounts.every((account) => account && base.get(account).length > 0 && head.get(account).length === 0)
}
