import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { namesWhole } from '../../manifest/mentions'
import { releaseKinds } from './chart-release'
import { LayeredValue } from './layered-value'
import { type RemoteRelease, remoteReleasesOf, seenValuesOf } from './remote-release'

/** An object that the values of a release have as a whole, which charts write out as it is: `extraObjects`, `rawResources`. */
interface ObjectInValues {
  readonly kind: string
  /** Empty where nothing gives one. */
  readonly namespace: string
  /** The names that its chart may give it. */
  readonly names: ReadonlySet<string>
  /** The object as plain data. */
  readonly value: unknown
}

/** An object that is not there: of one of some kinds, with a name. */
interface Absent {
  readonly kinds: readonly string[]
  readonly name: string
  /** Empty where the files give none. */
  readonly namespace: string
}

/** A release whose chart was not rendered and whose values have an object, so that it may create it. */
export function releaseWriting({ kinds, name, namespace }: Absent, snapshot: Snapshot): Manifest | undefined {
  return releaseWith((one) => isOf(one, kinds, namespace) && one.names.has(name), snapshot)
}

/** The same for an object that another one creates, which has its name in itself. */
export function releaseMaking({ kinds, name, namespace }: Absent, snapshot: Snapshot): Manifest | undefined {
  return releaseWith(
    (one) => isOf(one, kinds, namespace) && (one.names.has(name) || namesWhole(one.value, name)),
    snapshot,
  )
}

function isOf(one: ObjectInValues, kinds: readonly string[], namespace: string): boolean {
  return kinds.includes(one.kind) && (one.namespace === '' || namespace === '' || one.namespace === namespace)
}

function releaseWith(isMeant: (one: ObjectInValues) => boolean, snapshot: Snapshot): Manifest | undefined {
  const all = objects.get(snapshot) ?? objectsIn(snapshot)
  objects.set(snapshot, all)
  return all.find(({ object }) => isMeant(object))?.release
}

interface Written {
  readonly release: Manifest
  readonly object: ObjectInValues
}

/** Kept, as a change may take many objects away. */
const objects = new WeakMap<Snapshot, readonly Written[]>()

function objectsIn(snapshot: Snapshot): Written[] {
  return releaseKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((release) => {
      const rendered = release.object.context?.rendered
      return remoteReleasesOf(release, snapshot)
        .filter(({ name }) => !rendered?.has(name))
        .flatMap((one) => objectsOf(one).map((object) => ({ release, object })))
    })
}

/** No person writes more maps. */
const mostMaps = 3000

function objectsOf(release: RemoteRelease): ObjectInValues[] {
  const found: ObjectInValues[] = []
  let left = mostMaps
  /** @param above the keys that lead here and the texts beside them, of the entry first: `NAME.manifest`, `forceRename` */
  const visit = (value: LayeredValue, above: readonly string[]): void => {
    const text = value.at?.string?.includes('kind:') ? value.at.nested : undefined
    if (text) visit(LayeredValue.of([text]), above)
    for (const item of value.items ?? []) visit(item, [])
    if (!value.isMap || value.get('enabled').scalar === false || left-- <= 0) return
    const texts = value.keys.flatMap((key) => stringAt(value, key) ?? [])
    const kind = stringAt(value, 'kind')
    if (kind !== undefined && stringAt(value, 'apiVersion') !== undefined) {
      const [own, namespace] = ['name', 'namespace'].map((key) => stringAt(value.get('metadata'), key))
      const names = new Set(own === undefined ? above : [own])
      found.push({ kind, namespace: namespace ?? release.namespace, names, value: value.at?.value })
      return
    }
    for (const key of value.keys) visit(value.get(key), [key, ...texts, ...(above[0] === undefined ? [] : [above[0]])])
  }
  visit(seenValuesOf(release), [])
  return found
}

function stringAt(value: LayeredValue, key: string): string | undefined {
  const { scalar } = value.get(key)
  return typeof scalar === 'string' ? scalar : undefined
}
