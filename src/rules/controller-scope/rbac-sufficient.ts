import type { Snapshot } from '../../cluster/snapshot'
import {
  type Controller,
  controllerKinds,
  controllerSubjects,
  controllersIn,
  controllersOf,
  endsAt,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { binds, type Grants, grantsOf, marksOfGrants } from '../../kubernetes/controllers/controller-grants'
import { controllerNeeds, missing, type Need, readNeeds } from '../../kubernetes/controllers/controller-permissions'
import { withheldToken } from '../../kubernetes/controllers/controller-token'
import { placesToAllow } from '../../kubernetes/controllers/permission-place'
import { bindingKinds, roleKinds, uncovered } from '../../kubernetes/rbac/rbac'
import { roleRefOf, type Subject, subjectName } from '../../kubernetes/rbac/rbac-binding'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { allowing } from '../../rule/allowing'
import { defineRule, type Fix, type ReportFunction } from '../../rule/rule'

type MissingPermission = {
  account: string
  controller: string
  /** The lock, the namespaces or the Ingress it is about. */
  of: string
  /** A needed permission, as kubectl asks for it. */
  words: string
  /** The role with the needed reach: of some namespace, or of the cluster. */
  by: string
  /** What is assumed, where the change makes it unknown what the account has. */
  assumed: string
}

const remedyOf = ({ words, account, by, assumed }: MissingPermission) =>
  `Allow \`${words}\` to ${account} with ${by}.${assumed}`

type Unmounted = Record<'controller' | 'account' | 'place', string>

const messages = {
  lock: (lack: MissingPermission) =>
    `${lack.account} may not use ${lack.of}, the leader-election lock of ${lack.controller}, so no Pod leads and none writes the status of its Ingresses. ${remedyOf(lack)}`,
  status: (lack: MissingPermission) =>
    `${lack.account} may not write the status of Ingresses in ${lack.of}, which ${lack.controller} watches, so these Ingresses never get an address. ${remedyOf(lack)}`,
  namespace: (lack: MissingPermission) =>
    `${lack.account} may not read Namespace ${lack.of}, to which ${lack.controller} is limited, so the controller exits at startup. ${remedyOf(lack)}`,
  classes: (lack: MissingPermission) =>
    `${lack.account} may not list IngressClasses, so ${lack.controller} ignores every Ingress that sets spec.ingressClassName, such as ${lack.of}. ${remedyOf({ ...lack, assumed: '' }).slice(0, -1)}; its chart creates none with rbac.scope: true.${lack.assumed}`,
  read: (lack: MissingPermission) =>
    `With this change ${lack.account} may no longer read all that ${lack.controller} waits for when it starts, so it serves nothing after its next start, and no longer follows changes before. ${remedyOf(lack)}`,
  // Source: https://github.com/kubernetes/kubernetes/blob/v1.34.1/plugin/pkg/admission/serviceaccount/admission.go,
  // shouldAutomount
  unmounted: ({ controller, account, place }: Unmounted) =>
    `The Pods of ${controller} get no token of ${account}, as automountServiceAccountToken is false in ${place} and no volume has one, so the controller cannot log in to the API server and exits. Set it to true in the Pod template.`,
}

export default defineRule({
  id: 'controller-scope/rbac-sufficient',
  summary: 'The ServiceAccount of an ingress controller has the permissions that the controller needs.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: controllerKinds,
  reads: [
    ...roleKinds,
    ...bindingKinds,
    'Ingress.networking.k8s.io',
    'IngressClass.networking.k8s.io',
    'ServiceAccount',
  ],
  subjects: controllerSubjects,
  messages,
  later: { read: '1.27.0', unmounted: '1.14.0' },
  putBack: { unmounted: 'changed' },
  *partners(manifest, _params, _isGone, isTouched) {
    yield* marksOfGrants(manifest)
    if (manifest.ref.kind === 'ServiceAccount' && isTouched) yield* marksOfControllers
    // Without these rules, the controller misses untouched Ingresses.
    if (isOneOf(manifest, roleKinds) && manifest.object.content.includes('ingressclasses')) yield 'ingressClassName'
    for (const { claims } of controllersOf(manifest)) {
      for (const { controller } of claims) if (controller) yield controller
      yield 'ingressClassName'
    }
  },
  check({ manifest, snapshot, report }) {
    for (const controller of controllersOf(manifest, snapshot)) {
      const withheld = withheldToken(controller, snapshot)
      if (withheld) {
        const { name, namespace } = controller.serviceAccount
        const args = {
          controller: nameOfController(controller),
          account: `ServiceAccount ${namespace ? `${namespace}/` : ''}${name}`,
          place: withheld.manifest === manifest ? 'their template' : nameOf(withheld.manifest.ref),
        }
        report(endsAt(controller, [withheld]), 'unmounted', args)
      }
      if (controller.installed?.isBound) continue
      const grants = grantsOf(controller, snapshot)
      for (const lack of lacks(controller, grants, snapshot)) {
        const places = placesToAllow(lack.need, grants?.roles ?? [])
        const fix = allowedAt(places[0]?.manifest, lack, grants)
        state(report, [...endsAt(controller, places), ...unseen(lack.need)], controller, lack, fix)
      }
    }
  },
  // The permissions of a removed role or binding have no place at the head, and a role that a change binds, or has gather
  // others, may be unknown there: only both sides together show the loss.
  checkChange({ change, base, head, report }) {
    if (change.kind === 'added') return
    for (const controller of controllersIn(head)) {
      // A chart that is not rendered brings roles of its own.
      if (controller.installed?.isBound) continue
      const was = grantsOf(controller, base)
      const is = was && grantsOf(controller, head, base)
      const at = is && placeOfLoss(change, controller, was, is, [base, head])
      if (!at) continue
      const needs = readNeeds(controller)
      const lackedBefore = (its: readonly Need[]) => its.flatMap((need) => missing(need, was.permissions))
      const old = controllersIn(base).find((one) => isSame(one, controller))
      const former = old ? readNeeds(old) : []
      // A new release may read more than the one before, which had all that it reads.
      const hadAll = former.length > 0 && lackedBefore(former).length === 0
      const before = new Set(hadAll ? [] : lackedBefore(needs))
      for (const need of needs) {
        const words = missing(need, is.permissions).filter((word) => !before.has(word))
        if (words.length === 0) continue
        const left = { ...need, permissions: uncovered(is.permissions, need.permissions) }
        const { account, assumed, roles } = is
        const place = assumed.includes(at) ? at : placesToAllow(left, roles).find(isIn(at.manifest))
        state(report, [place ?? at, need.at, ...assumed], controller, { account, assumed, need, words })
      }
      if (isReportedAt(head, controller, base)) continue
      const lacking = new Set(lacks(controller, was, base).flatMap(({ words }) => words))
      for (const lack of lacks(controller, is, head)) {
        const words = lack.words.filter((word) => !lacking.has(word))
        if (words.length > 0) state(report, [at, lack.need.at, ...is.assumed], controller, { ...lack, words })
      }
    }
  },
})

function isSame(one: Controller, other: Controller): boolean {
  return one.facts === other.facts && identityOf(one.manifest.ref) === identityOf(other.manifest.ref)
}

function isIn(object: Manifest): (at: Cursor) => boolean {
  return ({ manifest }) => manifest === object
}

interface Missing {
  readonly account: Subject
  readonly assumed: readonly Cursor[]
  readonly need: Need
  readonly words: readonly string[]
}

function lacks(controller: Controller, grants: Grants | undefined, snapshot: Snapshot): Missing[] {
  if (!grants) return []
  const { account, permissions, assumed } = grants
  return controllerNeeds(controller, permissions, snapshot)
    .map((need) => ({ account, assumed, need, words: missing(need, permissions) }))
    .filter(({ words }) => words.length > 0)
}

/**
 * Where a change takes permissions from an account: a role that is removed while it stays bound, a binding that goes or
 * no longer names the account, or the first of its roles and the controller that the change writes.
 */
function placeOfLoss(
  change: Change & { kind: 'changed' | 'removed' },
  { manifest }: Controller,
  was: Grants,
  is: Grants,
  [base, head]: readonly [Snapshot, Snapshot],
): Cursor | undefined {
  const { before } = change
  const kept = [...is.roles, manifest].filter(({ ref }) => base.get(ref).length > 0)
  if (change.kind === 'changed' && kept.find(isWrittenSince(base)) === change.after) {
    const gathers = is.assumed.find((at) => at.manifest === change.after)
    return gathers ?? change.after.root.at(isOneOf(before, roleKinds) ? 'rules' : 'spec')
  }
  if (isOneOf(before, roleKinds)) {
    const bound = bindingKinds.flatMap((kind) => head.ofKind(kind)).filter((binding) => binds(binding, was.account))
    const named = bound.map((binding) => roleRefOf(binding)?.ref).filter((ref) => ref !== undefined)
    const stays = named.some((ref) => identityOf(ref) === identityOf(before.ref))
    return change.kind === 'removed' && stays && was.roles.includes(before) ? before.root : undefined
  }
  if (!isOneOf(before, bindingKinds) || !binds(before, was.account)) return undefined
  if (change.kind === 'removed') return before.root
  return binds(change.after, was.account) ? undefined : change.after.root.at('subjects')
}

/** Whether the change writes an object. */
function isWrittenSince(base: Snapshot): (manifest: Manifest) => boolean {
  return ({ ref, object }) => !base.get(ref).some((was) => was.object.content === object.content)
}

/** Whether only the head shows the missing permission, at an object that this change writes. */
function isReportedAt(head: Snapshot, controller: Controller, base: Snapshot): boolean {
  const grants = grantsOf(controller, head)
  return grants !== undefined && [controller.manifest, ...grants.roles].some(isWrittenSince(base))
}

function isOneOf({ ref }: Manifest, kinds: readonly GroupKind[]): boolean {
  return kinds.includes(groupKindOf(ref))
}

/** Allows it in a role that reaches as far as it is needed. */
function allowedAt(role: Manifest | undefined, { need }: Missing, grants: Grants | undefined): Fix | undefined {
  if (!role || !grants?.roles.includes(role)) return undefined
  return allowing(role.root.at('rules'), uncovered(grants.permissions, need.permissions)).fix
}

/** The field of an Ingress that is left out. */
function unseen({ ingress }: Need): Cursor[] {
  return ingress ? [ingress.root.at('spec', 'ingressClassName')] : []
}

function state(
  report: ReportFunction<typeof messages>,
  ends: readonly Cursor[],
  { manifest }: Controller,
  { account, assumed, need, words }: Missing,
  fix?: Fix,
): void {
  const of = need.ingress ? nameOf(need.ingress.ref) : need.of
  const [namespace = ''] = need.permissions.flatMap((one) => [...one.namespace])
  const by =
    namespace === '*'
      ? 'a ClusterRole and a ClusterRoleBinding'
      : `a role and a RoleBinding in ${namespace ? `namespace ${namespace}` : 'its namespace'}`
  const lack = {
    account: subjectName(account),
    controller: nameOf(manifest.ref),
    of,
    words: words.join('`, `'),
    by,
    assumed: assumed.map(assumptionAt).join(''),
  }
  report(ends, need.kind, lack, { keys: words, fix, ...(need.kind === 'classes' ? { value: 'rbac.scope' } : {}) })
}

/** What is assumed of a binding to a role that is not in the manifests, and of a role that gathers others. */
function assumptionAt({ manifest }: Cursor): string {
  if (isOneOf(manifest, roleKinds))
    return ` ${nameOf(manifest.ref)} now gathers the rules of other roles, and those that its aggregationRule selects here are taken to be all.`
  const role = roleRefOf(manifest)?.ref
  return ` ${nameOf(manifest.ref)} gives ${role ? `${nameOf(role)}, which is not in this repository and is` : 'no valid role, and is'} taken to allow nothing.`
}
