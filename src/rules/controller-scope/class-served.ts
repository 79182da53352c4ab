import { isMistyped } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { type ClassProviders, classProvidersIn, takesClassOf } from '../../kubernetes/controllers/class-provider'
import {
  type Controller,
  controllerKinds,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { classAnnotation, classOf, isClassUsedBeside } from '../../kubernetes/ingress/ingress-class'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import { solverClasses } from '../../kubernetes/tls/acme-solvers'
import { issuerKinds } from '../../kubernetes/tls/issuer-credentials'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Left = { ingress: string; was: string; controller: string; known: string }

export default defineRule({
  id: 'controller-scope/class-served',
  summary: 'An Ingress is not moved to a class that nothing here provides, and does not come with one.',
  since: '1.6.0',
  scope: 'change',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io', ...issuerKinds],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds],
  messages: {
    moved: ({ ingress, was, controller, name, known }: Left & { name: string }) =>
      `${ingress} had the class ${was}, which ${controller} serves. This change gives it the class ${name}, which no IngressClass and no controller in this repository provides and no Ingress used so far, so its hosts may not be served. Use a class that is served (${known}), or add the IngressClass ${name} to this repository.`,
    emptied: ({ ingress, was, controller, known }: Left) =>
      `${ingress} had the class ${was}, which ${controller} serves. This change leaves it without a class, and no controller and no default IngressClass in this repository takes such an Ingress, so its hosts may not be served. Name a class that is served: ${known}.`,
    unserved: ({ ingress, name, known }: { ingress: string; name: string; known: string }) =>
      `${ingress} comes with the class ${name}, which no IngressClass and no controller in this repository provides and no Ingress used so far, so its hosts may not be served. Use a class that is served (${known}), or add the IngressClass ${name} to this repository.`,
    classless: ({ ingress, known }: { ingress: string; known: string }) =>
      `${ingress} comes without a class, and no controller and no default IngressClass in this repository takes such an Ingress, so its hosts may not be served. Set spec.ingressClassName to a class that is served: ${known}.`,
    mistyped: ({ ingress, name, was }: Record<'ingress' | 'name' | 'was', string>) =>
      `This change gives ${ingress} the class ${name} in place of ${was}. Nothing else in this repository names that class, and it looks like a typing error, with which no controller serves the hosts. Use ${was}, or add the IngressClass ${name} to this repository.`,
    unusual: ({ ingress, name, usual }: Record<'ingress' | 'name' | 'usual', string>) =>
      `${ingress} comes with the class ${name}, which nothing else in this repository names. It looks like a typing error for ${usual}, with which no controller serves the hosts. Use ${usual}, or add the IngressClass ${name} to this repository.`,
    solver: ({ issuer, was, controller, name, known }: Omit<Left, 'ingress'> & Record<'issuer' | 'name', string>) =>
      `${issuer} answered its http01 challenges by Ingresses of the class ${was}, which ${controller} serves. This change gives them the class ${name}, which no IngressClass and no controller in this repository provides, so the challenges may fail, and no certificate is issued or renewed. Use a class that is served (${known}), or add the IngressClass ${name} to this repository.`,
  },
  later: { classless: '1.10.0', mistyped: '1.20.0', unusual: '1.20.0', solver: '1.30.0' },
  putBack: { moved: 'changed', emptied: 'changed', mistyped: 'changed', solver: 'changed' },
  direct: true,
  *partners() {
    yield 'IngressClass'
    yield* marksOfControllers
  },
  names: {
    *of({ change, base, head }) {
      const judged = judgedIn(change, base, head)
      if (judged?.name && !judged.providers.classes.has(judged.name)) yield judged.name
      if (judged && isClassless(judged, base, head)) yield* textsOnClassless
      const slip = slipIn(change, head)
      if (slip) yield slip.name
      for (const { name } of solversMoved(change, base, head)) yield name
    },
    isUsedIn: (text, name) => (textsOnClassless.includes(name) ? servesClassless(text, name) : usesClass(text, name)),
  },
  check({ change, base, head, isUsed, report }) {
    for (const { issuer, at, name, was, by, providers } of solversMoved(change, base, head)) {
      if (isUsed(name) || isClassUsedBeside(issuer, name, base)) continue
      const known = abridged(servedNames(providers), 5)
      const args = { issuer: nameOf(issuer.ref), was, controller: nameOfController(by), name, known }
      report([at, by.place], 'solver', args, { keys: [name] })
    }
    const slip = slipIn(change, head)
    if (slip && !isUsed(slip.name)) {
      const { after, name, was, usual } = slip
      const args = { ingress: nameOf(after.ref), name }
      if (was) report(placeOf(after), 'mistyped', { ...args, was }, { keys: [name] })
      else if (usual) report(placeOf(after), 'unusual', { ...args, usual }, { keys: [name] })
    }
    const judged = judgedIn(change, base, head)
    if (!judged) return
    const { after, was, by, name, providers } = judged
    const isUnknown = (one: string) =>
      !providers.classes.has(one) && !isUsed(one) && !isClassUsedBeside(after, one, base)
    const known = abridged(servedNames(providers), 5)
    const ingress = nameOf(after.ref)
    if (!by) {
      if (name && isUnknown(name)) report(placeOf(after), 'unserved', { ingress, name, known }, { keys: [name] })
      if (isClassless(judged, base, head) && !textsOnClassless.some(isUsed))
        report(after.root.at('spec'), 'classless', { ingress, known }, { keys: [] })
      return
    }
    const names = { ingress, was, controller: nameOfController(by), known }
    if (name === undefined) {
      if (!providers.hasDefault) report(after.root.at('spec'), 'emptied', names, { keys: [was] })
    } else if (isUnknown(name)) {
      report(placeOf(after), 'moved', { ...names, name }, { keys: [name] })
    }
  },
})

/** An Ingress with another class than before, or a new one with a class, that no controller here takes. */
interface Judged {
  readonly after: Manifest
  readonly name: string | undefined
  readonly providers: ClassProviders
  /** The class it had, and the controller that took it; none of an Ingress that is new. */
  readonly was: string
  readonly by: Controller | undefined
}

function judgedIn(change: Change, base: Snapshot, head: Snapshot): Judged | undefined {
  if (change.kind === 'removed' || isIssuer(change.after)) return undefined
  const { after } = change
  const before = change.kind === 'changed' ? change.before : predecessorOf(after, base, head)
  const [providersBefore, providers] = [classProvidersIn(base), classProvidersIn(head)]
  if (!providersBefore || !providers || isTaken(after, providers) || isManaged(after)) return undefined
  const name = classOf(after)
  if (name && isPlaceholder(name)) return undefined
  if (!before) {
    // Without a controller at the base, this may be the first of what a cluster gets.
    if (providersBefore.controllers.length === 0) return undefined
    return { after, name, providers, was: '', by: undefined }
  }
  const was = classOf(before)
  if (!was || was === name || isPlaceholder(was)) return undefined
  // A controller that goes or changes its class is reported by other rules.
  const by = takerOf(before, providers)
  return by && takerOf(before, providersBefore) ? { after, name, providers, was, by } : undefined
}

/** A class of the Ingresses by which an issuer answers challenges, which no controller here takes. */
interface SolverMoved {
  readonly issuer: Manifest
  readonly at: Cursor
  readonly name: string
  /** The class they had, and the controller that takes it. */
  readonly was: string
  readonly by: Controller
  readonly providers: ClassProviders
}

function solversMoved(change: Change, base: Snapshot, head: Snapshot): SolverMoved[] {
  if (change.kind !== 'changed' || !isIssuer(change.after)) return []
  const [before, after] = [solverClasses(change.before), solverClasses(change.after)]
  const left = before.find(({ name }) => !after.some((one) => one.name === name))
  const [providersBefore, providers] = [classProvidersIn(base), classProvidersIn(head)]
  if (!left || !providersBefore || !providers) return []
  const by = takerOfName(left.name, providers)
  if (!by || !takerOfName(left.name, providersBefore)) return []
  return after
    .filter(({ name }) => !isPlaceholder(name) && !before.some((one) => one.name === name))
    .filter(({ name }) => !providers.classes.has(name) && !takerOfName(name, providers))
    .map(({ name, at }) => ({ issuer: change.after, at, name, was: left.name, by, providers }))
}

function isIssuer({ ref }: Manifest): boolean {
  return issuerKinds.includes(groupKindOf(ref))
}

function takerOfName(name: string, { controllers, classes }: ClassProviders): Controller | undefined {
  const says = classes.get(name)?.says
  return controllers.find(({ claims }) =>
    claims.some(
      ({ names, made, controller }) =>
        names.includes(name) || made === name || (says !== undefined && controller === says),
    ),
  )
}

/** A class of an Ingress that is probably written for another one, where no controller is in the repository. */
interface Slip {
  readonly after: Manifest
  readonly name: string
  /** The class that it had. */
  readonly was?: string
  /** The usual class of a controller, for an Ingress that is new. */
  readonly usual?: string
}

/** The classes that the charts of controllers create. */
const usualClasses = ['nginx', 'traefik', 'haproxy', 'kong', 'contour', 'cilium', 'azure-application-gateway']

function slipIn(change: Change, head: Snapshot): Slip | undefined {
  if (change.kind === 'removed' || isIssuer(change.after)) return undefined
  const { after } = change
  const name = classOf(after)
  const providers = classProvidersIn(head)
  const isServed = providers !== undefined && (providers.controllers.length > 0 || providers.classes.has(name ?? ''))
  if (!name || isServed || isPlaceholder(name) || isManaged(after) || isClassUsedBeside(after, name, head))
    return undefined
  if (change.kind === 'added') {
    const usual = usualClasses.includes(name) ? undefined : usualClasses.find((one) => isMistyped(name, one))
    return usual === undefined ? undefined : { after, name, usual }
  }
  const was = classOf(change.before)
  return was && was !== name && isMistyped(name, was) && !usualClasses.includes(name) ? { after, name, was } : undefined
}

/**
 * Whether a new Ingress has no class, in a cluster where each one so far has a class. A chart that is not rendered may
 * have a class of its own, and a whole cluster is judged by `class-known`.
 */
function isClassless({ after, name, by, providers }: Judged, base: Snapshot, head: Snapshot): boolean {
  if (by || name !== undefined || after.assumption || providers.hasDefault || head.isWhole) return false
  if (isForOthers(after, providers)) return false
  return !base.ofKind('Ingress.networking.k8s.io').some((one) => classOf(one) === undefined && !isManaged(one))
}

/** Whether an annotation is for a controller that is not in this repository: `traefik.ingress.kubernetes.io/…`. */
function isForOthers(ingress: Manifest, { controllers }: ClassProviders): boolean {
  return [...ingress.root.at('metadata', 'annotations').entries()].some(([key]) => {
    const product = /^(\w+)\.ingress\.kubernetes\.io\//.exec(key)?.[1]
    return product !== undefined && !controllers.some(({ facts }) => facts.name.includes(product))
  })
}

/** What texts have that say of another Ingress without a class, or give Ingresses a class as they are created. */
const textsOnClassless = ['kind: Ingress', 'ingressClassName']

function servesClassless(text: string, name: string): boolean {
  const documents = text.split(/^---/m)
  if (name === 'ingressClassName')
    return documents.some(
      (one) => /^kind: (?:Cluster|Mutating|MutatingAdmission)?Policy$/m.test(one) && one.includes(name),
    )
  return documents.some((one) => /^kind: Ingress$/m.test(one) && !/ingressClassName|ingress\.class/.test(one))
}

/** A field or an annotation with the class of an Ingress, also in the values of a chart, and its value. */
const classField = /(?:ingressClassName|ingressClass|className|ingress\.class)["']?[ \t]*:[ \t]*["']?([^\s"',}\]]+)/g

function usesClass(text: string, name: string): boolean {
  const isPatched = text.includes('/spec/ingressClassName') && text.includes(name)
  return isPatched || [...text.matchAll(classField)].some(([, value]) => value === name)
}

/** An Ingress that goes as another comes for one of its hosts: the chart names it anew. */
function predecessorOf(ingress: Manifest, base: Snapshot, head: Snapshot): Manifest | undefined {
  const hosts = new Set(routedHosts(ingress).keys())
  return base
    .ofKind('Ingress.networking.k8s.io')
    .find((one) => head.get(one.ref).length === 0 && [...routedHosts(one).keys()].some((host) => hosts.has(host)))
}

function takerOf(ingress: Manifest, providers: ClassProviders): Controller | undefined {
  return providers.controllers.find((one) => takesClassOf(ingress, one, providers))
}

/**
 * Whether a controller takes a new Ingress. One that compares the controller of an IngressClass takes `ingressClassName`
 * only where there is a class of that name; by its own name it takes annotations.
 */
function isTaken(ingress: Manifest, providers: ClassProviders): boolean {
  const { controllers, classes } = providers
  const field = ingress.root.at('spec', 'ingressClassName').string
  const taking = controllers.filter((one) => takesClassOf(ingress, one, providers))
  if (!field || classes.has(field)) return taking.length > 0
  return taking.some(({ claims }) => claims.some(({ by, made }) => by !== 'controller' || made === field))
}

/** The classes that an Ingress can name; a controller that creates a class is known by that one. */
function servedNames({ controllers, classes }: ClassProviders): string[] {
  const names = controllers.flatMap(({ claims }) => claims.flatMap(({ made, names }) => (made ? [made] : names)))
  return [...new Set([...classes.keys(), ...names])].sort()
}

function placeOf(ingress: Manifest): Cursor {
  const field = ingress.root.at('spec', 'ingressClassName')
  return field.string ? field : classAnnotation(ingress)
}
