import { expect } from '@jest/globals'
import type { ReplayLine } from '../../src/report/replay/replay-schema'
import { configMap, role, stream } from '../source/objects'
import { type Files, TestRepository, withEnvironment } from '../source/repository'
import { covered, holed } from './changes'
import { guard } from './guard'

/** A repository with a commit for each of the files, on the days that are their keys. */
export async function history(days: readonly (readonly [day: string, files: Files])[], repo = new TestRepository()) {
  const commits: string[] = []
  for (const [day, files] of days) {
    const date = { GIT_AUTHOR_DATE: `${day}T12:00:00Z`, GIT_COMMITTER_DATE: `${day}T12:00:00Z` }
    commits.push(await withEnvironment(date, async () => repo.commit(files)))
  }
  const indexOf = (commit: string | undefined) => commits.indexOf(commit ?? '')
  return { repo, commits, short: commits.map((commit) => commit.slice(0, 8)), indexOf }
}

/** A harmless commit, an outage, a harmless one, its fix, a role that goes, a harmless one. */
export const outage = () =>
  history([
    ['2026-01-01', { 'web.yaml': covered, 'rbac.yaml': stream(configMap('a'), role('system:a')) }],
    ['2026-01-10', { 'a.yaml': configMap('a') }],
    ['2026-01-20', { 'web.yaml': holed }],
    ['2026-01-21', { 'a.yaml': configMap('b') }],
    ['2026-02-02', { 'web.yaml': covered }],
    ['2026-02-03', { 'rbac.yaml': configMap('a') }],
    ['2026-02-04', { 'a.yaml': configMap('c') }],
  ])

export async function linesOf(...argv: readonly string[]): Promise<ReplayLine[]> {
  const { stdout, stderr } = await guard(['replay', '--offline', '--format', 'json', ...argv])
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}
