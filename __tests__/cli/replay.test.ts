import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import Ajv2020 from 'ajv/dist/2020'
import { program } from '../../src/cli/program'
import type { ChangeResult, JudgeChange } from '../../src/host/change-judging'
import { replay } from '../../src/host/replay'
import { type FoundInHistory, ReplayLine } from '../../src/report/replay/replay-schema'
import { root } from '../harness'
import { configMap, ingress } from '../source/objects'
import { gitSettings, temporaryFolder, withEnvironment } from '../source/repository'
import { covered, holed } from './changes'
import { guard } from './guard'
import { history, linesOf, outage } from './history'

/** Counts what is asked, as pairs of commits. */
function counting(judge: JudgeChange) {
  const asked: (readonly [base: string | undefined, head: string | undefined])[] = []
  const counted: JudgeChange = (task) => {
    asked.push([task.options.base, task.options.head])
    return judge(task)
  }
  return { asked, judge: counted }
}

const one: FoundInHistory = {
  rule: 'ingress-tls/host-covered',
  level: 'error',
  stops: true,
  side: 'head',
  path: 'web.yaml',
  line: 11,
  message: 'uncovered',
  text: 'No entry lists it.',
  fingerprint: 'one',
  also: [],
}

/** A run that found something, or nothing. */
function judgedAs(isFound: boolean, other: Partial<FoundInHistory> = {}): ChangeResult {
  return {
    judged: {
      verdict: isFound ? 'fail' : 'pass',
      findings: isFound ? [{ ...one, ...other }] : [],
      notJudged: [],
      milliseconds: 1,
      peakMemory: 1,
    },
  }
}

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
    await linesOf('--repo', repo.dir, '--last', '1')
    expect(repo.git('status', '--porcelain').split('\n')).toEqual([' M a.yaml', '?? new.yaml'])
    expect(readFileSync(path.join(repo.dir, 'a.yaml'), 'utf8')).toBe('not committed\n')
    expect(repo.git('rev-parse', 'HEAD')).toBe(commits[6])
  })

  test('judges a bare repository, too', async () => {
    const { repo, commits } = await outage()
    const [first, second] = await linesOf('--repo', repo.clone('--bare'), '--last', '2')
    expect([first?.commit, first?.verdict, second?.verdict]).toEqual([commits[5], 'fail', 'pass'])
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
  test('is found among many commits in few steps', async () => {
    const days = Array.from({ length: 18 }, (_, index) => [`2026-01-${10 + index}`, { 'a.txt': `${index}` }] as const)
    const { repo, commits, indexOf } = await history(days)
    // The second commit brings it, and it is there before the 14th.
    const { asked, judge } = counting(async ({ options: { base, head } }) => {
      const [from, to] = [indexOf(base), indexOf(head)]
      return judgedAs(from === 0 && to < 13)
    })
    const { lines } = await replay(request(repo.dir), judge)
    expect(lines.map(({ verdict }) => verdict)).toEqual(['fail', ...Array(16).fill('pass')])
    expect(lines[0]?.findings[0]?.ending).toEqual({ state: 'fixed', commit: commits[13], date: '2026-01-23' })
    // Then the last commit, those 1, 2, 4 and 8 further on, and by halves.
    expect(asked.slice(17).map(([base, head]) => [indexOf(base), indexOf(head)])).toEqual(
      [17, 2, 4, 8, 16, 12, 14, 13].map((index) => [0, index]),
    )
  })

  test('is unknown where a later state cannot be judged', async () => {
    const { repo, indexOf } = await history([
      ['2026-01-01', { 'a.txt': '1' }],
      ['2026-01-02', { 'a.txt': '2' }],
      ['2026-01-03', { 'a.txt': '3' }],
    ])
    const reason = 'Its process stopped unexpectedly (SIGKILL).'
    const { lines } = await replay(request(repo.dir), async ({ options: { head } }) =>
      indexOf(head) === 1 ? judgedAs(true) : { failed: reason },
    )
    expect(lines[0]?.findings[0]?.ending).toEqual({ state: 'unknown', reason })
    expect(lines[1]).toMatchObject({ verdict: 'not-judged', reason })
  })

  test('is not what merely has another finding first: the same message about the same file is the same', async () => {
    const { repo, indexOf } = await history([
      ['2026-01-01', { 'a.txt': '1' }],
      ['2026-01-02', { 'a.txt': '2' }],
      ['2026-01-03', { 'a.txt': '3' }],
    ])
    const endingWith = async (other: Partial<FoundInHistory>) => {
      const { lines } = await replay(request(repo.dir), async ({ options: { base, head } }) => {
        if (indexOf(base) === 1) return judgedAs(false)
        return judgedAs(true, indexOf(head) === 1 ? {} : other)
      })
      return lines[0]?.findings[0]?.ending?.state
    }
    expect(await endingWith({ fingerprint: 'other' })).toBe('open')
    expect(await endingWith({ fingerprint: 'other', message: 'other', also: ['one'] })).toBe('open')
    expect(await endingWith({ fingerprint: 'other', path: 'other.yaml' })).toBe('fixed')
    expect(await endingWith({ fingerprint: 'other', message: 'other' })).toBe('fixed')
  })
})

describe('what is kept', () => {
  const days = Array.from({ length: 7 }, (_, index) => [`2026-01-0${index + 1}`, { 'a.txt': `${index}` }] as const)

  test('a replay that was interrupted judges only the rest', async () => {
    const { repo, indexOf } = await history(days)
    const cache = temporaryFolder()
    const first = counting(async ({ options: { head } }) => {
      if (indexOf(head) === 3) throw new Error('interrupted')
      return judgedAs(false)
    })
    await expect(replay(request(repo.dir, cache), first.judge)).rejects.toThrow('interrupted')
    expect(first.asked.map(([, head]) => indexOf(head))).toEqual([1, 2, 3])
    const rest = counting(async () => judgedAs(false))
    const resumed = await replay(request(repo.dir, cache), rest.judge)
    expect(rest.asked.map(([, head]) => indexOf(head))).toEqual([3, 4, 5, 6])
    expect(resumed.kept).toBe(2)
    const again = counting(async () => judgedAs(true))
    const { lines, kept } = await replay(request(repo.dir, cache), again.judge)
    expect([again.asked, kept]).toEqual([[], 6])
    expect(lines).toEqual(resumed.lines)
  })

  test('is shown, and is not used for other terms', async () => {
    const { repo } = await history([
      ['2026-01-01', { 'web.yaml': covered }],
      ['2026-01-02', { 'web.yaml': holed }],
    ])
    const argv = ['replay', '--offline', '--repo', repo.dir, '--cache', temporaryFolder()]
    const secondLine = async (...more: readonly string[]) =>
      (await guard([...argv, ...more])).stdout.split('\n').slice(1, 3)
    expect(await secondLine()).toEqual(['A later commit fixed 0 of 1 finding.', ''])
    const used = '1 judgement of an earlier replay was used.'
    expect(await secondLine()).toEqual(['A later commit fixed 0 of 1 finding.', used])
    expect(await secondLine('--fail-on', 'never')).toEqual(['', 'Findings that do not stop, by rule:'])
    expect(await secondLine('--fail-on', 'never')).toEqual([used, ''])
    const config = path.join(temporaryFolder(), 'guard.yaml')
    writeFileSync(config, 'format: 1\n')
    expect(await secondLine('--config', config)).not.toContain(used)
    expect(await secondLine('--config', config)).toContain(used)
    writeFileSync(config, 'format: 1\nfail-on: never\n')
    expect(await secondLine('--config', config)).toEqual(['', 'Findings that do not stop, by rule:'])
  })

  test('of a broken entry is thrown away, and a commit that could not be judged is judged again', async () => {
    const { repo, indexOf } = await history(days)
    const cache = temporaryFolder()
    const reason = 'The time limit was reached.'
    await replay(request(repo.dir, cache), async ({ options: { head } }) =>
      indexOf(head) === 2 ? { failed: reason } : judgedAs(false),
    )
    const folder = path.join(cache, 'replays')
    const names = readdirSync(folder)
    expect(names).toHaveLength(5)
    const broken = path.join(folder, names[0] ?? '')
    writeFileSync(broken, readFileSync(broken, 'utf8').replace('"pass"', '"fail"'))
    const again = counting(async () => judgedAs(false))
    const { lines } = await replay(request(repo.dir, cache), again.judge)
    expect(again.asked).toHaveLength(2)
    expect(again.asked.map(([, head]) => indexOf(head))).toContain(2)
    expect(lines.every(({ verdict }) => verdict === 'pass')).toBe(true)
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
