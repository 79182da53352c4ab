import { type Edit, type EditedFile, linesOf } from './edits'

/** A file of a change, with its edits. */
export interface ChangedFile {
  readonly path: string
  /** None where the file is new. */
  readonly before: Uint8Array | undefined
  /** None where the file is deleted. */
  readonly after: Uint8Array | undefined
  /** Undefined for binary files: they can only be reverted whole. */
  readonly text: EditedFile | undefined
}

/** The part of a change that causes a finding. */
export interface Cause {
  readonly file: ChangedFile
  /** The edit that causes the finding, if it was found; otherwise the whole file is the cause. */
  readonly edit: Edit | undefined
}

/** A line that the change wrote, as a cause. */
export function causeAtLine(file: ChangedFile, line: number): Cause | undefined {
  const edit = file.text?.edits.flatMap(linesOf).find(({ afterLine }) => afterLine === line)
  return edit && { file, edit }
}

/** Some of a change taken back: single edits of a file, or all of it. */
export type Reversal = ReadonlyMap<ChangedFile, ReadonlySet<Edit> | 'all'>

/**
 * Judges the change again with a part of it reverted.
 *
 * @returns the fingerprints that are still introduced; undefined if they are unknown, because something then fails to
 * render or no more renderings are allowed
 */
export type Trial = (reversal: Reversal) => Promise<ReadonlySet<string> | undefined>

/**
 * The smallest part of a change whose reversal removes a finding, values before templates.
 *
 * @param files the changed files of the finding's sources, most likely first
 * @param written the place that the rendered line comes from: among lines that were written together, it is tried first
 */
export async function causeOf(
  fingerprint: string,
  files: readonly ChangedFile[],
  trial: Trial,
  written?: { readonly path: string; readonly line: number },
): Promise<Cause[]> {
  const gone = async (reversal: Reversal) => (await trial(reversal))?.has(fingerprint) === false
  const whole = await filesToBlame(files, gone)
  const [first, ...others] = whole
  if (!first) return []
  const rest = others.map((file) => [file, 'all'] as const)
  const near = written?.path === first.path ? written.line : undefined
  const edits = await editsToBlame(
    first,
    (reverted) => gone(new Map<ChangedFile, ReadonlySet<Edit> | 'all'>([[first, reverted], ...rest])),
    near,
  )
  const causes = edits.length > 0 ? edits.map((edit) => ({ file: first, edit })) : [{ file: first, edit: undefined }]
  return [...causes, ...others.map((file) => ({ file, edit: file.text?.edits[0] }))]
}

async function filesToBlame(
  files: readonly ChangedFile[],
  gone: (reversal: Reversal) => Promise<boolean>,
): Promise<readonly ChangedFile[]> {
  for (const file of files) if (await gone(new Map([[file, 'all']]))) return [file]
  if (files.length < 2 || !(await gone(new Map(files.map((file) => [file, 'all']))))) return []
  return neededAmong(files, (fewer) => gone(new Map(fewer.map((file) => [file, 'all']))))
}

/** Drops parts that need not be reverted, the last one first. */
async function neededAmong<T>(
  all: readonly T[],
  isEnough: (some: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let needed = all
  for (const one of [...all].reverse()) {
    const fewer = needed.filter((other) => other !== one)
    if (fewer.length > 0 && (await isEnough(fewer))) needed = fewer
  }
  return needed
}

/** Beyond so many edits halves are tried before single ones. */
const fewEdits = 8

/** The fewest edits of a file without which a finding is gone: one line, where that is enough. */
export async function editsToBlame(
  { text }: ChangedFile,
  gone: (reverted: ReadonlySet<Edit>) => Promise<boolean>,
  near: number | undefined,
): Promise<readonly Edit[]> {
  const all = text?.edits ?? []
  // The edit of the printed line before the others, of which one may only take away what the finding compares it with.
  const printing = all.find((edit) => linesOf(edit).some(({ afterLine }) => afterLine === near))
  let edits = all.length > 1 && printing && (await gone(new Set([printing]))) ? [printing] : all
  while (edits.length > fewEdits) {
    const middle = edits.length >> 1
    const halves = [edits.slice(0, middle), edits.slice(middle)]
    const half = (await gone(new Set(halves[0]))) ? halves[0] : (await gone(new Set(halves[1]))) ? halves[1] : undefined
    if (!half) break
    edits = half
  }
  if (edits.length > 1 && edits.length <= fewEdits) {
    const single = await firstThat(edits, (edit) => gone(new Set([edit])))
    edits = single ? [single] : await neededAmong(edits, (fewer) => gone(new Set(fewer)))
  }
  const [only, ...more] = edits
  if (!only || more.length > 0) return edits
  // Among lines that were written together, the printed one, or else the last decisive one, is more precise than the first.
  const lines = text?.after === undefined ? [only] : linesOf(only)
  if (lines.length < 2) return edits
  const printed = lines.filter(({ afterLine }) => afterLine === near)
  const last = [...lines].reverse().slice(0, fewEdits)
  const line = await firstThat([...printed, ...last], (candidate) => gone(new Set([candidate])))
  return line ? [line] : edits
}

async function firstThat(edits: readonly Edit[], holds: (edit: Edit) => Promise<boolean>): Promise<Edit | undefined> {
  for (const edit of edits) if (await holds(edit)) return edit
  return undefined
}
