import type { Snapshot } from '../../cluster/snapshot'
import { mayBeReleased } from '../../kubernetes/charts/makers'
import { controllerKinds, controllersOf } from '../../kubernetes/controllers/controller'
import {
  type ConfigName,
  configsNamedBy,
  configsNamedIn,
  type Stream,
  streamsBy,
  streamsIn,
  streamsTo,
} from '../../kubernetes/controllers/nginx-config'
import { outlivesPrune } from '../../kubernetes/object/prune'
import type { Change } from '../../manifest/change'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

// Source: ingress-nginx controller-v1.15.1, internal/ingress/controller/store/store.go (New: a warning) and
// internal/ingress/controller/controller.go (getStreamServices)
const messages = {
  removed: ({ map, controller, flag, loss }: Record<'map' | 'controller' | 'flag' | 'loss', string>) =>
    `This change removes ${map}, which ${controller} still names in --${flag}, so ${loss}. Keep the ConfigMap under this name, or name the new one there.`,
  moved: ({ map, controller, former, flag, loss }: Record<'map' | 'controller' | 'former' | 'flag' | 'loss', string>) =>
    `After this change ${controller} names ${map} in --${flag}, which nothing here creates, and no longer ${former}, which is here. Unless something else creates it, ${loss}. Check the name, or add the ConfigMap.`,
  service: ({ service, map, port }: Record<'service' | 'map' | 'port', string>) =>
    `This change removes ${service}, to which ${map} still sends the connections to port ${port}, so ingress-nginx closes this port. Restore the Service, or name another one there.`,
  replaced: ({ service, map, port, former }: Record<'service' | 'map' | 'port' | 'former', string>) =>
    `After this change ${map} sends the connections to port ${port} to ${service}, which nothing here creates, and no longer to ${former}, which is here. Unless something else creates it, ingress-nginx closes this port. Check the name, or add the Service.`,
}

export default defineRule({
  id: 'controller-scope/configuration-resolves',
  summary: 'The ConfigMaps that ingress-nginx reads are there, and so are the Services to which they open ports.',
  since: '1.30.0',
  scope: 'change',
  kinds: [...controllerKinds, 'ConfigMap', 'Service'],
  messages,
  putBack: { moved: 'changed', replaced: 'changed' },
  *partners(manifest, _, isGone) {
    const { kind, name, namespace } = manifest.ref
    if (kind === 'Service') {
      if (isGone) yield `${namespace}/${name}:`
    } else if (kind === 'ConfigMap') {
      const services = streamsIn(manifest).map(({ service }) => service.name)
      if (isGone || services.length > 0) yield* [name, ...services]
    } else for (const { map } of controllersOf(manifest).flatMap(configsNamedBy)) yield map.name
  },
  check({ change, base, head, report }) {
    if (change.kind === 'added') return
    const { kind } = change.before.ref
    if (change.kind === 'removed') {
      if (outlivesPrune(change.before)) return
      if (kind === 'ConfigMap') reportRemovedConfig(change.before, head, report)
      if (kind === 'Service') reportRemovedService(change.before, head, report)
    } else if (kind === 'ConfigMap') reportReplacedServices(change, base, head, report)
    else if (kind !== 'Service') reportMovedConfigs(change, base, head, report)
  },
})

type ReportMessage = ReportFunction<typeof messages>
type Changed = Extract<Change, { kind: 'changed' }>

function reportRemovedConfig(removed: Manifest, head: Snapshot, report: ReportMessage): void {
  if (![...removed.root.at('data').entries()].length || !isMissing('ConfigMap', removed.ref, head)) return
  for (const { controller, flag, map, at, loss } of configsNamedIn(head)) {
    if (map.name !== removed.ref.name || map.namespace !== removed.ref.namespace) continue
    const args = { map: nameOf(removed.ref), controller: nameOf(controller.manifest.ref), flag, loss }
    report([removed.root, at], 'removed', args, { keys: [flag] })
  }
}

function reportMovedConfigs({ before, after }: Changed, base: Snapshot, head: Snapshot, report: ReportMessage): void {
  const were = controllersOf(before, base).flatMap(configsNamedBy)
  for (const { flag, map, at, loss } of controllersOf(after, head).flatMap(configsNamedBy)) {
    const was = were.find((one) => one.flag === flag)?.map
    const [former] = was ? copiesOf('ConfigMap', was, head) : []
    if (!former || inWords(map) === inWords(was) || !isMissing('ConfigMap', map, head)) continue
    const args = { map: `ConfigMap ${inWords(map)}`, controller: nameOf(after.ref), former: nameOf(former.ref) }
    report([at, former.root.at('metadata', 'name')], 'moved', { ...args, flag, loss }, { keys: [flag, map.name] })
  }
}

function reportRemovedService(removed: Manifest, head: Snapshot, report: ReportMessage): void {
  const streams = streamsTo(removed.ref, head)
  if (streams.length === 0 || !isMissing('Service', removed.ref, head)) return
  for (const { at, port } of streams) {
    const args = { service: nameOf(removed.ref), map: nameOf(at.manifest.ref), port }
    report([removed.root, at], 'service', args, { keys: [port] })
  }
}

function reportReplacedServices({ before, after }: Changed, base: Snapshot, head: Snapshot, report: ReportMessage) {
  const were = new Map(streamsBy(before, base).map((one) => [one.port, one]))
  for (const { at, port, service } of streamsBy(after, head)) {
    const was: Stream | undefined = were.get(port)
    const [former] = was ? copiesOf('Service', was.service, head) : []
    if (!former || inWords(was?.service) === inWords(service) || !isMissing('Service', service, head)) continue
    const args = { service: `Service ${inWords(service)}`, map: nameOf(after.ref), port, former: nameOf(former.ref) }
    report([at, former.root.at('metadata', 'name')], 'replaced', args, { keys: [port, service.name] })
  }
}

/** Whether nothing in a snapshot is or may create an object of a name. */
function isMissing(kind: string, name: ConfigName, snapshot: Snapshot): boolean {
  return copiesOf(kind, name, snapshot).length === 0 && !mayBeReleased(name.namespace, name.name, snapshot)
}

/** The objects that have a name; one without a namespace may be deployed to any. */
function copiesOf(kind: string, { namespace, name }: ConfigName, snapshot: Snapshot): Manifest[] {
  return [namespace, ''].flatMap((one) => [...snapshot.get({ group: '', kind, namespace: one, name })])
}

function inWords(name: ConfigName | undefined): string {
  return name ? `${name.namespace}/${name.name}` : ''
}
