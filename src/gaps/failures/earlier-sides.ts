import type { Failure } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import type { Source } from '../../sources/source'
import { failureOf } from '../failure-of'
import { isMoved } from '../moved'

/** How the base fared with the sources of the head. */
export interface Earlier {
  /** The base's side of a source: its own, or that of a removed one which may have moved to it. */
  of(source: Source): RenderedSide | undefined
  /** Whether a source that the head no longer has failed in the same words. */
  hadFailure(failure: Failure): boolean
}

export function earlierSides(before: readonly RenderedSide[], after: readonly RenderedSide[]): Earlier {
  const own = new Map(before.map((side) => [side.source.id, side]))
  const present = new Set(after.map(({ source }) => source.id))
  const gone = before
    .filter(({ source }) => !present.has(source.id))
    .sort((a, b) => Number(failureOf(a) !== undefined) - Number(failureOf(b) !== undefined))
  const lost = new Set(gone.flatMap((side) => failureOf(side) ?? []).map(faultOf))
  return {
    of: (source) => own.get(source.baseSourceId ?? source.id) ?? gone.find((side) => isMoved(side.source, source)),
    hadFailure: (failure) => lost.has(faultOf(failure)),
  }
}

/** Equal for the same fault of the same file, in whatever source. */
function faultOf({ cause, about, path, reason }: Failure): string {
  return JSON.stringify([cause, about, path, reason])
}

/** A path that stays the same when a source moves to another folder, or its definition to another file. */
export function placeWithin(source: Source, path: string): string {
  const folder = source.kind === 'helm' ? source.chart : source.root
  // A Kustomization that nothing named is declared by its own file.
  if (folder !== '' && path.startsWith(`${folder}/`)) return path.slice(folder.length)
  return path === source.declaredAt.path ? '' : path
}
