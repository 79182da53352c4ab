import { append } from '../../append'
import { gateFinding } from '../../finding/gate-finding'
import type { Finding } from '../../finding/report'
import { type Region, startOf } from '../../region'
import type { RenderedSide } from '../../sides/rendered-side'
import type { FaultyDocument } from '../faulty-documents'
import { type Earlier, placeWithin } from './earlier-sides'
import { statement } from './statement'

type Unreadable = RenderedSide['unreadable'][number]

interface UnreadableInput {
  /** The sides of the head whose output is judged. */
  readonly sides: readonly RenderedSide[]
  readonly earlier: Earlier
  /** Whether the head is judged whole. */
  readonly whole: boolean
  /** The documents of changed files that are no objects, by the reason. */
  readonly faulty: ReadonlyMap<string, FaultyDocument>
}

/** Reports `source/unrendered` for rendered objects that cannot be read; once for a file, however many sources use it. */
export function unreadableOutput({ sides, earlier, whole, faulty }: UnreadableInput): Finding[] {
  const findings: Finding[] = []
  const misread = new Map<FaultyDocument, RenderedSide[]>()
  for (const side of sides) {
    const old = earlier.of(side.source)
    const known = old?.unreadable.map((entry) => placeOf(old, entry)) ?? []
    for (const entry of side.unreadable) {
      // Each of the base's explains one of the head's.
      const at = known.indexOf(placeOf(side, entry))
      if (at !== -1) known.splice(at, 1)
      const written = at === -1 ? faulty.get(entry.reason) : undefined
      if (written) append(misread, written, side)
      else findings.push(unreadable([side], entry, whole || at !== -1))
    }
  }
  const written = [...misread].map(([one, its]) =>
    unreadable(its, { ...one, cause: 'unreadable-output', about: '' }, false),
  )
  return [...findings, ...written]
}

/**
 * Equal for the same object that is unreadable for the same cause at the same place; the words may name another line.
 */
function placeOf({ source }: RenderedSide, { cause, path, about }: Unreadable): string {
  return JSON.stringify([cause, placeWithin(source, path), about])
}

function unreadable(
  sides: readonly RenderedSide[],
  { cause, path, about, reason, region = startOf(1) }: Unreadable & { region?: Region },
  isOld: boolean,
): Finding {
  return gateFinding('source/unrendered', 'unreadable', 'error', {
    ...statement(sides, path, isOld),
    region,
    keys: [path, cause, ...(about === '' ? [] : [about])],
    text: `The rendered manifests cannot be read${about === '' ? '' : ` (${about})`}: ${reason}. ${remedyFor(sides)}`,
  })
}

function remedyFor(sides: readonly RenderedSide[]): string {
  const made = sides.every(({ source }) => source.kind === 'helm')
    ? 'the template or the values that make them'
    : 'the file or the patch that makes them'
  return `An API server takes no such object, so correct ${made}.`
}
