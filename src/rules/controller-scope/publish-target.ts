import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { mayBeReleased } from '../../kubernetes/charts/makers'
import {
  type Controller,
  controllerKinds,
  controllerSubjects,
  controllersIn,
  controllersOf,
} from '../../kubernetes/controllers/controller'
import { statusFactsOf } from '../../kubernetes/controllers/controller-status'
import { heldBy } from '../../kubernetes/object/namespace'
import { selectionMarks, selects } from '../../kubernetes/object/service'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Dangling = {
  controller: string
  /** The flag that names the Service. */
  flag: string
  /** The Service, as the flag names it. */
  target: string
}

type Names = Record<'controller' | 'target', string>

export default defineRule({
  id: 'controller-scope/publish-target',
  summary: 'The Services that an ingress controller looks up as it starts exist.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: ['Service'],
  subjects: controllerSubjects,
  messages: {
    missing: ({ controller, flag, target, instead }: Dangling & { instead: string }) =>
      `${controller} publishes the address of Service ${target}, which no manifest of this cluster creates; the controller exits at startup if the Service of --${flag} does not exist. Name ${instead}, or remove the argument.`,
    missingRelease: ({ controller, target, product }: Dangling & { product: string }) =>
      `${controller} makes ${product} publish the address of Service ${target}, which neither the chart nor a manifest of this cluster creates; the controller exits at startup if the Service does not exist. Remove this value: the chart then names the Service that it creates.`,
    removed: ({ controller, flag, target }: Dangling) =>
      `This change removes Service ${target}, whose address ${controller} publishes; the controller exits at its next startup if the Service of --${flag} does not exist. Keep the Service, or set --${flag} to another one.`,
    // Source: ingress-nginx controller-v1.15.1, cmd/nginx/main.go, checkService
    backend: ({ controller, target }: Names) =>
      `${controller} sends requests without a route to Service ${target}, which no manifest of this cluster creates; the controller exits at startup if the Service of --${backendFlag} does not exist. Name a Service that exists, or remove the argument.`,
    backendRemoved: ({ controller, target }: Names) =>
      `This change removes Service ${target}, to which ${controller} sends requests without a route; the controller exits at its next startup if the Service of --${backendFlag} does not exist. Keep the Service, or remove the argument first.`,
  },
  later: { backend: '1.30.0', backendRemoved: '1.30.0' },
  putBack: { backend: 'changed' },
  *partners(manifest) {
    const controllers = controllersOf(manifest)
    if (manifest.ref.kind === 'Service' || controllers.length > 0) yield* selectionMarks(manifest)
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    for (const controller of controllers) {
      for (const target of [targetOf(controller), backendOf(controller)]) if (target) yield target.name
      if (controller.installed) yield controller.namespace
    }
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Service' ? undefined : ['Service']),
  check({ manifest, snapshot, report }) {
    for (const controller of controllersOf(manifest, snapshot)) {
      const target = targetOf(controller)
      if (controller.installed) {
        if (!target || mayBeMade(target, controller, snapshot)) continue
        const names = { ...namesOf(controller, target), product: controller.facts.title }
        report(target.at, 'missingRelease', names, { keys: [nameInMessages(target)] })
        continue
      }
      const own = ownServices(controller, snapshot)
      const backend = own.length > 0 ? backendOf(controller) : undefined
      if (backend && isUnmade(backend, manifest, snapshot)) {
        const names = { controller: nameOf(manifest.ref), target: nameInMessages(backend) }
        report(backend.at, 'backend', names, { keys: [nameInMessages(backend)] })
      }
      if (!target || own.length === 0 || isThere(target, snapshot)) continue
      // A Service of another namespace belongs to another release, which may not have been inspected.
      if (target.namespace !== manifest.ref.namespace && !snapshot.isWhole) continue
      const service = own.find(bringsTraffic)
      const ends = [target.at, (service ?? own[0])?.root.at('metadata', 'name')].filter((end) => end !== undefined)
      const instead = service ? `${nameOf(service.ref)}, which routes its traffic` : 'a Service that exists'
      // A value from a ConfigMap may be only a part of it.
      const isHere = target.at.manifest === manifest
      const fix = service && isHere ? replaced(target.at, naming(target, service)) : undefined
      const more = {
        keys: [nameInMessages(target)],
        value: 'controller.publishService.pathOverride',
        ...(fix ? { fix } : {}),
      }
      report(ends, 'missing', { ...namesOf(controller, target), instead }, more)
    }
  },
  checkChange({ change, head, report }) {
    if (change.kind !== 'removed' || change.before.ref.kind !== 'Service') return
    const { before } = change
    for (const controller of controllersIn(head)) {
      const backend = controller.installed ? undefined : backendOf(controller)
      if (backend && isOf(backend, before) && !isThere(backend, head) && ownServices(controller, head).length === 0) {
        const names = { controller: nameOf(controller.manifest.ref), target: nameInMessages(backend) }
        report([before.root, backend.at], 'backendRemoved', names, { keys: [nameInMessages(backend)] })
      }
      // A remote chart's release also installs its Services.
      const target = controller.installed ? undefined : targetOf(controller)
      if (!target || !isOf(target, before)) continue
      // The other message covers another Service of its own.
      if (isThere(target, head) || ownServices(controller, head).length > 0) continue
      report([before.root, target.at], 'removed', namesOf(controller, target), { keys: [nameInMessages(target)] })
    }
  },
})

interface LookedUpService {
  readonly at: Cursor
  readonly flag: string
  readonly namespace: string
  readonly name: string
}

/** The controllers that exit where the Service is missing; others only leave the status empty. */
const ending = ['ingress-nginx']

const backendFlag = 'default-backend-service'

/** The Service that answers what no route takes, if a controller looks it up as it starts. */
function backendOf({ facts, settings }: Controller): LookedUpService | undefined {
  const given = ending.includes(facts.name) ? settings.get(backendFlag) : undefined
  return given && !given.maybe ? serviceAt(given.at, backendFlag, given.value) : undefined
}

/** The Service that a controller is configured to publish; undefined if there is none, or it is unknown. */
function targetOf({ facts, release, status }: Controller): LookedUpService | undefined {
  if (!ending.includes(facts.name) || status.writes !== 'source') return undefined
  if (status.flag !== statusFactsOf(facts, release)?.sources[0]) return undefined
  return serviceAt(status.at, status.flag, status.value)
}

function serviceAt(at: Cursor, flag: string, value = ''): LookedUpService | undefined {
  const [namespace, name, more] = value.split('/')
  return namespace && name && more === undefined ? { at, flag, namespace, name } : undefined
}

function isOf({ namespace, name }: LookedUpService, { ref }: Manifest): boolean {
  return ref.name === name && ref.namespace === namespace
}

/** Whether nothing here is or may create a Service that a controller names in its own namespace. */
function isUnmade(target: LookedUpService, { ref }: Manifest, snapshot: Snapshot): boolean {
  const isOwn = target.namespace === ref.namespace
  return isOwn && !isThere(target, snapshot) && !mayBeReleased(target.namespace, target.name, snapshot)
}

/** Whether a Service with that name exists; one without a namespace may be deployed to any. */
function isThere({ namespace, name }: LookedUpService, snapshot: Snapshot): boolean {
  return snapshot.ofKind('Service').some(({ ref }) => ref.name === name && ['', namespace].includes(ref.namespace))
}

/**
 * Whether the Service that a release publishes may be created: by the release itself, whose chart starts the names of
 * its objects with one prefix, or by another release of that namespace.
 */
function mayBeMade(target: LookedUpService, { namespace, installed, manifest }: Controller, snapshot: Snapshot) {
  const chart = installed?.fullname
  if (!chart || !installed?.service || target.namespace !== namespace || target.name.startsWith(chart)) return true
  const isOther = (one: Manifest) => one !== manifest && releaseKinds.includes(groupKindOf(one.ref))
  return isThere(target, snapshot) || heldBy(namespace, snapshot).some(isOther)
}

/** The Services of a controller's release, which show that its manifests are here. */
function ownServices({ manifest }: Controller, snapshot: Snapshot): Manifest[] {
  return snapshot.ofKind('Service').filter((service) => selects(service, manifest))
}

/** Whether it is the Service for client traffic, and not that of the webhook or the metrics. */
function bringsTraffic({ ref, root }: Manifest): boolean {
  return (
    ['LoadBalancer', 'NodePort'].includes(root.at('spec', 'type').string ?? '') ||
    !/-(?:admission|metrics)$/.test(ref.name)
  )
}

/** The argument, with another Service in it. */
function naming({ at }: LookedUpService, { ref }: Manifest): string {
  const written = at.string ?? ''
  return `${written.slice(0, written.lastIndexOf('=') + 1)}${ref.namespace}/${ref.name}`
}

function namesOf({ manifest }: Controller, target: LookedUpService): Dangling {
  return { controller: nameOf(manifest.ref), flag: target.flag, target: nameInMessages(target) }
}

function nameInMessages({ namespace, name }: Pick<LookedUpService, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
