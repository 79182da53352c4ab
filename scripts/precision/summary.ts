import type { ChangeResult } from '../../src/host/change-judging'
import type { FoundInHistory } from '../../src/report/replay/replay-schema'

/** The changes of a repository that are judged. */
export interface Change {
  readonly repository: string
  /** The measurement for which they were chosen. */
  readonly set: 'first' | 'second'
  readonly style: string
  readonly commits: readonly string[]
}

/** A reviewer's mark for the errors of a rule in a change. */
export interface Mark {
  readonly repository: string
  /** The beginning of its id. */
  readonly commit: string
  readonly rule: string
  /** Set if the errors of the rule in this change have several marks. */
  readonly path?: string
  readonly mark: 'true' | 'arguable' | 'false'
  readonly why: string
}

export interface Measured {
  readonly repository: string
  readonly style: string
  readonly commit: string
  readonly outcome: ChangeResult
}

/** An error that a change introduces, with its mark. */
export interface Counted {
  readonly repository: string
  readonly commit: string
  readonly finding: FoundInHistory
  readonly mark: Mark | undefined
}

/** The errors, each with its mark. */
export function counted(measured: readonly Measured[], marks: readonly Mark[]): Counted[] {
  return measured.flatMap(({ repository, commit, outcome }) => {
    if ('failed' in outcome) return []
    return outcome.judged.findings
      .filter(({ level }) => level === 'error')
      .map((finding) => ({
        repository,
        commit,
        finding,
        mark: marks.find(
          (mark) =>
            mark.repository === repository &&
            commit.startsWith(mark.commit) &&
            mark.rule === finding.rule &&
            (mark.path === undefined || mark.path === finding.path),
        ),
      }))
  })
}

/** A line for each rule and change that has an error without a mark. */
export function unmarked(errors: readonly Counted[]): string[] {
  const open = errors.filter(({ mark }) => mark === undefined)
  return [
    ...new Set(
      open.map(({ repository, commit, finding: { rule, text } }) =>
        JSON.stringify({ repository, commit: commit.slice(0, 12), rule, mark: '', why: text }),
      ),
    ),
  ]
}

/** The changes that were stopped wrongly when they were first judged, whatever was fixed since. */
function wrongAtFirst(measured: readonly Measured[], marks: readonly Mark[]): number {
  const isWrong = ({ repository, commit }: Measured) =>
    marks.some((one) => one.mark === 'false' && one.repository === repository && commit.startsWith(one.commit))
  return measured.filter(isWrong).length
}

/** The figures, as Markdown. A change counts once for each mark that its errors have. */
export function summaryOf(measured: readonly Measured[], errors: readonly Counted[], marks: readonly Mark[]): string {
  const judged = measured.flatMap(({ outcome }) => ('judged' in outcome ? [outcome.judged] : []))
  const failed = measured.flatMap(({ repository, commit, outcome }) =>
    'failed' in outcome ? [`- ${repository} ${commit.slice(0, 12)}: ${outcome.failed}`] : [],
  )
  const changesOf = (mark: Mark['mark'] | undefined) =>
    new Set(errors.filter((one) => one.mark?.mark === mark).map(({ repository, commit }) => `${repository} ${commit}`))
      .size
  const stopped = new Set(errors.map(({ repository, commit }) => `${repository} ${commit}`)).size
  const rules = [...new Set(errors.map(({ finding }) => finding.rule))].sort()
  const cell = (rule: string, mark: Mark['mark'] | undefined) =>
    String(errors.filter((one) => one.finding.rule === rule && one.mark?.mark === mark).length)
  const wrong = wrongAtFirst(measured, marks)
  const inThousand = (some: number) => ((1000 * some) / judged.length).toFixed(1)
  const warnings = new Map<string, number>()
  for (const { rule, level } of judged.flatMap(({ findings }) => findings))
    if (level === 'warning') warnings.set(rule, (warnings.get(rule) ?? 0) + 1)
  return [
    `${judged.length} changes of ${new Set(measured.map(({ repository }) => repository)).size} repositories of ${new Set(measured.map(({ style }) => style)).size} styles were judged, ${failed.length} could not be.`,
    `${stopped} were stopped: ${changesOf('true')} rightly, ${changesOf('arguable')} arguably, ${changesOf('false')} wrongly, ${changesOf(undefined)} not read yet. Wrongly in 1,000: ${inThousand(changesOf('false'))}.`,
    `When first judged, ${wrong} were stopped wrongly: ${inThousand(wrong)} in 1,000.`,
    '',
    '| rule | true | arguable | false | not read |',
    '| --- | --- | --- | --- | --- |',
    ...rules.map(
      (rule) =>
        `| \`${rule}\` | ${cell(rule, 'true')} | ${cell(rule, 'arguable')} | ${cell(rule, 'false')} | ${cell(rule, undefined)} |`,
    ),
    '',
    '| rule | warnings |',
    '| --- | --- |',
    ...[...warnings].sort(([, a], [, b]) => b - a).map(([rule, number]) => `| \`${rule}\` | ${number} |`),
    ...(failed.length > 0 ? ['', 'Not judged:', ...failed] : []),
  ].join('\n')
}
