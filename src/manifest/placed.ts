import { entryOf } from '../entry'
import type { Assumption } from './assumption'
import type { Cursor } from './cursor'
import type { LoadedObject } from './load'
import { Manifest, type ObjectRef } from './manifest'
import { nodeOf } from './nodes'

/** A value that is put together from values of other objects, each with its place. */
export type Placed =
  | { readonly at: Cursor; readonly scalar: unknown }
  | { readonly at: Cursor; readonly list: readonly Placed[] }
  | { readonly at: Cursor; readonly map: Readonly<Record<string, Placed>> }

/** An object that is made of placed values, as a manifest of the owner's side, file and clusters. */
export function madeOf(
  placed: Placed,
  { ref, apiVersion, text }: { readonly ref: ObjectRef; readonly apiVersion: string; readonly text: string },
  owner: Manifest,
  clusters: readonly string[] = owner.clusters,
): Manifest {
  const value = plainOf(placed)
  const { fileText, lines, region } = owner.object
  const object: LoadedObject = {
    ref,
    apiVersion,
    node: nodeOf(value),
    content: JSON.stringify(value),
    fileText,
    lines,
    region,
    duplicateKeys: [],
    regionOf: () => region,
    resolve: () => undefined,
  }
  const assumption: Assumption = { text, writtenAt: (path) => placeIn(placed, path) }
  return new Manifest(object, owner.side, owner.origin, clusters, owner.evidence, undefined, assumption)
}

function plainOf(placed: Placed): unknown {
  if ('scalar' in placed) return placed.scalar
  if ('list' in placed) return placed.list.map(plainOf)
  return Object.fromEntries(Object.entries(placed.map).map(([key, one]) => [key, plainOf(one)]))
}

function placeIn(placed: Placed, [key, ...more]: Cursor['path']): Cursor {
  const inner = key === undefined ? undefined : childOf(placed, key)
  const at = inner ? placeIn(inner, more) : placed.at
  // The values of an object made from an assumed one are in that one's place.
  return at.manifest.assumption?.writtenAt(at.path) ?? at
}

function childOf(placed: Placed, key: string | number): Placed | undefined {
  if ('list' in placed) return typeof key === 'number' ? placed.list[key] : undefined
  return 'map' in placed ? entryOf(placed.map, String(key)) : undefined
}
