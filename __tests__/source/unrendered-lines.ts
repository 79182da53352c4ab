import { judgeChange } from './rendered'
import type { Files } from './repository'

/** The findings of `source/unrendered` about a change: `introduced warning web/templates/a.yaml:4:22 Helm cannot …`. */
export async function unrenderedBy(base: Files, head: Files): Promise<string[]> {
  const { findings } = await judgeChange(base, head)
  return findings
    .filter(({ rule }) => rule === 'source/unrendered')
    .map(({ status, level, location, text }) => {
      const { startLine, startColumn } = location.region
      return `${status} ${level} ${location.path}:${startLine}:${startColumn} ${text}`
    })
}
