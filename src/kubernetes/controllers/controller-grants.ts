import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { isDefaultRole } from '../rbac/bootstrap-rbac'
import { bindingKinds, type Permissions, roleKinds } from '../rbac/rbac'
import { permissionsOfSubject, roleRefOf, type Subject, serviceAccount, subjectsOf } from '../rbac/rbac-binding'
import { aggregationOf } from '../rbac/rbac-role'
import { type Controller, controllersOf, marksOfControllers } from './controller'

/** The permissions of a controller's account. */
export interface Grants {
  readonly account: Subject
  readonly permissions: readonly Permissions[]
  /** The roles it is bound to. */
  readonly roles: readonly Manifest[]
  /** Where a change makes it unknown what the account has: it counts as what the manifests show. */
  readonly assumed: readonly Cursor[]
}

/**
 * Reads the permissions of a controller's account; undefined if the snapshot does not show them: no binding names the
 * account, or a binding's role is missing or aggregated.
 *
 * @param before the side before a change, if it shows them: what is unknown only after the change gives nothing, as a
 * binding to a role that is nowhere would hide what the change takes away
 */
export function grantsOf(
  { serviceAccount: { namespace, name } }: Controller,
  snapshot: Snapshot,
  before?: Snapshot,
): Grants | undefined {
  const account = serviceAccount(namespace, name)
  const bindings = bindingKinds.flatMap((kind) => snapshot.ofKind(kind)).filter((binding) => binds(binding, account))
  if (bindings.length === 0 && !before) return undefined
  const roles = new Set<Manifest>()
  const assumed: Cursor[] = []
  for (const binding of bindings) {
    const named = roleRefOf(binding)
    const [role] = named ? snapshot.get(named.ref) : []
    if (role) roles.add(role)
    const unknown = role ? aggregationOf(role) && role.root.at('aggregationRule') : binding.root.at('roleRef')
    if (!unknown) continue
    if (!before) return undefined
    // Of a role that the change removes, the other side shows what is gone.
    if (role || !named || before.get(named.ref).length === 0) assumed.push(unknown)
  }
  return { account, permissions: permissionsOfSubject(account, snapshot), roles: [...roles], assumed }
}

/** Whether a binding names an account directly. */
export function binds(binding: Manifest, account: Subject): boolean {
  return subjectsOf(binding).some(({ kind, name }) => kind === account.kind && name === account.name)
}

/**
 * Strings that lead from a controller to the bindings of its account and on to their roles. A touched role or binding
 * leads to the controllers alone: most belong to no controller, and their names (`admin`) may occur anywhere.
 */
export function* marksOfGrants(manifest: Manifest): Iterable<string> {
  const kind = groupKindOf(manifest.ref)
  if (roleKinds.some((one) => one === kind)) {
    yield* marksOfControllers
    for (const selector of aggregationOf(manifest) ?? []) yield* marksOfSelector(selector)
  }
  if (bindingKinds.some((one) => one === kind)) {
    if (!subjectsOf(manifest).some(({ name }) => name.startsWith('system:serviceaccount'))) return
    yield* marksOfControllers
    const role = roleRefOf(manifest)?.ref
    if (role && !isDefaultRole(role)) yield role.name
  }
  // An account without a specific name matches everywhere.
  for (const { serviceAccount } of controllersOf(manifest)) {
    if (serviceAccount.name !== 'default') yield serviceAccount.name
  }
}

/** The labels of the roles whose rules an aggregated role gathers. */
function* marksOfSelector(selector: Cursor): Iterable<string> {
  for (const [label] of selector.at('matchLabels').entries()) yield label
  for (const { string } of [...selector.at('matchExpressions').items()].map((one) => one.at('key')))
    if (string) yield string
}
