import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, valuedKinds } from '../../kubernetes/charts/chart-release'
import { comingReleases } from '../../kubernetes/charts/coming-release'
import {
  type Controller,
  controllerKinds,
  controllersIn,
  controllersOf,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { mayTakeIngress } from '../../kubernetes/controllers/controller-ingresses'
import { controllerLosses, ingressesOf, lossesOfNamespace } from '../../kubernetes/controllers/controller-loss'
import { holdsSettings, namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { wordForRoutes } from '../../kubernetes/controllers/controller-routes'
import { gatewayKinds, gatewayLosses, marksOfGateways } from '../../kubernetes/controllers/gateway-controller'
import { proxyKind } from '../../kubernetes/ingress/contour-proxy'
import { traefikRouteKinds } from '../../kubernetes/ingress/traefik-kinds'
import { labelsOf } from '../../kubernetes/object/label-selector'
import { isNeverUpdated } from '../../kubernetes/object/never-updated'
import { kedaKind, scaledToNoneByKeda } from '../../kubernetes/workload/keda'
import { abridged } from '../../listing'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

interface GatewayArgs {
  controller: string
  name: string
  users: string
}

interface Loss {
  controller: string
  /** The Ingresses, HTTPProxies or IngressRoutes, by their class. */
  of: string
  /** Up to three of them, and how many there are. */
  users: string
}

interface ImageArgs extends Pick<Loss, 'of' | 'users'> {
  /** The workload with the image. */
  runner: string
  image: string
  title: string
}

interface HinderedArgs extends Pick<Loss, 'of' | 'users'> {
  /** The workload, and what keeps its Pods from serving. */
  runner: string
  why: string
  remedy: string
  title: string
}

/** What selects the namespaces of a controller: a flag of ingress-nginx or F5's NGINX, or a value of a chart. */
const selectorMarks: readonly string[] = ['watch-namespace-selector', 'watch-namespace-label', 'namespaceSelector']

const scalerKinds: readonly GroupKind[] = ['HorizontalPodAutoscaler.autoscaling', kedaKind]

export default defineRule({
  id: 'controller-scope/controller-kept',
  summary: 'A class that Ingresses or Gateways use keeps a controller that takes them.',
  since: '1.2.0',
  scope: 'change',
  assumed: { since: '1.8.0' },
  kinds: [
    ...controllerKinds,
    ...valuedKinds,
    ...partKinds.filter((kind) => !valuedKinds.includes(kind)),
    ...scalerKinds,
    'Namespace',
  ],
  reads: [
    'Ingress.networking.k8s.io',
    'IngressClass.networking.k8s.io',
    proxyKind,
    ...traefikRouteKinds,
    ...gatewayKinds,
  ],
  messages: {
    removed: ({ controller, of, users }: Loss) =>
      `This change removes ${controller}, the only controller of the ${of}, so nothing serves ${users} afterwards. Keep it until another controller takes them.`,
    stopped: ({ controller, of, users }: Loss) =>
      `${controller} runs no Pods after this change, and it is the only controller of the ${of}, so nothing serves ${users}. Keep at least one Pod until another controller takes them.`,
    unschedulable: ({ controller, of, users }: Loss) =>
      `No node of this cluster's description has what ${controller} asks for after this change, and it is the only controller of the ${of}, so nothing serves ${users}. Ask for nodes that exist.`,
    elsewhere: ({ controller, of, users, remedy }: Loss & { remedy: string }) =>
      `After this change ${controller} no longer takes the ${of}, and no other controller does, so nothing serves ${users}. ${remedy}.`,
    unlabelled: ({ controller, of, users }: Loss) =>
      `After this change ${controller} takes only namespaces with certain labels, and those of ${users} lack them; it is the only controller of the ${of}. Label these namespaces first.`,
    relabelled: ({ controller, of, users, namespace, selector }: Loss & Record<'namespace' | 'selector', string>) =>
      `This change takes labels from ${namespace}, and ${controller}, the only controller of the ${of}, takes only namespaces with ${selector}, so nothing serves ${users} afterwards. Keep the labels until another controller takes them.`,
    mayStop: ({ controller, of, users, setting }: Loss & { setting: string }) =>
      `This change lets ${controller} be scaled to no Pods, and it is the only controller of the ${of}: as long as it runs none, nothing serves ${users}. Set ${setting} to 1 or more.`,
    gateways: ({ controller, name, users }: GatewayArgs) =>
      `This change removes ${controller}, the only controller of GatewayClass ${name}, so nothing sets up ${users} or follows changes of their routes afterwards. Keep it until these Gateways name another class.`,
    gatewaysStopped: ({ controller, name, users }: GatewayArgs) =>
      `${controller} runs no Pods after this change, and it is the only controller of GatewayClass ${name}, so nothing sets up ${users} or follows changes of their routes. Keep at least one Pod until these Gateways name another class.`,
    otherImage: ({ runner, image, title, of, users }: ImageArgs) =>
      `${runner} runs the image ${image} after this change, which is not ${title}, and no other controller takes the ${of}, so nothing serves ${users}. Restore the image, or wait until another controller takes them.`,
    unknownImage: ({ runner, image, title, of, users }: ImageArgs) =>
      `${runner} runs the image ${image} after this change, which may be a copy of ${title} under another name; if it is another program, nothing serves ${users}, as no other controller takes the ${of}. Make sure that it is a copy, or restore the image.`,
    hindered: ({ runner, why, of, users, remedy }: HinderedArgs) =>
      `${runner} serves nothing after this change, as ${why}, and no other controller takes the ${of}, so nothing serves ${users}. ${remedy}, or wait until another controller takes them.`,
    unknownProgram: ({ runner, why, title, of, users }: HinderedArgs) =>
      `The command of ${runner} changes: ${why}, which may start ${title} in its turn; if it does not, nothing serves ${users}, as no other controller takes the ${of}. Make sure that it does, or restore the command.`,
    brought: ({ controller, of, users, release }: Loss & { release: string }) =>
      `After this change ${controller} no longer takes the ${of}, and no other controller here does. It is assumed that ${release}, which this change adds, brings one, as the objects of its chart are not seen; if it does not, nothing serves ${users}. Make sure that it does, or keep ${controller} until another controller takes them.`,
    gatewaysBrought: ({ controller, name, users, instead }: GatewayArgs & { instead: string }) =>
      `After this change ${controller} no longer runs, the only known controller of GatewayClass ${name}. It is assumed that ${instead}, which this change adds, is another one; if it is not, nothing sets up ${users} or follows changes of their routes. Make sure that it is, or keep ${controller} until another controller takes these Gateways.`,
  },
  later: {
    brought: '1.26.0',
    gateways: '1.5.0',
    gatewaysBrought: '1.26.0',
    gatewaysStopped: '1.5.0',
    hindered: '1.27.0',
    otherImage: '1.26.0',
    relabelled: '1.15.0',
    unknownImage: '1.26.0',
    unknownProgram: '1.27.0',
    unlabelled: '1.4.0',
  },
  putBack: {
    elsewhere: 'changed',
    gatewaysStopped: 'changed',
    hindered: 'changed',
    mayStop: 'changed',
    otherImage: 'changed',
    unknownImage: 'changed',
    unknownProgram: 'changed',
    relabelled: 'changed',
    stopped: 'changed',
    unschedulable: 'changed',
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Namespace' ? [...controllerKinds, ...releaseKinds] : undefined),
  *partners(manifest, _, isGone, isTouched) {
    if (manifest.ref.kind === 'Namespace') {
      if (isTouched) yield* selectorMarks
      return
    }
    yield* namesOfParts(manifest)
    yield* marksOfGateways(manifest)
    if (['Ingress', 'HTTPProxy'].includes(manifest.ref.kind)) return
    const controllers = controllersOf(manifest)
    // The values of charts that may create Ingresses are read where the controller may leave some behind.
    if (controllers.some(({ claims }) => isGone || claims.some(({ unclassed }) => unclassed))) yield 'ingress'
    if (controllers.some(({ watched }) => watched.scope === 'selector')) yield 'Namespace'
    if (manifest.ref.kind === 'IngressClass') yield manifest.ref.name
    else if (controllers.length > 0 || scalerKinds.includes(groupKindOf(manifest.ref)) || holdsSettings(manifest))
      yield* ['Ingress', 'HTTPProxy', ...marksOfControllers]
  },
  check({ change, base, head, report, skip }) {
    const { after } = sidesOf(change)
    if (after?.ref.kind === 'Namespace') {
      if (isNeverUpdated(after)) return
      for (const { was, at, selector, className, users } of lossesOfNamespace(change, base, head)) {
        const names = {
          controller: nameOfController(was),
          of: ofClass(was.facts.takes, className),
          users: inWords(users),
        }
        const labels = after.root.at('metadata', 'labels')
        const written = labelsOf(selector).map((key) => labels.at(key))
        const ends = [written.find((one) => one.exists) ?? labels, at]
        report(ends, 'relabelled', { ...names, namespace: nameOf(after.ref), selector }, { keys: [className] })
      }
      return
    }
    for (const { was, how, at, className, users, hindrance, setting } of controllerLosses(change, base, head)) {
      const kept = users.filter((ingress) => !isReportedByClass(ingress, base, head))
      const [user] = kept
      if (!user) continue
      const word = wordForRoutes(was, user)
      const field = user.root.at('spec', 'ingressClassName')
      const ends = [at, field.exists ? field : user.root.at('spec')]
      const names = { controller: nameOfController(was), of: ofClass(word, className), users: inWords(kept) }
      const keys = [word === 'Ingresses' ? className : `${word} ${className}`]
      const release = replacementIn(base, head)
      if (release) {
        const by = nameOf(release.ref)
        skip(at, `${by}, which this change adds, may bring another controller`)
        report(ends, 'brought', { ...names, release: by }, { keys })
      } else if (how === 'hindered' || how === 'unknownProgram') {
        const { why = '', remedy = '' } = hindrance ?? {}
        const args = { ...names, runner: nameOf(at.manifest.ref), why, remedy, title: was.facts.title }
        report(ends, how, args, { keys })
      } else if (how === 'otherImage' || how === 'unknownImage') {
        const image = { runner: nameOf(at.manifest.ref), image: at.string ?? '', title: was.facts.title }
        const before = how === 'otherImage' ? ({ before: 'removed' } as const) : {}
        report(ends, how, { ...names, ...image }, { keys, ...before })
      } else {
        report(ends, how, { ...names, remedy: remedyFor(was, word, className, setting) }, { keys })
      }
    }
    for (const { was, how, at, className, users: gateways, instead } of gatewayLosses(change, base, head)) {
      const [first] = gateways
      const ends = [at, ...(first ? [first.root.at('spec', 'gatewayClassName')] : [])]
      const args = { controller: nameOf(was.ref), name: className, users: inWords(gateways) }
      if (instead) {
        const by = nameOf(instead.ref)
        skip(at, `${by}, which this change adds, may bring another controller`)
        report(ends, 'gatewaysBrought', { ...args, instead: by }, { keys: [className] })
        continue
      }
      report(ends, how, args, { keys: [className] })
    }
    const scaled = scaledToNone(change, base, head)
    const taken = scaled && ingressesOf(head).filter((one) => takersOf(one, head).every((taker) => taker === scaled.of))
    const [user] = taken?.filter((one) => takersOf(one, head).length > 0) ?? []
    if (!scaled || !user || !taken) return
    const args = {
      controller: nameOfController(scaled.of),
      of: ofClass(scaled.of.facts.takes, user.root.at('spec', 'ingressClassName').string ?? ''),
    }
    const ends = [scaled.at, user.root.at('spec')]
    if (!scaled.pause) return report(ends, 'mayStop', { ...args, users: inWords(taken), setting: scaled.setting })
    const why = `${scaled.pause} keeps it at no Pods`
    const hindered = { runner: nameOf(scaled.of.manifest.ref), why, remedy: 'Remove the annotation' }
    report(ends, 'hindered', { ...args, ...hindered, users: inWords(taken), title: scaled.of.facts.title })
  },
})

/** What keeps the Ingresses or other routes that a controller no longer takes served. */
function remedyFor(was: Controller, takes: string, className: string, setting: string | undefined): string {
  if (setting) return `Keep ${setting}, or move these ${takes} first`
  const unclassed = className === '' && takes === 'Ingresses' ? settingForUnclassed(was) : ''
  return unclassed
    ? `Keep ${unclassed}, or name a class in these Ingresses first`
    : `Keep its class and namespaces, or move these ${takes} first`
}

/** The setting by which a controller took the Ingresses without a class, where it has one. */
function settingForUnclassed({ claims, installed, settings, wordsFor }: Controller): string {
  const [flag] = claims.flatMap(({ facts: { unclassed = [] } }) =>
    unclassed.flatMap((one) => ('on' in one ? one.on : [])),
  )
  const value = flag && settings.get(flag)?.at.path.at(-1)
  if (installed) return value ? `${value} in its values` : ''
  return flag ? wordsFor(flag) : ''
}

function takersOf(ingress: Manifest, head: Snapshot): Controller[] {
  return controllersIn(head).filter((one) => mayTakeIngress(one, ingress, head))
}

/** A controller that a change lets be scaled to no Pods. */
interface Scaled {
  readonly of: Controller
  readonly at: Cursor
  /** The setting to raise. */
  readonly setting: string
  /** What keeps it there at all times. */
  readonly pause?: string
}

/**
 * The controller that an autoscaler of this change may scale to no Pods. Source:
 * https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
 */
function scaledToNone(change: Change, base: Snapshot, head: Snapshot): Scaled | undefined {
  if (change.kind === 'removed') return undefined
  if (!scalerKinds.includes(groupKindOf(change.after.ref))) return releaseScaledToNone(change, base, head)
  const found = noneOf(change.after)
  const before = change.kind === 'changed' ? noneOf(change.before) : undefined
  if (!found || (before && (before.pause !== undefined || !found.pause))) return undefined
  const { root, ref } = change.after
  const target = root.at('spec', 'scaleTargetRef')
  const of = controllersIn(head).find(
    ({ manifest }) =>
      manifest.ref.kind === (target.at('kind').string ?? 'Deployment') &&
      manifest.ref.name === target.at('name').string &&
      manifest.ref.namespace === ref.namespace,
  )
  return of && { of, ...found }
}

function noneOf(scaler: Manifest): Omit<Scaled, 'of'> | undefined {
  if (groupKindOf(scaler.ref) === kedaKind) return scaledToNoneByKeda(scaler)
  const at = scaler.root.at('spec', 'minReplicas')
  return at.value === 0 ? { at, setting: 'minReplicas' } : undefined
}

/** The same by the values of a release. */
function releaseScaledToNone(
  change: Exclude<Change, { kind: 'removed' }>,
  base: Snapshot,
  head: Snapshot,
): Scaled | undefined {
  const fewest = (one: Controller | undefined) => one?.installed?.fewestPods
  const of = controllersOf(change.after, head).find((one) => fewest(one)?.value === '0')
  const at = fewest(of)?.at
  if (!of || !at) return undefined
  const before = change.kind === 'changed' ? controllersOf(change.before, base) : []
  return before.some((one) => fewest(one)?.value === '0') ? undefined : { of, at, setting: 'minReplicas' }
}

/** Whether the change also removes the IngressClass that an Ingress names: class-kept reports that. */
function isReportedByClass(ingress: Manifest, base: Snapshot, head: Snapshot): boolean {
  const name = ingress.root.at('spec', 'ingressClassName').string
  if (!name) return false
  const ref = { group: 'networking.k8s.io', kind: 'IngressClass', namespace: '', name }
  return base.get(ref).length > 0 && head.get(ref).length === 0
}

/** A release that this change adds, of a chart whose values are not known, and that may be a controller's. */
function replacementIn(base: Snapshot, head: Snapshot): Manifest | undefined {
  const coming = comingReleases(base, head).filter(
    ({ manifest, isNew }) => isNew && controllersOf(manifest, head).length === 0,
  )
  return coming.find(({ manifest }) => mentionsOneOf(manifest.object.content, marksOfControllers))?.manifest
}

function ofClass(routes: string, name: string): string {
  return `${routes} ${name ? `of class ${name}` : 'without a class'}`
}

function inWords(users: readonly Manifest[]): string {
  return abridged(users.map(({ ref }) => nameOf(ref)))
}
