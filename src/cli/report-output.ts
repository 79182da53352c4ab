import { writeFileSync } from 'node:fs'
import { styleText } from 'node:util'
import { GuardError } from '../errors'
import type { Report } from '../finding/report'
import type { Paint } from '../report/terminal'
import type { Io } from './io'

/** The formats of a report. */
export const formats = ['terminal', 'json', 'markdown', 'sarif', 'github', 'gitlab', 'junit'] as const

/** How a report is shown. */
export interface Shown {
  format: (typeof formats)[number]
  output?: string
  quiet: boolean
  verbose: boolean
}

/** Writes a report in its format, to a file or the standard output. */
export async function deliver(report: Report, flags: Shown, io: Io): Promise<void> {
  write(await render(report, flags, io), flags.output, io)
  if (flags.output) io.stderr.write(`ingress-guard: ${report.verdict}; the report is in ${flags.output}\n`)
}

/** The exit status for a report. */
export function statusOf({ unfinished, verdict }: Report): number {
  return unfinished ? 3 : verdict === 'fail' ? 1 : 0
}

/** Each format is loaded when a report is written in it. */
async function render(report: Report, { format, quiet, verbose }: Shown, io: Io): Promise<string> {
  switch (format) {
    case 'json': {
      const { jsonReport } = await import('../report/json')
      // The same text for JSON readers; but a workflow's log would read the mark as a command.
      return `${JSON.stringify(jsonReport(report), null, 2).replaceAll('##[', '#\\u0023[')}\n`
    }
    case 'markdown':
      return (await import('../report/markdown')).markdownReport(report)
    case 'sarif': {
      const { sarifReport } = await import('../report/sarif')
      return sarifReport(report, (await import('../host/bundled')).toolIn(io.root))
    }
    case 'github': {
      const { withCommandsDisabled, workflowCommands } = await import('../report/annotations')
      const { terminalReport } = await import('../report/terminal')
      return workflowCommands(report) + withCommandsDisabled(terminalReport(report, (_, text) => text))
    }
    case 'gitlab':
      return (await import('../report/gitlab')).gitlabReport(report)
    case 'junit':
      return (await import('../report/junit')).junitReport(report)
    case 'terminal': {
      const { terminalReport } = await import('../report/terminal')
      return terminalReport(report, paintFor(io), quiet ? 'quiet' : verbose ? 'verbose' : 'normal')
    }
  }
}

/** Writes a text to a file or the standard output. */
export function write(text: string, file: string | undefined, io: Io): void {
  if (file === undefined) {
    io.stdout.write(text)
    return
  }
  try {
    writeFileSync(file, text)
  } catch (cause) {
    throw new GuardError(
      'usage',
      'The file cannot be written here. Name a file in an existing folder.',
      { path: file },
      { cause },
    )
  }
}

/** Colours for a terminal. */
export function paintFor({ stdout }: Io): Paint {
  const colour = stdout.isTTY === true && !process.env.NO_COLOR
  // The stream was looked at already; styleText would look at the process's own.
  return (style, text) => (colour ? styleText(style, text, { validateStream: false }) : text)
}
