import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Report } from '../finding/report'
import { toolIn } from '../host/bundled'
import { sarifReport } from '../report/sarif'
import { visible } from '../report/words/visible'
import type { Remark } from './deliver'

/**
 * Writes the report as SARIF where a later step looks for it. A file that cannot be written is a remark: the verdict
 * does not depend on it.
 *
 * @param file from the workspace, as the upload takes it
 */
export function writeSarif(report: Report, file: string, root: string): Remark[] {
  try {
    const full = path.resolve(realpathSync(process.env.GITHUB_WORKSPACE ?? '.'), file)
    const folder = path.dirname(full)
    mkdirSync(folder, { recursive: true })
    // The checkout is the pull request's: a link in it could redirect the report to any file.
    if (realpathSync(folder) !== folder) throw new Error('its path contains a symbolic link')
    rmSync(full, { force: true })
    writeFileSync(full, sarifReport(report, toolIn(root)), { flag: 'wx' })
    return []
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const text = visible(
      `The SARIF report could not be written (${reason}). Set sarif-file to a file in the workspace.`,
    )
    return [{ level: 'warning', text }]
  }
}
