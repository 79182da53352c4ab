import { podOf } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { Controller } from './controller'
import { portNamesOf, portNumbersOf, portsOf } from './controller-service'

/** A port of a Service that leads to none of the Pods of a controller. */
export interface RefusedPort {
  /** The end at the Service, then the one at the Pods. */
  readonly ends: readonly Cursor[]
  /** `TCP/443` */
  readonly key: string
  /** The port of the Pods: its name, or its number. */
  readonly target: string
}

/** A Service and the controller that it selects, before and after a change. */
export interface ServedPods {
  readonly before: Manifest
  readonly after: Manifest
  readonly was: Controller
  readonly is: Controller
}

/** The ports that name one of the Pods which is gone: it has to be there, if it was. */
export function unnamedPorts({ before, after, was, is }: ServedPods): RefusedPort[] {
  const [had, has] = [portNamesOf(was.manifest), portNamesOf(is.manifest)]
  const led = portsOf(before).filter(({ target }) => target !== undefined && had.includes(target))
  return portsOf(after).flatMap(({ at, target = '', key }) => {
    if (target === '' || has.includes(target) || !led.some((one) => one.key === key)) return []
    return [{ ends: [at.at('targetPort'), containersOf(is)], key, target }]
  })
}

/**
 * The ports that lead to a number which the Pods do not have: it has to be listed or in the settings, if the last one was
 * listed.
 */
export function unlistedPorts({ before, after, was, is }: ServedPods): RefusedPort[] {
  // A port needs no entry in the list, where a flag or a variable sets it.
  if (portNumbersOf(is.manifest).length === 0) return []
  const led = new Set(portsOf(before).flatMap(({ at, key }) => (isListed(targetOf(at), was) ? [key] : [])))
  const settings = [podOf(is.manifest).at('spec'), ...is.parts.map(({ manifest }) => manifest.root.at('data'))]
  const numbers = new Set(settings.flatMap(({ value }) => JSON.stringify(value ?? '').split(/[^0-9]+/)))
  return portsOf(after).flatMap(({ at, key }) => {
    const target = targetOf(at)
    if (typeof target !== 'number' || !led.has(key) || isListed(target, is) || numbers.has(String(target))) return []
    const end = at.at('targetPort').exists ? at.at('targetPort') : at.at('port')
    return [{ ends: [end, containersOf(is)], key, target: String(target) }]
  })
}

function isListed(target: unknown, { manifest }: Controller): boolean {
  return [...portNumbersOf(manifest), ...portNamesOf(manifest)].some((port) => port === target)
}

function targetOf(port: Cursor): unknown {
  return port.at('targetPort').value ?? port.at('port').value
}

function containersOf({ manifest }: Controller): Cursor {
  return podOf(manifest).at('spec', 'containers')
}
