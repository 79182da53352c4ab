import { gateFinding } from '../../finding/gate-finding'
import type { Finding } from '../../finding/report'
import { type Manifest, nameOf } from '../../manifest/manifest'
import type { Region } from '../../region'
import type { Failure } from '../../render/tools/rendering'
import type { RenderedSide } from '../../sides/rendered-side'
import { placeOf } from '../../sources/source'
import { isSwitchedOn, supposingOf } from '../switched-on'
import { isOfFolder } from './folder-missing'
import { nextStep, readable } from './next-step'
import { statement } from './statement'
import { upper } from './words'

/** The sources that fail in the same way at the same place. */
export interface FailedSides {
  readonly failure: Failure
  readonly isExisting: boolean
  /** Whether other values than the supposed ones may render. */
  readonly isSupposed: boolean
  /** At least one. */
  readonly sides: readonly RenderedSide[]
}

interface FailuresInput {
  /** Whether the head is judged whole. */
  readonly whole: boolean
  /** Objects of the base that the head may or may not have. */
  readonly unknown: readonly Manifest[]
  /** The lines to name of templates whose output is no YAML with supposed values. */
  readonly edits: ReadonlyMap<string, Region>
  readonly isUnapplied: (file: string) => boolean
}

/** The findings for sources that cannot be rendered. */
export function failures(failed: readonly FailedSides[], input: FailuresInput): Finding[] {
  const { whole, unknown, edits, isUnapplied } = input
  const shown = new Set<string>()
  return failed.flatMap(({ failure, isExisting, isSupposed, sides }) => {
    const [first] = sides
    if (!first) return []
    const { cause, about, path, region, reason } = failure
    const isSwitched = sides.every(isSwitchedOn)
    // With other supposed values, the same template most likely fails for the same reason.
    const place = JSON.stringify([path, cause, isExisting])
    if (isSwitched && shown.has(place)) return []
    shown.add(place)
    const isUnused =
      isOfFolder(first.source, failure) && sides.every(({ source }) => isUnapplied(source.declaredAt.path))
    // It is listed at the object that names it.
    if (isUnused && whole) return []
    const supposed = isSwitched ? ` ${supposingOf(first)}` : ''
    return gateFinding('source/unrendered', 'unrendered', supposed || isSupposed || isUnused ? 'warning' : 'error', {
      ...statement(sides, path, isExisting),
      region: (supposed && edits.get(path)) || region,
      keys: [path, cause, ...(about === undefined ? [] : [about])],
      text: isUnused
        ? ofUnappliedFolder(placeOf(first.source))
        : `${upper(readable(reason))}.${fateOf(sides, unknown)}${nextStep(failure, first.source)}${supposed}`,
    })
  })
}

/** The sentence on objects of the base that the failing sources may still have. */
function fateOf(sides: readonly RenderedSide[], unknown: readonly Manifest[]): string {
  const known = sides.filter(({ source }) => source.origin !== 'probed')
  const ids = new Set(known.map(({ source: { id, baseSourceId = id } }) => baseSourceId))
  const objects = unknown.filter(({ origin }) => origin.kind === 'rendered' && ids.has(origin.id))
  const names = [...new Set(objects.map(({ ref }) => nameOf(ref)))]
  if (names.length === 0) return ''
  const more = names.length > 3 ? ` and ${names.length - 3} more` : ''
  return ` It is unknown whether this change keeps ${names.slice(0, 3).join(', ')}${more}.`
}

function ofUnappliedFolder(place: string): string {
  return `There is no folder ${place} in this repository, and no Kustomization lists this new file, so nothing is deployed from it. Name an existing folder and list the file with those beside it, or remove the file.`
}
