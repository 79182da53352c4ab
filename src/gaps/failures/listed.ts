import type { Skipped } from '../../finding/report'
import { abridged } from '../../listing'
import type { Failure } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import { nameOfLack } from '../../sources/lack'
import { nameOfSource } from '../../sources/source'

/** An entry of the list of what was not inspected: the inspected part of a source, and the reason for the rest. */
export function listed(
  { source, partial }: RenderedSide,
  { path, reason, cause }: Failure,
  name = nameOfSource(source),
): Skipped {
  if (!partial) return { path, reason: `${name}: ${reason}`, cause }
  if (partial.failure?.isEmpty && partial.manner === 'reduced')
    return { path, reason: `${name}: it has no fields any more, so all its objects are judged as removed`, cause }
  const manner =
    partial.manner === 'written'
      ? 'its files were read without rendering'
      : `it was read without ${abridged(partial.lacks.map(nameOfLack))}`
  return { path, reason: `${name}: ${manner}, because ${reason}`, cause }
}
