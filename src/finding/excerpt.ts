import { Lines } from '../manifest/lines'
import type { Region } from '../region'
import type { Excerpt } from './report'

const maxLines = 8
const widest = 200

/** The lines of a region with one line around it, cut where a reader has seen enough. */
export function excerptOf(text: string | Lines, region: Region): Excerpt {
  const all = typeof text === 'string' ? new Lines(text) : text
  const first = Math.max(1, region.startLine - 1)
  const last = Math.min(region.endLine + 1, first + maxLines - 1, all.count)
  const lines: string[] = []
  for (let line = first; line <= last; line++) {
    const written = all.at(line) ?? ''
    // Behind the last line feed there is no line to show.
    if (line < all.count || written !== '' || line <= region.endLine) lines.push(clip(written.replace(/\r$/, '')))
  }
  return { startLine: first, lines }
}

function clip(line: string): string {
  return line.length > widest ? `${line.slice(0, widest)}…` : line
}
