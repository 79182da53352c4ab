import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import {
  type Controller,
  controllerKinds,
  controllerSubjects,
  controllersOf,
  endsAt,
  nameOfController,
} from '../../kubernetes/controllers/controller'
import { namesOfParts, partKinds } from '../../kubernetes/controllers/controller-parts'
import { statusFactsOf } from '../../kubernetes/controllers/controller-status'
import { selectionMarks, selects } from '../../kubernetes/object/service'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { appended } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

interface Sourceless {
  controller: string
  /** The flag that gives a Service. */
  flag: string
  /** The value of its chart that does. */
  value: string
}

const unpublished = ({ controller, flag, value, service, target }: Sourceless & { service: string; target: string }) =>
  `${controller} does not set --${flag}, so it writes the addresses of its nodes into the status of every Ingress it serves, not the address of its load balancer ${service}. Set --${flag}=${target} (in its chart ${value}).`

const taken = ({ controller, flag, value, lost }: Sourceless & { lost: string }) =>
  `This change removes ${lost} from ${controller}, so it writes the addresses of its nodes into the status of every Ingress it serves. Keep --${flag} (in its chart ${value}).`

export default defineRule({
  id: 'controller-scope/status-source',
  summary: 'An ingress controller behind a load balancer writes that address into the status of its Ingresses.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: [...controllerKinds, ...releaseKinds],
  reads: ['Service', ...partKinds],
  subjects: controllerSubjects,
  messages: {
    unpublished,
    taken,
    unpublishedOther: unpublished,
    takenOther: taken,
    unpublishedRelease: ({ controller, value, product }: Omit<Sourceless, 'flag'> & { product: string }) =>
      `${controller} installs ${product} behind a load balancer without setting ${value}, so it writes the addresses of its nodes into the status of every Ingress it serves. Set ${value} in its values.`,
  },
  later: { unpublishedOther: '1.1.0', takenOther: '1.1.0', unpublishedRelease: '1.1.0' },
  *partners(manifest) {
    yield* namesOfParts(manifest)
    if (releaseKinds.includes(groupKindOf(manifest.ref))) return
    if (manifest.ref.kind === 'Service' || controllersOf(manifest).length > 0) yield* selectionMarks(manifest)
  },
  check({ manifest, snapshot, report }) {
    for (const controller of controllersOf(manifest, snapshot)) {
      const { status, installed } = controller
      if (status.writes !== 'fallback') continue
      if (installed) {
        const { controller: name, value } = namesOf(controller)
        const args = { controller: name, value, product: controller.facts.title }
        if (installed.service?.value === 'LoadBalancer')
          report(endsAt(controller, [status.at]), 'unpublishedRelease', args, { keys: [value] })
        continue
      }
      const service = serviceOf(controller, snapshot, 'LoadBalancer')
      if (!service) continue
      const { namespace, name } = service.ref
      // The flag takes no name without a namespace.
      const target = `${namespace || controller.namespace || '$(POD_NAMESPACE)'}/${name}`
      const [at = status.at, ...more] = endsAt(controller, [status.at])
      report(
        [at, service.root.at('spec', 'type'), ...more],
        isFirst(controller) ? 'unpublished' : 'unpublishedOther',
        { ...namesOf(controller), service: nameOf(service.ref), target },
        {
          keys: [target],
          value: sourceValueOf(controller)?.replace(/:.*/, ''),
          ...publishing(controller, status.at, target),
        },
      )
    }
  },
  checkChange({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const lost = controllersOf(change.before, base).flatMap(({ status }) =>
      status.writes === 'source' ? [status] : [],
    )
    for (const controller of controllersOf(change.after, head)) {
      if (controller.installed) continue
      const [source] = lost
      if (controller.status.writes !== 'fallback' || !source) continue
      // The other message covers load balancers; with node ports only, the nodes are the right addresses.
      if (serviceOf(controller, head, 'LoadBalancer') || serviceOf(controller, head, 'NodePort')) continue
      const argument = `--${source.flag}${source.value === undefined ? '' : `=${source.value}`}`
      report(
        controller.status.at,
        isFirst(controller) ? 'taken' : 'takenOther',
        { ...namesOf(controller), lost: argument },
        { keys: [source.flag], value: sourceValueOf(controller)?.replace(/:.*/, '') },
      )
    }
  },
})

/** Adds the flag to the arguments that others are in. */
function publishing(controller: Controller, at: Cursor, target: string): { fix?: Fix } {
  const { flag } = namesOf(controller)
  const fix = flag === '' ? undefined : appended(at, `--${flag.replace(/^--/, '')}=${target}`)
  return fix ? { fix } : {}
}

/** Whether it is ingress-nginx, the first product of this rule. */
function isFirst({ facts }: Controller): boolean {
  return facts.name === 'ingress-nginx'
}

function serviceOf({ manifest }: Controller, snapshot: Snapshot, type: string): Manifest | undefined {
  const services = snapshot
    .ofKind('Service')
    .filter((service) => service.root.at('spec', 'type').string === type && selects(service, manifest))
  // Without namespaces, the nearest Service is its own.
  return services.find(({ origin }) => origin.path === manifest.origin.path) ?? services[0]
}

function namesOf(controller: Controller): Sourceless {
  const { facts, release } = controller
  const flag = statusFactsOf(facts, release)?.sources[0] ?? ''
  return { controller: nameOfController(controller), flag, value: sourceValueOf(controller) ?? '' }
}

/** The value of its chart that gives the source. */
function sourceValueOf({ facts, release, installed }: Controller): string | undefined {
  return installed?.release.facts.says?.status ?? statusFactsOf(facts, release)?.value
}
