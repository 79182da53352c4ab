import { editedText, type Patch, type TextEdit } from '../finding/edited-text'
import type { Finding, Report } from '../finding/report'
import { loadFile } from '../manifest/load'
import { markdownStatement } from '../report/markdown'
import { visible } from '../report/words/visible'
import { countedFindings } from '../report/words/wording'
import type { DiffLines } from './diff-lines'

/** A comment at lines of a pull request's diff. */
export interface LineComment {
  readonly path: string
  readonly side: 'LEFT' | 'RIGHT'
  readonly startLine: number
  readonly line: number
  readonly text: string
  /** The fingerprints of the findings that it is about. */
  readonly about: readonly string[]
}

/** Lines of a file that are edited together, from `start` to `end`, with the findings that this fixes. */
interface Unit {
  readonly patch: Patch
  readonly start: number
  readonly end: number
  readonly edits: readonly TextEdit[]
  readonly findings: readonly Finding[]
}

/**
 * The comments that a report makes of its verified fixes: suggestions at lines of the head that the diff shows, and
 * plain comments at removed lines. A fix is suggested whole or not at all, and only where each character of it is seen.
 *
 * @param diff the lines of the diff, by path
 */
export function suggestionsIn(report: Report, diff: ReadonlyMap<string, DiffLines>): LineComment[] {
  const counted = countedFindings(report)
  const units = (report.patches ?? []).flatMap((patch) => unitsOf(patch, counted))
  const comments = new Map<Unit, LineComment>()
  for (const unit of units) {
    const comment = suggestionFor(unit, diff.get(unit.patch.path))
    if (comment) comments.set(unit, comment)
  }
  // If a part of a fix cannot be placed, its other parts and everything that shares a line with them are not suggested.
  for (let before = -1; before !== comments.size; ) {
    before = comments.size
    const partial = new Set(units.filter((unit) => !comments.has(unit)).flatMap(({ findings }) => findings))
    for (const unit of units) if (unit.findings.some((finding) => partial.has(finding))) comments.delete(unit)
  }
  const suggested = new Set([...comments.keys()].flatMap(({ findings }) => findings))
  const removed = counted.flatMap((finding) => (suggested.has(finding) ? [] : commentAtRemoval(finding, diff)))
  return [...comments.values(), ...byPlace(removed)]
}

/** The edits of a file, those of the same lines together. */
function unitsOf(patch: Patch, findings: readonly Finding[]): Unit[] {
  const units: Unit[] = []
  for (const finding of findings) {
    for (const edit of finding.fix?.edits ?? []) {
      if (edit.path !== patch.path) continue
      const { startLine, endLine } = edit.region
      const same = units.filter(({ start, end }) => startLine <= end && start <= endLine)
      for (const unit of same) units.splice(units.indexOf(unit), 1)
      units.push({
        patch,
        start: Math.min(startLine, ...same.map(({ start }) => start)),
        end: Math.max(endLine, ...same.map(({ end }) => end)),
        edits: [...same.flatMap(({ edits }) => edits), edit],
        findings: [...new Set([...same.flatMap((unit) => unit.findings), finding])],
      })
    }
  }
  return units
}

function suggestionFor(unit: Unit, diff: DiffLines | undefined): LineComment | undefined {
  const { before } = unit.patch
  if (!diff || before === undefined) return undefined
  const lines = before.split('\n')
  for (const { from, to, now } of waysToWrite(unit, lines)) {
    const old = lines.slice(from - 1, to)
    const shown = old.map((_, index) => diff.right.get(from + index))
    const isInDiff = shown.every((line, index) => line?.text === old[index] && line?.part === shown[0]?.part)
    // A last line that does not end would get an end.
    if (!isInDiff || to >= lines.length || ![...old, ...now].every((line) => visible(line) === line)) continue
    if (showsSecret(unit.patch, now)) continue
    const stated = unit.findings.map(markdownStatement).join('\n')
    return {
      path: unit.patch.path,
      side: 'RIGHT',
      startLine: from,
      line: to,
      text: `${stated}\n${blockOf('suggestion', now)}`,
      about: unit.findings.flatMap(fingerprintsOf),
    }
  }
  return undefined
}

/** The lines to replace and their new text: lines are added after an existing line or before one. */
function waysToWrite({ start, end, edits }: Unit, lines: readonly string[]) {
  const shifted = edits.map((edit) => {
    const { region } = edit
    const [startLine, endLine] = [region.startLine - start + 1, region.endLine - start + 1]
    return { ...edit, region: { ...region, startLine, endLine } }
  })
  const old = lines.slice(start - 1, end)
  const now = editedText(old.join('\n'), shifted)?.split('\n')
  if (!now) return []
  const last = old.at(-1)
  const adds = edits.every(({ region, newText }) => {
    return region.startColumn === 1 && region.endColumn === 1 && region.endLine === start && newText.endsWith('\n')
  })
  const previous = lines[start - 2]
  const behind = { from: start - 1, to: start - 1, now: [previous ?? '', ...now.slice(0, -1)] }
  return [...(adds && previous !== undefined && now.at(-1) === last ? [behind] : []), { from: start, to: end, now }]
}

/** A block of code whose fence is longer than any in its lines. */
function blockOf(language: string, lines: readonly string[]): string {
  const runs = lines.join('\n').match(/`+/g) ?? []
  const fence = '`'.repeat(Math.max(2, ...runs.map((run) => run.length)) + 1)
  return [`${fence}${language}`, ...lines, fence, ''].join('\n')
}

/** Whether lines show the data of a Secret, which does not belong in a comment. */
function showsSecret({ after }: Patch, written: readonly string[]): boolean {
  if (written.every((line) => /^type: [\w./-]+$/.test(line.trim()))) return false
  const shown = new Set(written.map((line) => line.trim()).filter((line) => line !== ''))
  return loadFile({ text: after }).objects.some(({ ref, region, lines }) => {
    if (ref.group !== '' || ref.kind !== 'Secret') return false
    for (let line = region.startLine; line <= region.endLine; line++)
      if (shown.has(lines.at(line)?.trim() ?? '')) return true
    return false
  })
}

/** A comment at the line of the base that a finding is about, where the diff shows that the line is removed. */
function commentAtRemoval(finding: Finding, diff: ReadonlyMap<string, DiffLines>): LineComment[] {
  const { side, path, region, excerpt } = finding.location
  if (side !== 'base' || finding.status !== 'introduced') return []
  const line = region.startLine
  const text = excerpt?.lines[line - excerpt.startLine]
  const removed = diff.get(path)?.left.get(line)
  if (text === undefined || removed === undefined || removed.replace(/\r$/, '') !== text.replace(/\r$/, '')) return []
  return [
    { path, side: 'LEFT', startLine: line, line, text: markdownStatement(finding), about: fingerprintsOf(finding) },
  ]
}

/** One comment for each line. */
function byPlace(comments: readonly LineComment[]): LineComment[] {
  const found = new Map<string, LineComment>()
  for (const comment of comments) {
    const key = JSON.stringify([comment.path, comment.line])
    const known = found.get(key)
    const both = known && { text: `${known.text}\n${comment.text}`, about: [...known.about, ...comment.about] }
    found.set(key, { ...comment, ...both })
  }
  return [...found.values()]
}

/** The fingerprints of a finding and of those merged into it. */
export function fingerprintsOf({ fingerprint, also = [] }: Finding): string[] {
  return [fingerprint, ...also.map((one) => one.fingerprint)]
}
