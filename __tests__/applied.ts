import type { Fix } from '../src/rule/rule'
import type { Texts } from './harness'

/** The texts after a fix, whose edits do not overlap. */
export function applied(texts: Texts, { edits }: Fix): Texts {
  const after: Record<string, string> = { ...texts }
  for (const { path: file, region, newText } of edits) {
    const lines = (after[file] ?? '').split('\n')
    const first = lines[region.startLine - 1] ?? ''
    const last = lines[region.endLine - 1] ?? ''
    const text = first.slice(0, region.startColumn - 1) + newText + last.slice(region.endColumn - 1)
    lines.splice(region.startLine - 1, region.endLine - region.startLine + 1, text)
    after[file] = lines.join('\n')
  }
  return after
}
