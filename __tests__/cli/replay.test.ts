import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import Ajv2020 from 'ajv/dist/2020'
import { program } from '../../src/cli/program'
import type { ChangeTask, JudgeChange } from '../../src/host/change-judging'
import { judgeChange } from '../../src/host/judge-change'
import { replay } from '../../src/host/replay'
import { run } from '../../src/host/run'
import { ReplayLine } from '../../src/report/replay-schema'
import { root } from '../harness'
import { configMap, ingress, role, stream } from '../source/objects'
import { type Files, gitSettings, TestRepository, temporaryFolder, withEnvironment } from '../source/repository'
import { covered, holed } from './changes'
import { guard } from './guard'

/** A repository with a commit for each of the files, on the days that are their keys. */
async function history(days: readonly (readonly [day: string, files: Files])[], repo = new TestRepository()) {
  const commits: string[] = []
  for (const [day, files] of days) {
    const date = { GIT_AUTHOR_DATE: `${day}T12:00:00Z`, GIT_COMMITTER_DATE: `${day}T12:00:00Z` }
    commits.push(await withEnvironment(date, async () => repo.commit(files)))
  }
  return { repo, commits, short: commits.map((commit) => commit.slice(0, 8)) }
}

const outage = () =>
  history([
    ['2026-01-01', { 'web.yaml': covered, 'rbac.yaml': stream(configMap('a'), role('system:a')) }],
    ['2026-01-10', { 'a.yaml': configMap('a') }],
    ['2026-01-20', { 'web.yaml': holed }],
    ['2026-01-21', { 'a.yaml': configMap('b') }],
    ['2026-02-02', { 'web.yaml': covered }],
    ['2026-02-03', { 'rbac.yaml': configMap('a') }],
    ['2026-02-04', { 'a.yaml': configMap('c') }],
  ])

async function linesOf(...argv: readonly string[]): Promise<ReplayLine[]> {
  const { stdout, stderr } = await guard(['replay', '--offline', '--format', 'json', ...argv])
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Judges in this process, and counts. */
function counting(judge: JudgeChange = inThisProcess) {
  const asked: string[] = []
  const counted: JudgeChange = (task) => {
    asked.push(`${task.options.base?.slice(0, 8)}..${task.options.head?.slice(0, 8)}`)
    return judge(task)
  }
  return { asked, judge: counted }
}

const inThisProcess = (task: ChangeTask) => withEnvironment(gitSettings, () => judgeChange(task, run))

function request(repo: string, cache?: string) {
  const options = { repo, policies: [], offline: true, ...(cache === undefined ? {} : { cache }) }
  return { options, range: { last: 200 }, branch: undefined, jobs: 1, root }
}

describe('replay', () => {
  test('shows what it would have stopped, by month and by rule, with the commit that fixed it', async () => {
    const { repo, short } = await outage()
    const { status, stdout, stderr } = await guard(['replay', '--offline', '--repo', repo.dir])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.trimEnd().split('\n')).toEqual([
      'ingress-guard would have stopped 2 of 6 commits (33.3 %) of main, 2026-01-10 to 2026-02-04.',
      'A later commit fixed 1 of 2 findings.',
      '',
      'month    commits  stopped',
      '2026-01        3        1',
      '2026-02        3        1',
      '',
      'Findings that stop, by rule:',
      '      1  error ingress-tls/host-covered',
      '      1  error protected-rbac/object-kept',
      '',
      `2026-01-20 ${short[2]}`,
      '  error ingress-tls/host-covered web.yaml:11',
      expect.stringMatching(
        /^ {4}No entry of spec\.tls lists b\.example\.com, so the controller serves it with its default/,
      ),
      `    Fixed by ${short[4]} of 2026-02-02.`,
      '',
      `2026-02-03 ${short[5]}`,
      '  error protected-rbac/object-kept rbac.yaml (was line 8)',
      expect.stringMatching(/^ {4}\S/),
      '    Not fixed by any later commit.',
    ])
  })

  test('as JSON, a line for each commit that its schema describes, the oldest first', async () => {
    const { repo, commits } = await outage()
    const lines = await linesOf('--repo', repo.dir)
    const validate = new Ajv2020({ strict: false, formats: { date: true } }).compile(ReplayLine)
    for (const line of lines) expect([validate(line), validate.errors]).toEqual([true, null])
    expect(lines.map(({ commit, parent, date, verdict }) => [commit, parent, date, verdict])).toEqual([
      [commits[1], commits[0], '2026-01-10', 'pass'],
      [commits[2], commits[1], '2026-01-20', 'fail'],
      [commits[3], commits[2], '2026-01-21', 'pass'],
      [commits[4], commits[3], '2026-02-02', 'pass'],
      [commits[5], commits[4], '2026-02-03', 'fail'],
      [commits[6], commits[5], '2026-02-04', 'pass'],
    ])
    expect(lines.flatMap(({ findings }) => findings)).toEqual([
      expect.objectContaining({
        rule: 'ingress-tls/host-covered',
        level: 'error',
        stops: true,
        side: 'head',
        path: 'web.yaml',
        line: 11,
        fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
        ending: { state: 'fixed', commit: commits[4], date: '2026-02-02' },
      }),
      expect.objectContaining({
        rule: 'protected-rbac/object-kept',
        side: 'base',
        path: 'rbac.yaml',
        line: 8,
        ending: { state: 'open' },
      }),
    ])
    expect(lines.every(({ peakMemory }) => peakMemory > 1_000_000)).toBe(true)
  })

  test('takes the last commits, or those since a day, and a merge as one change', async () => {
    const { repo, commits } = await outage()
    expect((await linesOf('--repo', repo.dir, '--last', '2')).map(({ commit }) => commit)).toEqual(commits.slice(5))
    const since = await linesOf('--repo', repo.dir, '--since', '2026-02-02')
    expect(since.map(({ commit }) => commit)).toEqual(commits.slice(4))
    repo.git('checkout', '--quiet', '-b', 'feature', 'main~1')
    repo.commit({ 'b.yaml': configMap('x') })
    repo.commit({ 'b.yaml': configMap('z') })
    repo.git('checkout', '--quiet', 'main')
    repo.git('merge', '--quiet', '--no-ff', '--message', 'merge', 'feature')
    const [before, merge] = await linesOf('--repo', repo.dir, '--last', '2')
    expect([before?.commit, merge?.parent]).toEqual([commits[6], commits[6]])
    expect(await linesOf('--repo', repo.dir, '--last', '1', '--branch', 'feature')).toEqual([
      expect.objectContaining({ parent: repo.git('rev-parse', 'feature~1'), verdict: 'pass' }),
    ])
  })

  test('judges each commit as of the day of its author date', async () => {
    const { repo } = await history([
      [
        '2026-01-01',
        {
          'web.yaml': covered,
          '.github/ingress-guard.yaml': `format: 1\nexceptions:\n  - rule: ingress-tls/host-covered\n    object: Ingress/shop/web\n    reason: the certificate comes with the new name\n    expires: 2026-02-01\n`,
        },
      ],
      ['2026-01-20', { 'web.yaml': holed }],
      ['2026-02-05', { 'web.yaml': covered }],
      ['2026-02-06', { 'web.yaml': holed }],
    ])
    const lines = await linesOf('--repo', repo.dir)
    expect(lines.map(({ date, verdict }) => [date, verdict])).toEqual([
      ['2026-01-20', 'pass'],
      ['2026-02-05', 'pass'],
      ['2026-02-06', 'fail'],
    ])
  })

  test('counts and lists a commit that cannot be judged, with its reason', async () => {
    const { repo, short } = await history([
      ['2026-01-01', { 'web.yaml': covered, '.github/ingress-guard.yaml': 'format: 1\npolices: []\n' }],
      ['2026-01-02', { 'web.yaml': holed }],
      ['2026-01-03', { '.github/ingress-guard.yaml': null }],
      ['2026-01-04', { 'web.yaml': `${holed}# more\n` }],
    ])
    const { status, stdout } = await guard(['replay', '--offline', '--repo', repo.dir])
    expect(status).toBe(3)
    const [first, second, ...rest] = stdout.trimEnd().split('\n')
    expect(first).toBe('ingress-guard would have stopped none of 2 commits of main, 2026-01-02 to 2026-01-04.')
    expect(second).toBe('1 commit could not be judged: see the end.')
    expect(rest).toEqual([
      '',
      'Findings that do not stop, by rule:',
      '      1  notice config/changed',
      '',
      'Commits that could not be judged:',
      expect.stringMatching(`^  ${short[1]} \\.github/ingress-guard\\.yaml:2:1: .*polices`),
    ])
  })

  test('a date that no calendar has is such a reason', async () => {
    const { repo, commits } = await outage()
    const raw = repo.git('cat-file', 'commit', 'HEAD').replace(/^(author .*> )\d+/m, '$199999999999999')
    writeFileSync(path.join(repo.dir, '../raw'), `${raw}\n`)
    const odd = repo.git('hash-object', '-t', 'commit', '-w', '--literally', path.join(repo.dir, '../raw'))
    const [line] = await linesOf('--repo', repo.dir, '--last', '1', '--branch', odd)
    expect(line).toMatchObject({
      date: null,
      verdict: 'not-judged',
      reason: 'Its author date is no day of a calendar.',
    })
    expect(line?.parent).toBe(commits[5])
  })

  test('shows a progress bar at a terminal, and nothing of it elsewhere', async () => {
    const { repo } = await outage()
    let bar = ''
    const io = {
      stdout: { write: () => {} },
      stderr: { isTTY: true, write: (text: string) => (bar += text) },
      root,
    }
    await withEnvironment(gitSettings, () =>
      program(['replay', '--offline', '--repo', repo.dir, '--last', '4', '--jobs', '1'], io),
    )
    expect(bar.split('\r').map((text) => text.replace('\u001b[K', ''))).toEqual([
      '',
      '[                              ] 0 of 4 commits, 0 stopped',
      '[=======                       ] 1 of 4 commits, 0 stopped',
      '[===============               ] 2 of 4 commits, 0 stopped',
      '[======================        ] 3 of 4 commits, 1 stopped',
      '[==============================] 4 of 4 commits, looking for what fixed them',
      '',
    ])
  })

  test('checks nothing out, and leaves what is not committed', async () => {
    const { repo, commits } = await outage()
    repo.write({ 'a.yaml': 'not committed\n', 'new.yaml': 'new\n' })
    await linesOf('--repo', repo.dir)
    expect(repo.git('status', '--porcelain').split('\n')).toEqual([' M a.yaml', '?? new.yaml'])
    expect(readFileSync(path.join(repo.dir, 'a.yaml'), 'utf8')).toBe('not committed\n')
    expect(repo.git('rev-parse', 'HEAD')).toBe(commits[6])
  })

  test('judges a bare repository, too', async () => {
    const { repo, commits } = await outage()
    const lines = await linesOf('--repo', repo.clone('--bare'), '--last', '5')
    expect(lines.filter(({ verdict }) => verdict === 'fail').map(({ commit }) => commit)).toEqual([
      commits[2],
      commits[5],
    ])
  })

  test('prints no control character of a path', async () => {
    const { repo } = await history([
      ['2026-01-01', { 'we\u001b[31mb.yaml': covered }],
      ['2026-01-02', { 'we\u001b[31mb.yaml': holed }],
    ])
    const { stdout } = await guard(['replay', '--offline', '--repo', repo.dir])
    expect(stdout).toContain('error ingress-tls/host-covered we\\x1b[31mb.yaml:11')
    expect(stdout).not.toContain('\u001b')
  })
})

describe('what fixed a finding', () => {
  test('is found among many commits in few steps, and among none', async () => {
    const days = Array.from({ length: 16 }, (_, index) => {
      const files: Files = index === 11 ? { 'web.yaml': covered } : { 'a.yaml': configMap(`a${index}`) }
      return [`2026-01-${10 + index}`, files] as const
    })
    const { repo, commits, short } = await history([
      ['2026-01-01', { 'web.yaml': covered }],
      ['2026-01-02', { 'web.yaml': holed }],
      ...days,
    ])
    const { asked, judge } = counting()
    const { lines } = await replay(request(repo.dir), judge)
    expect(lines[0]?.findings[0]?.ending).toEqual({ state: 'fixed', commit: commits[13], date: '2026-01-21' })
    const others = asked.slice(17)
    expect(others.every((pair) => pair.startsWith(`${short[0]}..`))).toBe(true)
    // The last commit, then 1, 2, 4 and 8 further on, then by halves.
    expect(others.map((pair) => short.indexOf(pair.slice(10)) - 1)).toEqual([16, 1, 3, 7, 15, 11, 13, 12])
  })

  test('is unknown where a later state cannot be judged', async () => {
    const { repo, short } = await outage()
    const judge: JudgeChange = async (task) =>
      task.options.base?.startsWith(short[1] ?? '') && !task.options.head?.startsWith(short[2] ?? '')
        ? { failed: 'Its process stopped unexpectedly (SIGKILL).' }
        : inThisProcess(task)
    const { lines } = await replay(request(repo.dir), judge)
    expect(lines[1]?.findings[0]?.ending).toEqual({
      state: 'unknown',
      reason: 'Its process stopped unexpectedly (SIGKILL).',
    })
  })
})

describe('what is kept', () => {
  test('a replay that was interrupted judges only the rest', async () => {
    const { repo, short } = await outage()
    const cache = temporaryFolder()
    const { asked, judge } = counting(async (task) => {
      if (task.options.head?.startsWith(short[3] ?? '')) throw new Error('interrupted')
      return inThisProcess(task)
    })
    await expect(replay(request(repo.dir, cache), judge)).rejects.toThrow('interrupted')
    expect(asked).toEqual([`${short[0]}..${short[1]}`, `${short[1]}..${short[2]}`, `${short[2]}..${short[3]}`])
    const rest = counting()
    const resumed = await replay(request(repo.dir, cache), rest.judge)
    expect(rest.asked.slice(0, 4)).toEqual([2, 3, 4, 5].map((index) => `${short[index]}..${short[index + 1]}`))
    expect(resumed.kept).toBe(2)
    const again = counting()
    const { lines, kept } = await replay(request(repo.dir, cache), again.judge)
    expect([again.asked, kept]).toEqual([[], 6])
    expect(lines).toEqual(resumed.lines)
    const { stdout } = await guard(['replay', '--offline', '--repo', repo.dir, '--cache', cache])
    expect(stdout.split('\n')[2]).toBe('6 judgements of an earlier replay were used.')
  })

  test('is not used for other terms, and a broken entry is thrown away', async () => {
    const { repo } = await outage()
    const cache = temporaryFolder()
    await replay(request(repo.dir, cache), counting().judge)
    const other = counting()
    const { options, ...rest } = request(repo.dir, cache)
    await replay({ ...rest, options: { ...options, failOn: 'never' } }, other.judge)
    expect(other.asked).toHaveLength(6)
    const folder = path.join(cache, 'replays')
    for (const name of readdirSync(folder)) {
      const file = path.join(folder, name)
      writeFileSync(file, readFileSync(file, 'utf8').replace('"pass"', '"fail"'))
    }
    const again = counting()
    const { lines } = await replay(request(repo.dir, cache), again.judge)
    expect(again.asked.length).toBeGreaterThan(3)
    expect(lines.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass', 'pass', 'fail', 'pass'])
  })

  test('a commit that could not be judged is judged again', async () => {
    const { repo } = await outage()
    const cache = temporaryFolder()
    const failed = await replay(request(repo.dir, cache), async () => ({ failed: 'The time limit was reached.' }))
    expect(failed.lines.every(({ reason }) => reason === 'The time limit was reached.')).toBe(true)
    const again = counting()
    await replay(request(repo.dir, cache), again.judge)
    expect(again.asked.length).toBeGreaterThanOrEqual(6)
  })
})

describe('wrong input is one sentence', () => {
  async function sentenceOf(...argv: readonly string[]) {
    const { status, stdout, stderr } = await guard(['replay', '--offline', ...argv])
    expect(stdout).toBe('')
    return [status, stderr.replace('ingress-guard could not run: ', '').trimEnd()]
  }

  test('options', async () => {
    const { repo } = await outage()
    const of = (...argv: readonly string[]) => sentenceOf('--repo', repo.dir, ...argv)
    const since =
      '--since must be a day (2026-01-31) or a number of days, weeks, months or years (30d, 6w, 3m, 1y), not'
    for (const text of ['yesterday', '1 year', '0d', '-1d', '2026-02-31', '9999y', ''])
      expect(await of('--since', text)).toEqual([2, `${since} ${JSON.stringify(text)}.`])
    for (const text of ['0', '-1', '1.5', 'all', '1e3', ''])
      expect(await of('--last', text)).toEqual([
        2,
        `--last must be a whole number of commits above 0, not ${JSON.stringify(text)}.`,
      ])
    expect(await of('--jobs', '0')).toEqual([2, '--jobs must be a whole number of processes above 0, not "0".'])
    expect(await of('--since', '1y', '--last', '5')).toEqual([
      2,
      '--since and --last exclude each other. Leave out one of them.',
    ])
    expect(await of('--since', '2026-12-01')).toEqual([
      2,
      '--since 2026-12-01 is after today, 2026-11-21. Name an earlier day.',
    ])
    expect(await of('--since', '3w')).toEqual([
      2,
      'No commit of main is from 2026-10-31 or later. Name an earlier day with --since.',
    ])
    expect(await of('--policy', 'ingress-tsl')).toEqual([
      2,
      expect.stringMatching(/^The policy "ingress-tsl" does not exist\. Did you mean ingress-tls\?/),
    ])
    expect(await of('--config', '/nowhere.yaml')).toEqual([2, '/nowhere.yaml: This file cannot be read.'])
    expect(await of('--branch', 'nowhere')).toEqual([3, expect.stringMatching(/^The revision "nowhere" is not in /)])
    expect(await of('--cache', path.join(repo.dir, 'kept'))).toEqual([
      2,
      expect.stringMatching(
        /^The cache ".*kept" is inside of the checkout, where a change could write to it\. Name a folder/,
      ),
    ])
  })

  test('repositories', async () => {
    const folder = temporaryFolder()
    expect(await sentenceOf('--repo', folder)).toEqual([
      3,
      `${folder} is not a Git repository. Check it out first, or set base and head to two folders.`,
    ])
    const { dir } = new TestRepository()
    expect(await sentenceOf('--repo', dir)).toEqual([
      3,
      `The repository in ${dir} has no commit yet, so there is nothing to compare.`,
    ])
    const { repo } = await outage()
    expect(await sentenceOf('--repo', repo.clone('--depth=3'))).toEqual([
      3,
      'This shallow clone has only 3 commits of what is asked for of origin/main. Run `git fetch --unshallow`.',
    ])
    expect(await linesOf('--repo', repo.clone('--depth=3'), '--last', '2')).toHaveLength(2)
    const one = new TestRepository()
    one.commit({ 'a.yaml': configMap('a') })
    expect(await sentenceOf('--repo', one.dir)).toEqual([
      2,
      'main has only its first commit here, so there is no change to judge.',
    ])
    one.git('branch', '--quiet', '--move', 'trunk')
    expect(await sentenceOf('--repo', one.dir)).toEqual([
      2,
      'No default branch was found. Name the branch with --branch.',
    ])
  })
})

test('a change of a file that no run can render is judged without it, and the file is listed', async () => {
  const { repo } = await history([
    ['2026-01-01', { 'web.yaml': ingress('web', ['a.example.com'], ['a.example.com']) }],
    ['2026-01-02', { 'jobs/main.jsonnet': '{}\n', 'jobs/jsonnetfile.json': '{}\n' }],
  ])
  const [line] = await linesOf('--repo', repo.dir)
  expect(line?.notJudged.map(({ path: file }) => file)).toContain('jobs/main.jsonnet')
})
