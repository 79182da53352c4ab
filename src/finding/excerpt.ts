import type { Region } from '../region'
import type { Excerpt } from './report'

const maxLines = 8
const widest = 200

/** The lines of a region with one line around it, cut where a reader has seen enough. */
export function excerptOf(text: string, region: Region): Excerpt {
  const first = Math.max(1, region.startLine - 1)
  const last = Math.min(region.endLine + 1, first + maxLines - 1)
  const lines: string[] = []
  let start = 0
  for (let line = 1; line <= last && start <= text.length; line++) {
    const end = text.indexOf('\n', start)
    const stop = end === -1 ? text.length : end
    if (line >= first && (start < text.length || line <= region.endLine))
      lines.push(clip(text.slice(start, stop).replace(/\r$/, '')))
    start = stop + 1
  }
  return { startLine: first, lines }
}

function clip(line: string): string {
  return line.length > widest ? `${line.slice(0, widest)}…` : line
}
