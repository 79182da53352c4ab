import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { type Controller, controllersHere } from './controller'
import { controllersReadFrom } from './same-controller'

/** The name of an object, as ingress-nginx has it: `namespace/name`. */
export interface ConfigName {
  readonly namespace: string
  readonly name: string
}

/** A ConfigMap that ingress-nginx reads. */
interface NamedConfig {
  readonly controller: Controller
  readonly flag: string
  readonly map: ConfigName
  /** Where it is named. */
  readonly at: Cursor
  /** What comes of the controller without it. */
  readonly loss: string
}

/** The flags that name a ConfigMap. Source: ingress-nginx controller-v1.15.1, pkg/flags/flags.go */
const flags: Readonly<Record<string, string>> = {
  configmap: 'the controller goes on with none of these settings, but with its defaults',
  'tcp-services-configmap': 'the controller closes all ports that this ConfigMap opens',
  'udp-services-configmap': 'the controller closes all ports that this ConfigMap opens',
}

/** The ConfigMaps that a controller names; none of a chart's release, which names those that it creates. */
export function configsNamedBy(controller: Controller): NamedConfig[] {
  const { facts, installed, settings } = controller
  if (facts.name !== 'ingress-nginx' || installed) return []
  return Object.entries(flags).flatMap(([flag, loss]) => {
    const given = settings.get(flag)
    const map = given && namedBy(given.value ?? '')
    return map ? [{ controller, flag, map, at: given.at, loss }] : []
  })
}

export function configsNamedIn(snapshot: Snapshot): NamedConfig[] {
  return controllersHere(snapshot).flatMap(configsNamedBy)
}

/** The controllers that are read from an object, and those of ingress-nginx that name it as a ConfigMap. */
export function controllersConfiguredBy(object: Manifest, snapshot: Snapshot): readonly Controller[] {
  const { kind, namespace, name } = object.ref
  const naming = configsNamedIn(snapshot).filter(
    ({ map }) => kind === 'ConfigMap' && map.namespace === namespace && map.name === name,
  )
  return [...new Set([...controllersReadFrom(object, snapshot), ...naming.map(({ controller }) => controller)])]
}

/** A value in the ConfigMap of an ingress-nginx. */
export interface Configured {
  /** The value, or the place that would hold it. */
  readonly at: Cursor
  /** Undefined where it is not set. */
  readonly text: string | undefined
}

/** The value under a key of the ConfigMap that configures an ingress-nginx; undefined where it is unknown. */
export function configuredIn(controller: Controller, key: string, snapshot: Snapshot): Configured | undefined {
  const { installed, settings, place } = controller
  if (installed) {
    const { at, isKnown, value } = installed.release.values.get(`controller.config.${key}`)
    return isKnown ? { at, text: value === undefined ? undefined : String(value) } : undefined
  }
  const named = configsNamedBy(controller).find(({ flag }) => flag === 'configmap')
  const maps = named ? snapshot.get({ group: '', kind: 'ConfigMap', ...named.map }) : []
  const [map] = maps
  if (maps.length > 1 || (named ? !map : settings.has('configmap'))) return undefined
  const at = map?.root.at('data', key)
  return { at: at ?? place, text: at?.string }
}

function namedBy(text: string): ConfigName | undefined {
  const [namespace, name, more] = text.split('/')
  return namespace && name && more === undefined ? { namespace, name } : undefined
}

/** A port that ingress-nginx opens for connections to a Service. */
export interface Stream {
  /** The entry of the ConfigMap. */
  readonly at: Cursor
  readonly port: string
  readonly service: ConfigName
}

/** The entries of a ConfigMap that are ports, if ingress-nginx reads them: `5432: shop/db:5432`. */
export function streamsIn({ root }: Manifest): Stream[] {
  return [...root.at('data').entries()].flatMap(([port, at]) => {
    const [service = '', target] = (at.string ?? '').split(':')
    const name = /^\d+$/.test(port) && target ? namedBy(service) : undefined
    return name ? [{ at, port, service: name }] : []
  })
}

/** The ports that a ConfigMap makes a controller of a snapshot open. */
export function streamsBy(map: Manifest, snapshot: Snapshot): Stream[] {
  const isRead = configsNamedIn(snapshot).some(
    ({ flag, map: { namespace, name } }) =>
      flag !== 'configmap' && map.ref.name === name && map.ref.namespace === namespace,
  )
  return isRead ? streamsIn(map) : []
}

/** The ports that lead to a Service. */
export function streamsTo({ namespace, name }: ConfigName, snapshot: Snapshot): readonly Stream[] {
  const index = indexes.get(snapshot) ?? indexed(snapshot)
  indexes.set(snapshot, index)
  return index.get(`${namespace}/${name}`) ?? []
}

/** Kept, as a change may remove many Services. */
const indexes = new WeakMap<Snapshot, ReadonlyMap<string, readonly Stream[]>>()

function indexed(snapshot: Snapshot): ReadonlyMap<string, readonly Stream[]> {
  const index = new Map<string, Stream[]>()
  const seen = new Set<string>()
  for (const { map } of configsNamedIn(snapshot)) {
    const [manifest] = snapshot.get({ group: '', kind: 'ConfigMap', ...map })
    if (!manifest || seen.has(nameOf(manifest.ref))) continue
    seen.add(nameOf(manifest.ref))
    for (const stream of streamsBy(manifest, snapshot))
      append(index, `${stream.service.namespace}/${stream.service.name}`, stream)
  }
  return index
}
