import { satisfies } from 'semver'
import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest, ObjectRef } from '../../manifest/manifest'
import { binds } from '../controllers/controller-grants'
import { any, type Permissions, permissionsIn, permissionsOf, rbacGroup } from '../rbac/rbac'
import { roleRefOf, serviceAccount } from '../rbac/rbac-binding'
import type { Component } from './component'
import { settingOf } from './detect-setting'
import { crdNeeds, type RoleNeeds, roleNeeds } from './permission-facts'

/** The permissions of a component's part by release, and the name of its role in its own manifests. */
export interface Needs {
  readonly clusterRole: string
  /** The ServiceAccount that has to be allowed them, where it is not the workload's. */
  readonly account: string | undefined
  readonly permissions: readonly Permissions[]
}

/** The permissions that a release of a component needs; none if its release is unknown. */
export function componentNeeds(component: Component, snapshot: Snapshot): Needs[] {
  return roleNeeds
    .filter((row) => component.container && isOn(row, component, snapshot))
    .map(({ clusterRole, account, needs }) => ({
      clusterRole,
      account,
      permissions: needs
        .filter((need) => holds(need, component, snapshot))
        .flatMap(({ rules }) => rules.flatMap((rule) => permissionsOf(rule))),
    }))
}

/** A CRD that a release reads. */
export interface NeededCrd {
  readonly name: string
  /** The version that it has to define. */
  readonly version: string | undefined
  /** The CRD that is there wherever these are installed: without it in the repository, they are installed from elsewhere. */
  readonly apart: string | undefined
}

/** The CRDs that a release of a component reads. */
export function crdsOf(component: Component, snapshot: Snapshot): NeededCrd[] {
  return crdNeeds
    .filter((row) => (component.container || row.apart) && isOn(row, component, snapshot))
    .flatMap(({ apart, needs }) =>
      needs
        .filter((need) => holds(need, component, snapshot))
        .flatMap(({ names, version }) => names.map((name) => ({ name, version, apart }))),
    )
}

function isOn(row: Pick<RoleNeeds, 'component' | 'part' | 'when'>, component: Component, snapshot: Snapshot): boolean {
  const { facts, part, release } = component
  if (release === undefined || row.component !== facts.name || row.part !== part.name) return false
  return row.when === undefined || settingOf(row.when, component, snapshot) !== undefined
}

function holds(
  { versions, when }: { readonly versions: string; readonly when?: string },
  component: Component,
  snapshot: Snapshot,
): boolean {
  if (component.release === undefined || !satisfies(component.release, versions)) return false
  return when === undefined || settingOf(when, component, snapshot) !== undefined
}

/**
 * The ClusterRoles that grant a workload its permissions: those that bindings give its ServiceAccount, and the one with
 * the name its own manifests use. None if a binding's role is in no manifest, as its rules are unknown.
 */
export function rolesFor(workload: Manifest, needs: Needs, snapshot: Snapshot): Manifest[] {
  const bound = boundBy('ClusterRoleBinding', workload, needs, snapshot)
  const own = { group: rbacGroup, kind: 'ClusterRole', namespace: '', name: needs.clusterRole }
  const refs = [own, ...bound].filter(({ name }, index, all) => all.findIndex((one) => one.name === name) === index)
  if (bound.some((ref) => snapshot.get(ref).length === 0)) return []
  return refs.flatMap((ref) => nearest(workload, snapshot.get(ref)))
}

/** What Roles allow a workload, as if in every namespace: it may be limited to theirs. */
export function namespacedPermissions(workload: Manifest, needs: Needs, snapshot: Snapshot): Permissions[] {
  return boundBy('RoleBinding', workload, needs, snapshot)
    .flatMap((ref) => nearest(workload, snapshot.get(ref)))
    .flatMap((role) => permissionsIn(role.root.at('rules')))
    .map((allowed) => ({ ...allowed, namespace: new Set([any]) }))
}

/** The roles that bindings of a kind give a workload's ServiceAccount. */
function boundBy(kind: string, workload: Manifest, { account }: Needs, snapshot: Snapshot): ObjectRef[] {
  const name = account ?? podOf(workload).at('spec', 'serviceAccountName').string
  if (name === undefined) return []
  const subject = serviceAccount(workload.ref.namespace, name)
  return snapshot
    .ofKind(`${kind}.${rbacGroup}`)
    .filter((binding) => binds(binding, subject))
    .flatMap((binding) => roleRefOf(binding)?.ref ?? [])
}

/**
 * From several copies of one object, the one in the same file, else in the same folder; otherwise it is unknown which
 * one counts.
 */
export function nearest(to: Manifest, copies: readonly Manifest[]): Manifest[] {
  const folderOf = ({ origin }: Manifest) => origin.path.slice(0, origin.path.lastIndexOf('/') + 1)
  if (copies.length <= 1) return [...copies]
  const inFile = copies.filter(({ origin }) => origin.path === to.origin.path)
  const inFolder = copies.filter((copy) => folderOf(copy) === folderOf(to))
  const [first] = [inFile, inFolder].find((some) => some.length === 1) ?? []
  return first ? [first] : []
}
