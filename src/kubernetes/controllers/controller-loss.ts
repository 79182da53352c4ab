import { append } from '../../append'
import { parseImage } from '../../cluster/image'
import { isStopped, podOf } from '../../cluster/pod'
import { unmetByNodes } from '../../cluster/scheduling'
import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { gitOpsKind } from '../../gitops/kinds'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest } from '../../manifest/manifest'
import { valuedKinds } from '../charts/chart-release'
import { ChartSettings } from '../charts/chart-settings'
import { chartReleasesOf } from '../charts/releases'
import { isPlaceholder } from '../ingress/ingress'
import { classOf } from '../ingress/ingress-class'
import { matchesLabels } from '../object/label-selector'
import { labelOfNamespace } from '../object/namespace'
import { outlivesPrune } from '../object/prune'
import { type Controller, controllersIn, controllersOf } from './controller'
import { mayTakeIngress, takesIngress, watches } from './controller-ingresses'
import { classAsked, mayTakeRoute, routesFor, sortedOfKinds, takesRoute, wordForRoutes } from './controller-routes'
import { settingsOf } from './controller-settings'
import { type Hindrance, hindranceOf } from './hindrance'
import { controllersReadFrom, counterpartOf, isBundled } from './same-controller'
import { likenessOf, servingControllers } from './serving-controllers'

/** A controller that a change takes away from Ingresses, HTTPProxies or routes of Traefik which stay, and that no other one takes. */
export interface ControllerLoss {
  readonly was: Controller
  /**
   * The loss: the controller is removed, runs no Pods, fits on no node, takes other Ingresses, watches other labels,
   * runs an image that is another program, or that may be one, or something keeps its Pods from serving.
   */
  readonly how:
    | 'removed'
    | 'stopped'
    | 'unschedulable'
    | 'elsewhere'
    | 'unlabelled'
    | 'otherImage'
    | 'unknownImage'
    | Hindrance['how']
  /** The cause of the loss. */
  readonly at: Cursor
  /** What keeps its Pods from serving. */
  readonly hindrance?: Hindrance
  /** The setting that turned it on, where the program goes on without it. */
  readonly setting?: string
  /** The class that the Ingresses ask for; empty for those without one. */
  readonly className: string
  /** By name. */
  readonly users: readonly Manifest[]
}

/** The losses by one change, for each class. */
export function controllerLosses(change: Change, base: Snapshot, head: Snapshot): ControllerLoss[] {
  if (change.kind === 'added') return []
  const { before } = change
  if (change.kind === 'removed' && staysInCluster(before)) return []
  const own = change.kind === 'changed' && isBundled(change.after) ? controllersReadFrom(change.after, head) : []
  const serving = [...servingControllers(base, head), ...own]
  return controllersReadFrom(before, base)
    .filter((one) => !hindranceOf(one))
    .flatMap((was) => {
      const users = routesFor(was, head).filter(
        (route) => takesRoute(was, route, base) && !isTaken(route, serving, head),
      )
      const losses = groupsOf(was, users).map(({ className, its }): ControllerLoss => {
        const cause =
          causeOfImage(its, base, head) ?? causeOfHindrance(its, base, head) ?? causeOf(change, was, its, head)
        return { was, className, users: its, ...cause }
      })
      return [...losses, ...lossesByLabels(was, base, head)]
    })
}

/** Routes by what messages call them, and by their class. */
function groupsOf(was: Controller, users: readonly Manifest[]): { className: string; its: Manifest[] }[] {
  const groups = new Map<string, Manifest[]>()
  for (const one of users) append(groups, JSON.stringify([wordForRoutes(was, one), classAsked(one)]), one)
  return [...groups.values()].map((its) => ({ className: its[0] ? classAsked(its[0]) : '', its }))
}

/** Whether one of the controllers may take a route; a controller whose Pods fit on no node does not. */
function isTaken(route: Manifest, serving: readonly Controller[], head: Snapshot): boolean {
  return serving.some(
    (one) => mayTakeRoute(one, route, head) && (one.installed || !unmetByNodes(one.manifest, head.facts.nodes)),
  )
}

/** The Ingresses in namespaces without the labels that a controller newly requires. */
function lossesByLabels(was: Controller, base: Snapshot, head: Snapshot): ControllerLoss[] {
  const is = counterpartOf(was, head)
  if (is?.watched.scope !== 'selector') return []
  const { at } = is.watched
  const users = ingressesOf(head).filter((ingress) => {
    const takers = controllersIn(head).filter((one) => mayTakeIngress(one, ingress, head))
    return (
      takesIngress(was, ingress, base) && takers.length > 0 && takers.every((one) => isUnlabelled(one, ingress, head))
    )
  })
  return [...new Set(users.map((ingress) => classOf(ingress) ?? ''))].map((className) => {
    const its = users.filter((ingress) => (classOf(ingress) ?? '') === className)
    return { was, className, users: its, how: 'unlabelled', at }
  })
}

/** A controller that a Namespace loses by a change of its labels. */
export interface LossOfNamespace {
  readonly was: Controller
  /** The value of its selector, and that text. */
  readonly at: Cursor
  readonly selector: string
  readonly className: string
  /** By name. */
  readonly users: readonly Manifest[]
}

/** The losses of the Ingresses of a Namespace whose labels change, by controllers that stay as they are. */
export function lossesOfNamespace(change: Change, base: Snapshot, head: Snapshot): LossOfNamespace[] {
  if (change.kind !== 'changed' || head.get(change.after.ref).length !== 1) return []
  const ingresses = ingressesOf(head).filter(({ ref }) => ref.namespace === change.after.ref.name)
  return controllersIn(base).flatMap((was) => {
    const is = counterpartOf(was, head)
    if (was.watched.scope !== 'selector' || is?.watched.scope !== 'selector') return []
    const { selector, at } = is.watched
    if (was.watched.selector !== selector || isPlaceholder(selector)) return []
    const users = ingresses.filter((ingress) => {
      const takers = controllersIn(head).filter((one) => mayTakeIngress(one, ingress, head))
      const wasTaken = mayTakeIngress(was, ingress, base) && !isUnlabelled(was, ingress, base)
      return wasTaken && takers.includes(is) && takers.every((one) => isUnlabelled(one, ingress, head))
    })
    return [...new Set(users.map((ingress) => classOf(ingress) ?? ''))].map((className) => {
      const its = users.filter((ingress) => (classOf(ingress) ?? '') === className)
      return { was, at, selector, className, users: its }
    })
  })
}

/** Whether a controller certainly does not watch the namespace of an Ingress, because of the namespace's labels. */
function isUnlabelled({ watched }: Controller, { ref }: Manifest, head: Snapshot): boolean {
  if (watched.scope !== 'selector' || isPlaceholder(watched.selector)) return false
  const [namespace] = head.get({ group: '', kind: 'Namespace', namespace: '', name: ref.namespace })
  return namespace !== undefined && !matchesLabels(watched.selector, (key) => labelOfNamespace(namespace, key))
}

/** Whether an object that is removed from the files stays in the cluster, or the objects that it installed do. */
export function staysInCluster(gone: Manifest): boolean {
  if (outlivesPrune(gone)) return true
  // The distribution keeps the chart whose values go.
  if (isBundled(gone)) return true
  return groupKindOf(gone.ref) === gitOpsKind.application && !readApplication(gone.root).cascades
}

/** The image that the controller of all these Ingresses runs, if that may be another program. */
function causeOfImage(
  users: readonly Manifest[],
  base: Snapshot,
  head: Snapshot,
): Pick<ControllerLoss, 'how' | 'at'> | undefined {
  const takers = controllersIn(head)
    .filter((one) => users.every((route) => mayTakeRoute(one, route, head)))
    .map((one) => ({ at: one.image, likeness: likenessOf(one, base) }))
  const doubtful = takers.find(({ likeness }) => likeness === 'like')
  if (doubtful) return { how: 'unknownImage', at: doubtful.at }
  const other = takers.find(({ likeness }) => likeness === 'other')
  return other && { how: 'otherImage', at: other.at }
}

/** What keeps the controller of all these Ingresses from serving. */
function causeOfHindrance(
  users: readonly Manifest[],
  base: Snapshot,
  head: Snapshot,
): Pick<ControllerLoss, 'how' | 'at' | 'hindrance'> | undefined {
  const [hindrance] = controllersIn(head)
    .filter((one) => users.every((route) => mayTakeRoute(one, route, head)))
    .flatMap((one) => hindranceOf(one, base) ?? [])
  return hindrance && { how: hindrance.how, at: hindrance.at, hindrance }
}

function causeOf(
  change: Exclude<Change, { kind: 'added' }>,
  was: Controller,
  users: readonly Manifest[],
  head: Snapshot,
): Pick<ControllerLoss, 'how' | 'at' | 'setting'> {
  // With a part of it, the workload stays.
  const isPart = identityOf(change.before.ref) !== identityOf(was.manifest.ref)
  const after = isPart ? head.get(was.manifest.ref)[0] : sidesOf(change).after
  if (!after) return { how: 'removed', at: change.before.root }
  const is = counterpartOf(was, head)
  if (!is) return switchedOff(after, was, head) ?? stopOf(after, head)
  const unmet = is.installed ? undefined : unmetByNodes(is.manifest, head.facts.nodes)
  if (unmet) return { how: 'unschedulable', at: unmet }
  const made = is.installed?.className
  if (made && made.value !== was.installed?.className?.value) return { how: 'elsewhere', at: made.at }
  const isWatched = users.some(({ ref }) => watches(is.watched, ref.namespace))
  const flags = is.claims.flatMap(({ at }) => at)
  const before = new Set(was.claims.flatMap(({ at }) => at.map(({ string }) => string)))
  const moved = flags.find(({ string }) => string !== undefined && !before.has(string)) ?? flags[0]
  return { how: 'elsewhere', at: isWatched ? (moved ?? is.place) : is.watched.at }
}

/** The setting that turned a controller on, where its program goes on without it: a provider of Traefik. */
function switchedOff(
  after: Manifest,
  was: Controller,
  head: Snapshot,
): Pick<ControllerLoss, 'how' | 'at' | 'setting'> | undefined {
  const { enabledBy } = was.facts
  const at = enabledBy === undefined || isStopped(after) ? undefined : placeOfSettings(after, was, enabledBy, head)
  return at && enabledBy ? { how: 'elsewhere', at, setting: was.wordsFor(enabledBy) } : undefined
}

/** The settings of the program or the release that ran a controller, while it still runs. */
function placeOfSettings(after: Manifest, was: Controller, flag: string, head: Snapshot): Cursor | undefined {
  if (was.installed) {
    const [release] = controllersOf(after, head).length > 0 ? chartReleasesOf(after, head) : []
    return release && new ChartSettings(release.facts, release).placeOf(flag)
  }
  const nameIn = (image: Cursor) => parseImage(image.string ?? '').repository
  const containers = [...podOf(after).at('spec', 'containers').items()]
  const container = containers.find((one) => nameIn(one.at('image')) === nameIn(was.image))
  return container && settingsOf(was.facts, container, head).placeOf(flag)
}

/** The place where a workload or a release stops running a controller. */
function stopOf(after: Manifest, head: Snapshot): Pick<ControllerLoss, 'how' | 'at'> {
  if (valuedKinds.includes(groupKindOf(after.ref))) {
    const [release] = chartReleasesOf(after, head)
    return release ? { how: 'stopped', at: release.values.place } : { how: 'removed', at: after.root.at('spec') }
  }
  const spec = after.root.at('spec')
  if (!isStopped(after)) return { how: 'removed', at: podOf(after).at('spec', 'containers') }
  const at = spec.at('suspend').exists ? spec.at('suspend') : spec.at('replicas')
  return { how: 'stopped', at }
}

/** By name; of several copies of one, the first. */
export function ingressesOf(snapshot: Snapshot): Manifest[] {
  return sortedOfKinds(['Ingress.networking.k8s.io'], snapshot)
}
