import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
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

export default defineRule({
  id: 'controller-scope/publish-target',
  summary: 'The Service whose address an ingress controller publishes exists.',
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
  },
  *partners(manifest) {
    const controllers = controllersOf(manifest)
    if (manifest.ref.kind === 'Service' || controllers.length > 0) yield* selectionMarks(manifest)
    if (manifest.ref.kind === 'Service') yield manifest.ref.name
    for (const controller of controllers) {
      const target = targetOf(controller)
      if (target) yield target.name
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
      // A remote chart's release also installs its Services.
      const target = controller.installed ? undefined : targetOf(controller)
      if (target?.name !== before.ref.name || target.namespace !== before.ref.namespace) continue
      // The other message covers another Service of its own.
      if (isThere(target, head) || ownServices(controller, head).length > 0) continue
      report([before.root, target.at], 'removed', namesOf(controller, target), { keys: [nameInMessages(target)] })
    }
  },
})

interface PublishedService {
  readonly at: Cursor
  readonly flag: string
  readonly namespace: string
  readonly name: string
}

/** The controllers that exit where the Service is missing; others only leave the status empty. */
const ending = ['ingress-nginx']

/** The Service that a controller is configured to publish; undefined if there is none, or it is unknown. */
function targetOf({ facts, release, status }: Controller): PublishedService | undefined {
  if (!ending.includes(facts.name) || status.writes !== 'source') return undefined
  if (status.flag !== statusFactsOf(facts, release)?.sources[0]) return undefined
  const [namespace, name, more] = (status.value ?? '').split('/')
  return namespace && name && more === undefined ? { at: status.at, flag: status.flag, namespace, name } : undefined
}

/** Whether a Service with that name exists; one without a namespace may be deployed to any. */
function isThere({ namespace, name }: PublishedService, snapshot: Snapshot): boolean {
  return snapshot.ofKind('Service').some(({ ref }) => ref.name === name && ['', namespace].includes(ref.namespace))
}

/**
 * Whether the Service that a release publishes may be created: by the release itself, whose chart starts the names of
 * its objects with one prefix, or by another release of that namespace.
 */
function mayBeMade(target: PublishedService, { namespace, installed, manifest }: Controller, snapshot: Snapshot) {
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
function naming({ at }: PublishedService, { ref }: Manifest): string {
  const written = at.string ?? ''
  return `${written.slice(0, written.lastIndexOf('=') + 1)}${ref.namespace}/${ref.name}`
}

function namesOf({ manifest }: Controller, target: PublishedService): Dangling {
  return { controller: nameOf(manifest.ref), flag: target.flag, target: nameInMessages(target) }
}

function nameInMessages({ namespace, name }: Pick<PublishedService, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}
