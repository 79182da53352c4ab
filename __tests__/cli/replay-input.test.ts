import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { configMap } from '../source/objects'
import { TestRepository, temporaryFolder } from '../source/repository'
import { guard } from './guard'
import { linesOf, outage } from './history'

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
      `${folder} is not a Git repository. Run in a clone, set repo to the folder of one, or set base and head to two folders.`,
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
