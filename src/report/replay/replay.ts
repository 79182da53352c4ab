import type { Level } from '../../policy/schema'
import { withCommas } from '../../with-commas'
import type { Paint } from '../terminal'
import { visible } from '../words/visible'
import { count } from '../words/wording'
import type { FoundInHistory, ReplayLine } from './replay-schema'

/** The number of commits without a result, and of reasons for files, that are named. */
const mostNamed = 20
const barWidth = 30

type Found = ReplayLine['findings'][number]

/** The report of a replay for a terminal: the number of blocked changes, by month and by rule, and each of them. */
export function replayReport(
  { branch, lines, kept }: { readonly branch: string; readonly lines: readonly ReplayLine[]; readonly kept: number },
  paint: Paint,
): string {
  const stopped = lines.filter(({ verdict }) => verdict === 'fail')
  const blocks = [
    headOf(branch, lines, stopped, kept, paint),
    stopped.length > 0 ? monthsOf(lines) : '',
    rulesOf('Findings that stop, by rule:', stopped.flatMap(stopping)),
    ...stopped.map((line) => commitBlock(line, paint)),
    rulesOf(
      'Findings that do not stop, by rule:',
      lines.flatMap(({ findings }) => findings.filter(({ stops }) => !stops)),
    ),
    notJudgedBlock(lines),
  ]
  return `${blocks.filter(Boolean).join('\n\n')}\n`
}

function stopping({ findings }: ReplayLine): Found[] {
  return findings.filter(({ stops }) => stops)
}

function headOf(
  branch: string,
  lines: readonly ReplayLine[],
  stopped: readonly ReplayLine[],
  kept: number,
  paint: Paint,
): string {
  const days = lines.flatMap(({ date }) => date ?? []).sort()
  const between = days.length > 0 ? `, ${days[0]} to ${days.at(-1)}` : ''
  const judged = lines.filter(({ verdict }) => verdict !== 'not-judged')
  const unjudged = lines.length - judged.length
  const share = stopped.length > 0 ? ` (${((100 * stopped.length) / judged.length).toFixed(1)} %)` : ''
  const some = stopped.length === 0 ? 'none' : withCommas(stopped.length)
  const endings = stopped.flatMap(stopping).map(({ ending }) => ending?.state)
  const fixed = endings.filter((state) => state === 'fixed').length
  return [
    paint(
      'bold',
      visible(
        `ingress-guard would have stopped ${some} of ${count(judged.length, 'commit')}${share} of ${branch}${between}.`,
      ),
    ),
    ...(endings.length > 0 ? [`A later commit fixed ${fixed} of ${count(endings.length, 'finding')}.`] : []),
    ...(unjudged > 0 ? [`${count(unjudged, 'commit')} could not be judged: see the end.`] : []),
    ...(kept > 0 ? [`${count(kept, 'judgement')} of an earlier replay ${kept === 1 ? 'was' : 'were'} used.`] : []),
  ].join('\n')
}

function monthsOf(lines: readonly ReplayLine[]): string {
  const months = [...new Set(lines.flatMap(({ date }) => date?.slice(0, 7) ?? []))].sort()
  const rows = months.map((month) => {
    const its = lines.filter(({ date }) => date?.startsWith(month))
    const stopped = its.filter(({ verdict }) => verdict === 'fail').length
    return `${month}  ${String(its.length).padStart(7)}  ${String(stopped).padStart(7)}`
  })
  return ['month    commits  stopped', ...rows].join('\n')
}

function rulesOf(title: string, findings: readonly Found[]): string {
  if (findings.length === 0) return ''
  const counts = new Map<string, number>()
  for (const { rule, level } of findings) counts.set(`${level} ${rule}`, (counts.get(`${level} ${rule}`) ?? 0) + 1)
  const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return [title, ...rows.map(([rule, number]) => `${String(number).padStart(7)}  ${visible(rule)}`)].join('\n')
}

function commitBlock(line: ReplayLine, paint: Paint): string {
  return [
    paint('bold', `${line.date} ${line.commit.slice(0, 8)}`),
    ...stopping(line).flatMap((finding) => [
      `  ${paint(colours[finding.level], finding.level)} ${visible(`${finding.rule} ${placeOf(finding)}`)}`,
      `    ${visible(finding.text)}`,
      `    ${paint('dim', visible(endingIn(finding)))}`,
    ]),
  ].join('\n')
}

const colours: Record<Level, 'red' | 'yellow' | 'blue'> = { error: 'red', warning: 'yellow', notice: 'blue' }

function placeOf({ path, line, side }: FoundInHistory): string {
  return side === 'base' ? `${path} (was line ${line})` : `${path}:${line}`
}

function endingIn({ ending }: Found): string {
  switch (ending?.state) {
    case 'fixed':
      return `Fixed by ${ending.commit?.slice(0, 8)}${ending.date ? ` of ${ending.date}` : ''}.`
    case 'open':
      return 'Not fixed by any later commit.'
    default:
      return `Whether it was fixed is unknown. ${ending?.reason ?? ''}`.trimEnd()
  }
}

function notJudgedBlock(lines: readonly ReplayLine[]): string {
  const commits = lines.filter(({ verdict }) => verdict === 'not-judged')
  const files = lines.filter(({ notJudged }) => notJudged.length > 0)
  const number = files.reduce((sum, { notJudged }) => sum + notJudged.length, 0)
  return [
    ...(number > 0
      ? [
          `${count(number, 'changed file')} of ${count(files.length, 'commit')} ${number === 1 ? 'was' : 'were'} not judged: --format json lists them.`,
        ]
      : []),
    ...(commits.length > 0 ? ['Commits that could not be judged:'] : []),
    ...commits.slice(0, mostNamed).map(({ commit, reason = '' }) => `  ${commit.slice(0, 8)} ${visible(reason)}`),
    ...(commits.length > mostNamed ? [`  and ${commits.length - mostNamed} more: --format json lists them.`] : []),
  ].join('\n')
}

/** The progress of a replay, on one line. */
export function progressBar({
  done,
  of,
  stopped,
}: {
  readonly done: number
  readonly of: number
  readonly stopped: number
}): string {
  const filled = Math.floor((barWidth * done) / of)
  const what = done === of ? 'looking for what fixed them' : `${stopped} stopped`
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}] ${done} of ${of} commits, ${what}`
}
