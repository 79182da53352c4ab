/** Advice to get the history that a shallow clone lacks: a setting of the job, or a command at a terminal. */
export function deeperClone(env: NodeJS.ProcessEnv): string {
  if (env.GITHUB_ACTIONS === 'true') return 'Set `fetch-depth: 0` on actions/checkout'
  if (env.GITLAB_CI === 'true') return 'Set the variable `GIT_DEPTH: 0` for this job'
  return env.CI === 'true' ? 'Let this job clone the whole history' : 'Run `git fetch --unshallow`'
}

/** Advice to get contents that a partial clone lacks and could not fetch. */
export function wholeClone(env: NodeJS.ProcessEnv): string {
  if (env.GITHUB_ACTIONS === 'true') return 'set `fetch-depth: 0` and no `filter` on actions/checkout'
  return env.CI === 'true'
    ? 'let this job clone without `--filter`'
    : 'run `git fetch --refetch --no-filter`, or clone without `--filter`'
}

/** Advice to get a commit that a clone lacks and could not fetch by its id. */
export function lackedCommit(env: NodeJS.ProcessEnv, isShallow: boolean): string {
  if (env.GITHUB_ACTIONS === 'true')
    return 'Set `fetch-depth: 2` on actions/checkout for pull_request events, `fetch-depth: 0` for others'
  return isShallow ? deeperClone(env) : 'Fetch it with git, or name a commit that this clone has'
}
