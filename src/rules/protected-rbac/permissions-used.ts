import { parseImage, releaseOf } from '../../cluster/image'
import { lastingKinds, podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { usersOfAccounts } from '../../kubernetes/object/account-users'
import { any, bindingKinds, type Permissions, permissionsIn, roleKinds, uncovered } from '../../kubernetes/rbac/rbac'
import { accountOf, permissionsOfSubject, roleRefOf, subjectsOf } from '../../kubernetes/rbac/rbac-binding'
import { aggregationOf } from '../../kubernetes/rbac/rbac-role'
import { firstFew } from '../../kubernetes/rbac/rbac-words'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { allowing } from '../../rule/allowing'
import { defineRule } from '../../rule/rule'

type Taken = Record<'role' | 'resources' | 'workload' | 'image', string>

export default defineRule({
  id: 'protected-rbac/permissions-used',
  summary: 'A workload that a change leaves as it is keeps its access to each resource.',
  since: '1.19.0',
  scope: 'change',
  kinds: roleKinds,
  reads: [...bindingKinds, ...lastingKinds],
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/
    taken: ({ role, resources, workload, image }: Taken) =>
      `${role} no longer allows any request for ${resources}, which ${workload} could make before, and its program is the same as before (${image}). If it still makes such requests, the API server denies them. Put them back, or check in the documentation of this version that it needs none.`,
  },
  *partners(manifest) {
    const roleRef = roleRefOf(manifest)
    yield roleRef ? roleRef.ref.name : manifest.ref.name
    for (const { name } of subjectsOf(manifest)) yield* name.split(':').slice(3)
  },
  partnerKinds({ ref }) {
    if (ref.kind.endsWith('Binding')) return [...roleKinds, ...lastingKinds]
    return ref.kind.endsWith('Role') ? bindingKinds : []
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    if (aggregationOf(before) || aggregationOf(after)) return
    const rules = after.root.at('rules')
    const lost = uncovered(permissionsIn(rules), permissionsIn(before.root.at('rules')))
    if (lost.length === 0) return
    for (const binding of bindingsOf(after, base, head)) {
      for (const subject of subjectsOf(binding)) {
        const account = accountOf(subject)
        if (!account) continue
        const workload = usersOfAccounts(head)
          .get(account.name)
          ?.find((one) => one.ref.namespace === account.namespace && isAsBefore(one, base))
        if (!workload) continue
        const denied = withoutAccess(lost, permissionsOfSubject(subject, head))
        const [first] = denied
        if (!first) continue
        const keys = [...new Set(denied.flatMap(({ resource }) => [...resource]))].sort()
        const { fix, gap } = allowing(rules, denied)
        const args = { role: nameOf(after.ref), resources: firstFew(keys, 3), workload: nameOf(workload.ref) }
        const ends = [gap ?? rules, first.at ?? before.root, podOf(workload).at('spec')]
        report(ends, 'taken', { ...args, image: imagesOf(workload).join(', ') }, { keys, fix })
        return
      }
    }
  },
})

/** The bindings that give a role on both sides. */
function bindingsOf(role: Manifest, base: Snapshot, head: Snapshot): Manifest[] {
  const names = (binding: Manifest) => {
    const named = roleRefOf(binding)
    return named !== undefined && identityOf(named.ref) === identityOf(role.ref)
  }
  return bindingKinds
    .flatMap((kind) => head.ofKind(kind))
    .filter((binding) => names(binding) && base.get(binding.ref).some(names))
}

/**
 * Whether a workload runs the same release with the same settings on both sides. The needs of known controllers are facts,
 * so another rule judges them; a tag such as `latest` may hold another program every day.
 */
function isAsBefore(workload: Manifest, base: Snapshot): boolean {
  if (!lastingKinds.includes(groupKindOf(workload.ref)) || controllersOf(workload).length > 0) return false
  const images = imagesOf(workload)
  if (images.length === 0 || !images.every((image) => releaseOf(parseImage(image)) !== undefined)) return false
  const [before] = base.get(workload.ref)
  return before !== undefined && programOf(before) === programOf(workload)
}

function imagesOf(workload: Manifest): string[] {
  return [...podOf(workload).at('spec', 'containers').items()].flatMap(
    (container) => container.at('image').string ?? [],
  )
}

function programOf(workload: Manifest): string {
  const spec = podOf(workload).at('spec')
  return JSON.stringify([spec.at('containers').value, spec.at('initContainers').value])
}

/**
 * What is lost of resources to which no access is left. Resources behind a wildcard are nothing that anyone has asked for by
 * name, and a resource that is still allowed in another API group has moved there.
 */
function withoutAccess(lost: readonly Permissions[], left: readonly Permissions[]): Permissions[] {
  const known = new Set(left.flatMap(({ resource }) => [...resource]))
  if (known.has(any)) return []
  return lost.flatMap((one) => {
    const resource = new Set([...one.resource].filter((name) => name !== any && !known.has(name)))
    return resource.size === 0 || one.group.has(any) || !one.url.has('') ? [] : [{ ...one, resource }]
  })
}
