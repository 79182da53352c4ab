import { excerptOf } from '../finding/excerpt'
import { countsFor, type Finding, type Location, type Precision } from '../finding/report'
import type { Gathered } from '../pipeline/opening/scope'
import { startOf } from '../region'
import type { Source } from '../sources/source'
import type { Cause } from './cause'
import { ChangedFiles } from './changed-files'
import { lineOfEdit, saysSomething } from './edits'
import { isLeftInPlace } from './left-in-place'
import { OriginalPlaces } from './original'
import { isDefaultValues, placesOf, type TrialContext, Trials } from './trials'

/**
 * Finds the line that a person must change for a rendered finding: the line of this change without which there is no
 * finding, and the line of the template, or of the file that a Kustomization includes, that the rendered line comes
 * from.
 */
export async function locate(findings: readonly Finding[], context: TrialContext): Promise<Finding[]> {
  const { mode } = context.evidence
  const open = new Set<Finding>()
  for (const finding of findings) {
    if (!countsFor(finding, mode)) continue
    const isRendered = placesOf(finding).some(({ rendered }) => rendered)
    if (isRendered || (await isLeftInPlace(finding, context.evidence))) open.add(finding)
  }
  if (open.size === 0) return [...findings]
  const changed = new ChangedFiles(context.evidence.sides)
  const locateContext = {
    originals: new OriginalPlaces(context.evidence.sides, changed),
    trials: new Trials(context, changed, findings, open),
    context,
  }
  const located = [...findings]
  context.located(located)
  for (const [index, finding] of findings.entries()) {
    if (!open.has(finding)) continue
    located[index] = await locateOne(finding, locateContext)
    context.located(located)
  }
  return located
}

interface LocateContext {
  readonly originals: OriginalPlaces
  readonly trials: Trials
  readonly context: TrialContext
}

async function locateOne(finding: Finding, { originals, trials, context }: LocateContext): Promise<Finding> {
  const { time } = context
  const found = placesOf(finding).map(async (place) => (await time.within(() => originals.find(place))) ?? place)
  const originally = await Promise.all(found)
  const [main, ...others] = originally as [Location, ...Location[]]
  const isNew = finding.status === 'introduced'
  // For a finding about an object as a whole, a file that includes it may be the cause.
  const isOfValue = (finding.location.rendered?.keys.length ?? 0) > 0
  const wrote = async (place: Location) => isNew && isOfValue && (await trials.isWritten(place))
  const value = await originals.valueOf(finding.location)
  const written = value ?? main
  // A line that this change wrote, and that is rendered unchanged or decides the rendered value, needs no trials.
  const isFound = ['exact', 'values'].includes(written.precision) && (await wrote(written))
  const causes = isNew && !isFound ? await trials.causesOf(finding, main) : []
  // Among lines that were written together, the printed one is more precise than the first one; a value is more precise
  // than both.
  const inOrder = [...causes].sort((a, b) => Number(writesKeys(a)) - Number(writesKeys(b)))
  const [cause, ...further] = inOrder.flatMap((one) =>
    placesOfCause(one, finding.keys, context.evidence, trials.isOver),
  )
  const isLine = cause?.path === main.path && inOrder[0]?.edit?.after.length === 1
  // Whether an edit wrote only keys, below which another one wrote values.
  const isPrinted =
    cause?.precision !== 'values' && !isLine && !(await time.within(() => originals.isFetched(finding.location)))
  const isOwn = isPrinted && (await wrote(main))
  const decisive = value && { ...value, changed: isFound }
  const place = isFound && decisive ? decisive : isOwn ? { ...main, changed: true } : (cause ?? decisive)
  if (!place) {
    const location = isNew && !isFound && trials.isOver ? withoutLine(main) : main
    return { ...finding, location, related: others }
  }
  const origin = { ...main, note: main.note ?? (finding.location.rendered ? 'rendered from here' : 'the object') }
  return { ...finding, location: place, related: distinct([...further, origin, ...others], place) }
}

const outOfTime = 'the line that causes it could not be found in time'

/** A place whose line is not known to be the one to change, because there was no time to find that. */
function withoutLine(place: Location): Location {
  return { ...place, precision: 'file', note: outOfTime }
}

function distinct(places: readonly Location[], main: Location): Location[] {
  const key = ({ side, path, region }: Location) => JSON.stringify([side, path, region.startLine])
  const seen = new Set([key(main)])
  return places.filter((place) => !seen.has(key(place)) && seen.add(key(place)))
}

/** Whether an edit wrote nothing but keys, below which another one wrote values. */
function writesKeys({ edit }: Cause): boolean {
  return edit !== undefined && edit.after.length > 0 && ![...edit.before, ...edit.after].some(saysSomething)
}

/**
 * The places of a cause: written lines at the head; for removals the base's lines, and the line of the head in their
 * place.
 */
function placesOfCause(
  { file, edit }: Cause,
  keys: readonly string[],
  { sides }: Gathered,
  isOver: boolean,
): Location[] {
  const { path, text } = file
  const precision = precisionOf(path, sides)
  const at = (side: Location['side'], line: number, note?: string): Location => {
    const whole = (side === 'head' ? text?.after : text?.before) ?? ''
    const written = whole.split('\n')[line - 1] ?? ''
    const startColumn = written.search(/\S/) + 1 || 1
    const region = {
      startLine: line,
      startColumn,
      endLine: line,
      endColumn: Math.max(startColumn, written.trimEnd().length + 1),
    }
    return {
      side,
      path,
      region,
      precision,
      ...(note ? { note } : {}),
      excerpt: excerptOf(whole, region),
      changed: side === 'head',
    }
  }
  if (!text || !edit) {
    const deleted = file.after === undefined
    const region = startOf(1)
    const note = deleted ? 'this change deletes the file' : isOver && text ? outOfTime : undefined
    return [
      {
        side: deleted ? 'base' : 'head',
        path,
        region,
        precision: 'file',
        ...(note ? { note } : {}),
        changed: !deleted,
      },
    ]
  }
  if (text.after === undefined) return [at('base', edit.beforeLine, 'this change deletes the file')]
  if (edit.after.length > 0) return [at('head', lineOfEdit(edit, keys))]
  return [at('base', edit.beforeLine), at('head', Math.max(1, edit.afterLine - 1), 'removed here')]
}

function precisionOf(path: string, { base, head }: Gathered['sides']): Precision {
  const sources = [...(base?.discovery.sources ?? []), ...head.discovery.sources]
  if (isDefaultValues(path) || sources.some((source) => isValuesOf(path, source))) return 'values'
  return /(?:^|\/)templates\//.test(path) ? 'template' : 'exact'
}

function isValuesOf(path: string, source: Source): boolean {
  if (source.kind !== 'helm') return false
  return source.values.some((one) => 'path' in one && one.path === path)
}
