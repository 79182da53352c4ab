import type { Snapshot } from '../../cluster/snapshot'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { ChartSettings } from '../../kubernetes/charts/chart-settings'
import { comingReleases } from '../../kubernetes/charts/coming-release'
import { deletesWhatIsLeft } from '../../kubernetes/charts/release-pruning'
import { chartReleasesOf } from '../../kubernetes/charts/releases'
import { controllerKinds, controllersOf, marksOfControllers } from '../../kubernetes/controllers/controller'
import { servingControllers } from '../../kubernetes/controllers/serving-controllers'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isDefaultClass } from '../../kubernetes/ingress/ingress-class'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { defineRule } from '../../rule/rule'

interface UsedClass {
  name: string
  /** Some Ingress, and how many more. */
  users: string
}

export default defineRule({
  id: 'controller-scope/class-kept',
  summary: 'An IngressClass that Ingresses use is kept, with its controller.',
  since: '1.1.0',
  scope: 'change',
  kinds: ['IngressClass.networking.k8s.io', ...releaseKinds],
  reads: ['Ingress.networking.k8s.io', ...controllerKinds, ...releasePartKinds],
  messages: {
    removed: ({ name, users }: UsedClass) =>
      `This change removes IngressClass ${name}, which ${users} by spec.ingressClassName, so no controller serves them afterwards. Keep it until no Ingress names it.`,
    removedDefault: ({ name, users }: UsedClass) =>
      `This change removes IngressClass ${name}, the cluster's default, and ${users} no class: they got this one from the API server, so no controller serves them afterwards. Keep it, or first name another class in these Ingresses.`,
    // The field is immutable: https://kubernetes.io/docs/reference/kubernetes-api/service-resources/ingress-class-v1/
    moved: ({ name, users, was, is }: UsedClass & { was: string; is: string }) =>
      `This change sets the controller of IngressClass ${name} to ${is} instead of ${was}, while ${users} it. The API server rejects that, and if the class is recreated, all its Ingresses move to the other controller at once. Keep the class, and move the Ingresses one by one to a class with another name.`,
    brought: ({ name, need, release }: { name: string; need: string; release: string }) =>
      `This change removes IngressClass ${name}, ${need}. It is assumed that ${release}, which this change adds or edits, creates it again, as the objects of its chart are not seen; if it does not, no controller serves them afterwards. Make sure that it does, or keep the class until no Ingress needs it.`,
  },
  later: { brought: '1.26.0' },
  putBack: { moved: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
    if (manifest.ref.kind !== 'IngressClass') {
      if (controllersOf(manifest).some(({ installed }) => installed)) yield* ['Ingress', ...marksOfControllers]
      return
    }
    yield manifest.ref.name
    yield* marksOfControllers
    // Ingresses without a class contain no other word to look for.
    if (isDefaultClass(manifest)) yield 'Ingress'
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'added') return
    const { before } = change
    if (releaseKinds.includes(groupKindOf(before.ref))) {
      for (const { at, name, users } of classesDropped(change, base, head))
        report([at, ...users.slice(0, 1).map(fieldOf)], 'removed', { name, users: inWords(users) }, { keys: [name] })
      return
    }
    const { name } = before.ref
    if (isPlaceholder(name)) return
    const named = usersOf(head, name)
    if (change.kind === 'changed') {
      const [was, is] = [before, change.after].map(({ root }) => root.at('spec', 'controller'))
      const [user] = named
      if (!was?.string || !is?.string || was.string === is.string || isPlaceholder(is.string) || !user) return
      const users = { name, users: inWords(named), was: was.string, is: is.string }
      report([is, user.root.at('spec', 'ingressClassName')], 'moved', users, { keys: [name] })
      return
    }
    if (head.get(before.ref).length > 0 || isTakenWithout(base, head, name)) return
    const unnamed = isDefaultClass(before) && !head.ofKind(kind).some(isDefaultClass) ? withoutClass(head) : []
    const [users, at] = named.length > 0 ? [named, ['spec', 'ingressClassName']] : [unnamed, ['spec']]
    const [user] = users
    if (!user) return
    const [ends, keys] = [[before.root, user.root.at(...at)], [name]]
    const args = { name, users: inWords(users) }
    const release = releaseThatComes(base, head, name)
    if (release) {
      const by = nameOf(release.ref)
      const need =
        users === named
          ? `which ${args.users} by spec.ingressClassName`
          : `the cluster's default, and ${args.users} no class`
      skip(before.root, `${by}, which this change adds or edits, may create the class`)
      report(ends, 'brought', { name, need, release: by }, { keys })
      return
    }
    report(ends, users === named ? 'removed' : 'removedDefault', args, { keys })
  },
})

const kind = 'IngressClass.networking.k8s.io'

/** A class that a release whose chart is elsewhere no longer creates, although its controller still asks for it. */
function classesDropped(change: Change, base: Snapshot, head: Snapshot) {
  const { before, after } = sidesOf(change)
  if (!before || !after || !deletesWhatIsLeft(after)) return []
  const releases = chartReleasesOf(after, head)
  return controllersOf(before, base).flatMap((was) => {
    const name = was.installed?.className?.value
    const release = releases.find(({ facts }) => facts.controllers.includes(was.facts.name))
    if (!name || !release || isThere(name, head) || isTakenWithout(base, head, name)) return []
    // A controller that takes another class is another fault.
    const isAsked = controllersOf(after, head).some(({ claims, facts, installed }) => {
      const isSame = facts === was.facts && installed !== undefined && installed.className === undefined
      return isSame && claims.some(({ by, names }) => by === 'controller' && names.includes(name))
    })
    const users = isAsked && !releaseThatComes(base, head, name) ? usersOf(head, name) : []
    const at = new ChartSettings(release.facts, release).placeOfParts(release.facts.class)
    return users.length > 0 ? [{ at, name, users }] : []
  })
}

function isThere(name: string, head: Snapshot): boolean {
  return head.ofKind(kind).some(({ ref }) => ref.name === name || isPlaceholder(ref.name))
}

function fieldOf({ root }: Manifest): Cursor {
  return root.at('spec', 'ingressClassName')
}

/**
 * The Ingresses that ask for a class by the field; the older annotation is compared with the controller's own argument.
 */
function usersOf(head: Snapshot, name: string): Manifest[] {
  return ingressesOf(head).filter(({ root }) => root.at('spec', 'ingressClassName').string === name)
}

/** Ingresses that got the default class from the API server when they were created. */
function withoutClass(head: Snapshot): Manifest[] {
  return ingressesOf(head).filter(
    ({ root }) =>
      !root.at('spec', 'ingressClassName').exists &&
      !root.at('metadata', 'annotations', 'kubernetes.io/ingress.class').exists,
  )
}

/** By name; of several copies of one, the first. */
function ingressesOf(head: Snapshot): Manifest[] {
  const ingresses = head.ofKind('Ingress.networking.k8s.io').filter((one) => head.get(one.ref)[0] === one)
  return ingresses.sort((a, b) => (nameOf(a.ref) < nameOf(b.ref) ? -1 : 1))
}

/**
 * Whether the Ingresses of a class are taken without this object: a release makes one of its name, or a controller
 * compares names and never reads the object (ingress-nginx before 1.0.0, Kong, Contour). F5's compares names too, and
 * exits at startup without the object.
 */
function isTakenWithout(base: Snapshot, head: Snapshot, name: string): boolean {
  return servingControllers(base, head).some(({ facts, claims }) => {
    const byName = claims.length > 0 && claims.every(({ by, names }) => by === 'name' && names.includes(name))
    return claims.some(({ made }) => made === name) || (byName && facts.name !== 'nginx-inc')
  })
}

/**
 * A release that comes and may hold the class. One that was there before holds no new one, unless it may be a
 * controller's; the values of those that are known show their classes.
 */
function releaseThatComes(base: Snapshot, head: Snapshot, name: string): Manifest | undefined {
  const coming = comingReleases(base, head).filter(({ manifest }) => !showsItsClasses(manifest, head))
  const mentions = ({ object }: Manifest, words: readonly string[]) => mentionsOneOf(object.content, words)
  return coming.find(({ manifest, isNew }) =>
    mentions(manifest, [...(isNew ? ['ingress', name] : []), ...marksOfControllers]),
  )?.manifest
}

function showsItsClasses(release: Manifest, head: Snapshot): boolean {
  const controllers = controllersOf(release, head)
  return controllers.length > 0 && controllers.every(({ claims }) => claims.length > 0)
}

/** `Ingress shop/web names`, `Ingress shop/web and 2 more name` */
function inWords(ingresses: readonly Manifest[]): string {
  const [first, ...others] = ingresses.map(({ ref }) => nameOf(ref))
  return others.length === 0 ? `${first} names` : `${first} and ${others.length} more name`
}
