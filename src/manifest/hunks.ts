import { structuredPatch } from 'diff'
import type { Region } from '../region'

/** The lines of a file that a change wrote, and the places of the lines it removed. */
export class Hunks {
  private readonly hunks: readonly { oldStart: number; oldLines: number; newStart: number; newLines: number }[]
  private readonly before: readonly string[]
  private readonly slacks = new Map<number, number>()

  constructor(before: string, after: string) {
    // Files that differ nearly everywhere are not worth the time a minimal difference takes.
    const patch = structuredPatch('', '', before, after, '', '', { context: 0, maxEditLength: 2000 })
    this.hunks = patch?.hunks ?? []
    this.before = before.split('\n')
  }

  wrote(line: number): boolean {
    return this.hunks.some(({ newStart, newLines }) => line >= newStart && line < newStart + newLines)
  }

  /**
   * The head's line at which lines of the base were changed or cut out; the one before the cut when nothing replaced
   * it.
   */
  removalOf({ startLine, endLine }: Region): number | undefined {
    const hunk = this.hunks.find(
      ({ oldStart, oldLines }) => oldLines > 0 && oldStart <= endLine && oldStart + oldLines > startLine,
    )
    if (!hunk) return undefined
    if (hunk.newLines > 0) return hunk.newStart
    return Math.max(1, hunk.newStart - 1 - this.slackOf(hunk.oldStart, hunk.oldLines))
  }

  /** Kept, as one cut may take many objects away. */
  private slackOf(cutStart: number, length: number): number {
    const slack = this.slacks.get(cutStart) ?? this.slack(cutStart, length)
    this.slacks.set(cutStart, slack)
    return slack
  }

  /**
   * The number of lines by which a cut can move up to begin right after a `---`. Manifests have similar first lines, so
   * a diff may keep those of a removed one and remove those of the next.
   */
  private slack(cutStart: number, length: number): number {
    for (let start = cutStart; start > 1; start--) {
      if (this.before[start - 2]?.startsWith('---')) return cutStart - start
      if (this.before[start - 2] !== this.before[start + length - 2]) break
    }
    return 0
  }
}
