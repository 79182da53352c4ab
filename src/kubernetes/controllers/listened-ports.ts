import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { identityOf, type Manifest } from '../../manifest/manifest'
import type { Settings } from '../workload/settings'
import type { Controller } from './controller'
import { portsOf, servicesTo } from './controller-service'

/** A port on which a controller listens for clients. */
interface ListenedPort {
  readonly flag: string
  readonly port: number
}

/** The port of a Service that leads to one of the Pods on which nothing listens any more. */
export interface LostListener {
  /** The setting that has it listen elsewhere now. */
  readonly at: Cursor
  readonly service: Manifest
  /** The place that decides the port of the Pods. */
  readonly end: Cursor
  readonly port: string
  readonly target: number
  /** The ports on which it listens now. */
  readonly listened: readonly number[]
}

/** The ports of Services for which a controller listened before, and after a change of its settings no longer does. */
export function lostListeners(was: Controller, is: Controller, base: Snapshot, head: Snapshot): LostListener[] {
  const [had, has] = [listenedPorts(was), listenedPorts(is)]
  if (!had || !has || !isAlone(is)) return []
  const listened = has.map(({ port }) => port)
  const former = servicesTo(was.manifest, base)
  return servicesTo(is.manifest, head).flatMap((service) => {
    const old = former.find(({ ref }) => identityOf(ref) === identityOf(service.ref))
    const led = old ? portsOf(old).map(({ at, key }) => ({ key, target: targetOf(at, was.manifest) })) : []
    return portsOf(service).flatMap(({ at, key }): LostListener[] => {
      const target = targetOf(at, is.manifest)
      const lost = had.find(({ port }) => port === target && !listened.includes(port))
      // A Service that comes to lead elsewhere may lead to a port that a snippet opens.
      if (!lost || !led.some((one) => one.key === key && one.target === target)) return []
      const end = at.at('targetPort').exists ? at.at('targetPort') : at.at('port')
      const by = is.settings.get(lost.flag)?.at ?? is.settings.placeOf(lost.flag)
      return [{ at: by, service, end, port: key.slice(key.indexOf('/') + 1), target: lost.port, listened }]
    })
  })
}

/** The ports on which a controller listens for clients; undefined where some of them are not known. */
function listenedPorts({ facts, settings, inShell }: Controller): ListenedPort[] | undefined {
  const { ports, addresses } = facts.listens ?? {}
  if (inShell || settings.opaque) return undefined
  if (addresses) return portsIn(addresses.below, addresses.key, settings)
  const found = Object.entries(ports ?? {}).map(([flag, byDefault]) => {
    const given = settings.get(flag)
    return { flag, port: given ? numberIn(given.value) : byDefault }
  })
  return areAllKnown(found) ? found : undefined
}

/** The ports of addresses, those for TCP. */
function portsIn(below: string, key: string, settings: Settings): ListenedPort[] | undefined {
  const names = settings.below(below) ?? []
  const found = names.flatMap((name) => {
    const flag = `${below}.${name}.${key}`
    const address = settings.get(flag)?.value
    return address?.toLowerCase().endsWith('/udp') ? [] : [{ flag, port: portOf(address) }]
  })
  return areAllKnown(found) ? found : undefined
}

function areAllKnown(found: readonly { flag: string; port: number | undefined }[]): found is ListenedPort[] {
  return found.length > 0 && found.every(({ port }) => port !== undefined)
}

/** 8443 of `:8443` and of `[::]:8443/tcp`. */
function portOf(address: string | undefined): number | undefined {
  const [host = ''] = address?.split('/') ?? []
  return host.includes(':') ? numberIn(host.slice(host.lastIndexOf(':') + 1)) : undefined
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

/** The port of the Pods to which that of a Service leads. */
function targetOf(port: Cursor, workload: Manifest): number | undefined {
  const target = port.at('targetPort').value ?? port.at('port').value
  if (typeof target === 'number') return target
  const containers = [...podOf(workload).at('spec', 'containers').items()]
  const listed = containers.flatMap((one) => [...one.at('ports').items()])
  const number = listed.find((one) => one.at('name').value === target)?.at('containerPort').value
  return typeof number === 'number' ? number : undefined
}

/** Whether no other program of the Pods may listen in its place. */
function isAlone({ manifest }: Controller): boolean {
  return [...podOf(manifest).at('spec', 'containers').items()].length === 1
}
