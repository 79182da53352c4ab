import { expect, test } from '@jest/globals'
import { deeperClone, lackedCommit, wholeClone } from '../../src/revision/deeper-clone'

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['GitHub Actions', { GITHUB_ACTIONS: 'true', CI: 'true' }, 'Set `fetch-depth: 0` on actions/checkout'],
  ['GitLab', { GITLAB_CI: 'true', CI: 'true' }, 'Set the variable `GIT_DEPTH: 0` for this job'],
  ['another CI system', { CI: 'true' }, 'Let this job clone the whole history'],
  ['a laptop', {}, 'Run `git fetch --unshallow`'],
])('on %s', (_, env, sentence) => {
  expect(deeperClone(env)).toBe(sentence)
})

test.each<[string, NodeJS.ProcessEnv, boolean, string]>([
  ['GitHub Actions', { GITHUB_ACTIONS: 'true' }, true, 'Set `fetch-depth: 2` on actions/checkout for pull_request'],
  ['a laptop, of a shallow clone', {}, true, 'Run `git fetch --unshallow`'],
  ['a laptop, of a whole clone', {}, false, 'Fetch it with git, or name a commit that this clone has'],
])('a commit that is lacked on %s', (_, env, shallow, sentence) => {
  expect(lackedCommit(env, shallow)).toContain(sentence)
})

test.each<[string, NodeJS.ProcessEnv, string]>([
  [
    'GitHub Actions',
    { GITHUB_ACTIONS: 'true', CI: 'true' },
    'set `fetch-depth: 0` and no `filter` on actions/checkout',
  ],
  ['another CI system', { CI: 'true' }, 'let this job clone without `--filter`'],
  ['a laptop', {}, 'run `git fetch --refetch --no-filter`, or clone without `--filter`'],
])('contents that are lacked on %s', (_, env, advice) => {
  expect(wholeClone(env)).toBe(advice)
})
