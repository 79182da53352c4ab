import type { Snapshot } from '../../cluster/snapshot'
import {
  type ClassProviders,
  classProvidersIn,
  knownIn,
  takesClassOf,
} from '../../kubernetes/controllers/class-provider'
import {
  type Controller,
  controllerKinds,
  marksOfControllers,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { classAnnotation, classOf } from '../../kubernetes/ingress/ingress-class'
import { isManaged } from '../../kubernetes/ingress/managed-class'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Left = { ingress: string; was: string; controller: string; known: string }

export default defineRule({
  id: 'controller-scope/class-served',
  summary: 'An Ingress is not moved to a class that nothing here provides, and does not come with one.',
  since: '1.6.0',
  scope: 'change',
  assumed: true,
  kinds: ['Ingress.networking.k8s.io'],
  reads: ['IngressClass.networking.k8s.io', ...controllerKinds],
  messages: {
    moved: ({ ingress, was, controller, name, known }: Left & { name: string }) =>
      `${ingress} had the class ${was}, which ${controller} serves. This change gives it the class ${name}, which no IngressClass and no controller in this repository provides and no other Ingress uses, so its hosts may not be served. Use a class that is served (${known}), or add the IngressClass ${name} to this repository.`,
    emptied: ({ ingress, was, controller, known }: Left) =>
      `${ingress} had the class ${was}, which ${controller} serves. This change leaves it without a class, and no controller and no default IngressClass in this repository takes such an Ingress, so its hosts may not be served. Name a class that is served: ${known}.`,
    unserved: ({ ingress, name, known }: { ingress: string; name: string; known: string }) =>
      `${ingress} comes with the class ${name}, which no IngressClass and no controller in this repository provides and no other Ingress uses, so its hosts may not be served. Use a class that is served (${known}), or add the IngressClass ${name} to this repository.`,
  },
  putBack: { moved: 'changed', emptied: 'changed' },
  *partners(manifest) {
    yield 'IngressClass'
    yield* marksOfControllers
    const name = classOf(manifest)
    if (name) yield name
    yield* routedHosts(manifest).keys()
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const before = change.kind === 'changed' ? change.before : predecessorOf(after, base, head)
    const [providersBefore, providers] = [classProvidersIn(base), classProvidersIn(head)]
    if (!providersBefore || !providers || takerOf(after, providers) || isManaged(after)) return
    const name = classOf(after)
    const isUnknown = (one: string) =>
      !providers.classes.has(one) && ![base, head].some((side) => isUsedBeside(after, one, side))
    if (!before) {
      // Without a controller at the base, this may be the first of what a cluster gets.
      if (!name || isPlaceholder(name) || providersBefore.controllers.length === 0 || !isUnknown(name)) return
      report(
        placeOf(after),
        'unserved',
        { ingress: nameOf(after.ref), name, known: knownIn(providers) },
        { keys: [name] },
      )
      return
    }
    const was = classOf(before)
    if (!was || was === name || [was, name ?? ''].some(isPlaceholder)) return
    // A controller that goes or changes its class is reported by other rules.
    const by = takerOf(before, providers)
    if (!by || !takerOf(before, providersBefore)) return
    const names = {
      ingress: nameOf(after.ref),
      was,
      controller: nameOfController(by),
      known: knownIn(providers),
    }
    if (name === undefined) {
      if (!providers.hasDefault) report(after.root.at('spec'), 'emptied', names, { keys: [was] })
    } else if (isUnknown(name)) {
      report(placeOf(after), 'moved', { ...names, name }, { keys: [name] })
    }
  },
})

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

function placeOf(ingress: Manifest): Cursor {
  const field = ingress.root.at('spec', 'ingressClassName')
  return field.string ? field : classAnnotation(ingress)
}

/** Whether another Ingress uses a class, too: then something provides it. */
function isUsedBeside(ingress: Manifest, name: string, side: Snapshot): boolean {
  return side
    .ofKind('Ingress.networking.k8s.io')
    .some((other) => identityOf(other.ref) !== identityOf(ingress.ref) && classOf(other) === name)
}
