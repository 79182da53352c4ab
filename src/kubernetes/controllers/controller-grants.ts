import type { Snapshot } from '../../cluster/snapshot'
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
}

/**
 * Reads the permissions of a controller's account; undefined if the snapshot does not show them: no binding names the
 * account, or a binding's role is missing or aggregated.
 *
 * @param before the side before a change: permissions that it had and that are gone do not count
 */
export function grantsOf(
  { serviceAccount: { namespace, name } }: Controller,
  snapshot: Snapshot,
  before?: Snapshot,
): Grants | undefined {
  const account = serviceAccount(namespace, name)
  const bindings = bindingKinds.flatMap((kind) => snapshot.ofKind(kind)).filter((binding) => binds(binding, account))
  if (bindings.length === 0 && !before) return undefined
  const roles: Manifest[] = []
  for (const named of bindings.map(roleRefOf)) {
    const [role] = named ? snapshot.get(named.ref) : []
    if (role && !aggregationOf(role)) roles.push(role)
    else if (role || !named || !before?.get(named.ref).length) return undefined
  }
  return { account, permissions: permissionsOfSubject(account, snapshot), roles: [...new Set(roles)] }
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
  if (roleKinds.some((one) => one === kind)) yield* marksOfControllers
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
