import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Report } from '../report/report'
import { sarifReport } from '../report/sarif'
import { visible } from '../report/visible'
import { toolIn } from '../source/bundled'
import type { Remark } from './deliver'

/**
 * Writes the report as SARIF where a later step looks for it. A file that cannot be written is a remark: the verdict does not
 * depend on it.
 *
 * @param file from the workspace, as the upload takes it
 */
export function writeSarif(report: Report, file: string, root: string): Remark[] {
  try {
    const full = path.resolve(process.env.GITHUB_WORKSPACE ?? '.', file)
    mkdirSync(path.dirname(full), { recursive: true })
    writeFileSync(full, sarifReport(report, toolIn(root)))
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const text = visible(
      `The SARIF report could not be written (${reason}). Name a file in the workspace by sarif-file.`,
    )
    return [{ level: 'warning', text }]
  }
}
