import { structuredPatch } from 'diff'
import type { Region } from './manifest'

/** Which lines of a file a change wrote, and where lines it took away stood. */
export class Hunks {
  private readonly hunks: readonly { oldStart: number; oldLines: number; newStart: number; newLines: number }[]

  constructor(before: string, after: string) {
    // Files that differ nearly everywhere are not worth the time a minimal difference takes.
    const patch = structuredPatch('', '', before, after, '', '', { context: 0, maxEditLength: 2000 })
    this.hunks = patch?.hunks ?? []
  }

  wrote(line: number): boolean {
    return this.hunks.some(({ newStart, newLines }) => line >= newStart && line < newStart + newLines)
  }

  /** The head's line at which lines of the base were changed or cut out; the one before the cut when nothing replaced it. */
  removalOf(region: Region): number | undefined {
    const hunk = this.hunks.find(
      ({ oldStart, oldLines }) => oldLines > 0 && oldStart <= region.endLine && oldStart + oldLines > region.startLine,
    )
    if (!hunk) return undefined
    return Math.max(1, hunk.newLines === 0 ? hunk.newStart - 1 : hunk.newStart)
  }
}
