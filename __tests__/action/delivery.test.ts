import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { GitHubServer } from '../github/server'
import { treeOf, valuesOf } from '../report/markdown-tree'
import { ingress } from '../source/objects'
import { tool } from '../tools'
import { actHere, actMeanwhile, type Checkout, type Outcome, Remote, type Step } from './checkout'

const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const holedBy = (hosts: readonly string[]) => ingress('web', ['a.example.com'], hosts)
const manyHosts = Array.from({ length: 500 }, (_, index) => `h${String(index).padStart(3, '0')}.example.com`)
const name = 'ingress-guard findings'
const mark = '<!-- ingress-guard: ingress-guard%20findings -->\n'

let github: GitHubServer
const servers: GitHubServer[] = []

async function startGitHub(prefix = ''): Promise<GitHubServer> {
  const server = await GitHubServer.start(prefix)
  servers.push(server)
  return server
}

beforeEach(async () => {
  github = await startGitHub()
})

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.stop()
    expect(server.refused).toEqual([])
  }
})

/** Runs the Action against a GitHub: the built one where a Node is named. */
async function run(checkout: Checkout, step: Step, at = github): Promise<Outcome> {
  const act = step.node ? actMeanwhile : actHere
  const outcome = await act(checkout, {
    ...step,
    inputs: { annotations: 'auto', ...step.inputs },
    env: { GITHUB_API_URL: at.url, ...step.env },
  })
  expect(outcome.log + outcome.summary).not.toContain('ghs_token')
  expect(outcome.log).not.toMatch(/^\s+at .*[:(]/m)
  return outcome
}

/** The places of findings, as the report has them. */
function placesIn({ outputs }: Outcome): string[] {
  const { findings } = JSON.parse(readFileSync(outputs.report ?? '', 'utf8'))
  return findings.map(({ location }: never) => placeIn(location))
}

function placeIn({ path: file, region }: { path: string; region: { startLine: number } }): string {
  return `${file}:${region.startLine}`
}

/** The commands that annotate a file, except the summary and the remarks on a channel. */
const annotating = ({ commands }: Outcome) => commands.filter((command) => command.includes(' title='))
const remarks = ({ commands }: Outcome) => commands.filter((command) => /^::(?:notice|warning)::/.test(command))

const one = new Remote({ 'web.yaml': sound }, { 'web.yaml': holedBy(['a.example.com', 'b.example.com']) })
const none = new Remote({ 'web.yaml': sound }, { 'more.yaml': ingress('more', ['c.example.com'], ['c.example.com']) })

test('500 findings are one check run of the head, in eleven requests, and no commands', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holedBy(manyHosts) })
  github.commits.add(remote.head)
  const step: Step = { event: remote.pullRequest(), inputs: { comment: 'always' }, node: tool('node24') }
  const outcome = await run(remote.checkout(), step)
  expect(outcome.status).toBe(1)
  expect(outcome.commands).toEqual([
    expect.stringMatching(/^::error::ingress-guard found 500 errors and blocks this change\./),
  ])
  const [checkRun, ...more] = github.checkRuns
  expect(more).toEqual([])
  expect(checkRun).toMatchObject({
    name,
    head_sha: remote.head,
    status: 'completed',
    conclusion: 'failure',
    output: { title: 'ingress-guard found 500 errors and blocks this change.', annotations_count: 500 },
  })
  expect(checkRun?.output.summary).toMatch(/^\*\*ingress-guard found 500 errors/)
  expect(checkRun?.output.summary?.length).toBeLessThanOrEqual(65_535)
  const annotated = checkRun?.annotations ?? []
  expect(annotated.map(({ path: file, start_line }) => `${file}:${start_line}`)).toEqual(placesIn(outcome))
  expect(annotated[0]).toEqual({
    path: 'web.yaml',
    start_line: 11,
    end_line: 11,
    start_column: 13,
    end_column: 29,
    annotation_level: 'failure',
    title: 'ingress-tls/host-covered',
    message: expect.stringMatching(/^No entry of spec\.tls lists h000\.example\.com, /),
  })
  const [comment] = github.comments
  expect(comment?.body?.length).toBeLessThanOrEqual(65_536)
  expect(comment?.body).toContain('see the job summary')
  expect(github.operations.filter((operation) => operation.startsWith('checks/'))).toEqual([
    'checks/list-for-ref',
    'checks/create',
    ...Array.from({ length: 9 }, () => 'checks/update'),
  ])

  // Run again, it finds everything said.
  github.made.length = 0
  expect((await run(remote.checkout(), step)).status).toBe(1)
  expect(github.operations).toEqual(['checks/list-for-ref', 'issues/list-comments'])
})

describe('the check run', () => {
  test('is a success where nothing is found, also on a push, in a merge group and of a whole revision', async () => {
    const { head, merge, base } = none
    const repository = { full_name: 'acme/shop', default_branch: 'main' }
    const queue = { head_sha: merge, head_ref: 'refs/heads/q', base_sha: base, base_ref: 'refs/heads/main' }
    const cases: [string, Step][] = [
      [head, { event: none.pullRequest() }],
      [merge, { event: { name: 'merge_group', sha: merge, payload: { merge_group: queue, repository } } }],
      [merge, { event: { name: 'push', sha: merge, payload: { before: base, after: merge, repository } } }],
      [merge, { event: { name: 'schedule', sha: merge, payload: { repository } }, inputs: { all: 'true' } }],
      [merge, { event: { name: 'workflow_dispatch', sha: merge, payload: { repository } } }],
    ]
    for (const [sha, { event, inputs }] of cases) {
      const at = await startGitHub()
      const outcome = await run(none.checkout(), { event, inputs: { comment: 'always', ...inputs } }, at)
      expect(outcome).toMatchObject({ status: 0, commands: [] })
      expect(at.checkRuns).toMatchObject([{ head_sha: sha, conclusion: 'success', output: { annotations_count: 0 } }])
      expect(at.comments).toHaveLength(event.name === 'pull_request' ? 1 : 0)
    }
  })

  test('has the name of the input, which distinguishes the comments of two gates', async () => {
    for (const [index, checkName] of ['prod --> now', 'dev'].entries()) {
      const inputs = { 'check-name': checkName, comment: 'always' }
      await run(one.checkout(), { event: one.pullRequest(), inputs })
      expect(github.checkRuns[index]?.name).toBe(checkName)
    }
    expect(github.comments.map(({ body }) => body?.split('\n')[0])).toEqual([
      '<!-- ingress-guard: prod%20--%3E%20now -->',
      '<!-- ingress-guard: dev -->',
    ])
  })

  test('is gone on with where its writing was cut short, and superseded where it says something else', async () => {
    const hosts = manyHosts.slice(0, 120)
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holedBy(hosts) })
    const step = { event: remote.pullRequest() }
    github.faults.push({ operation: 'checks/update', fault: '404', times: 1 })
    const cut = await run(remote.checkout(), step)
    expect(remarks(cut)).toEqual([
      '::warning::The check run has only 50 of 120 annotations (404: Not Found). The job summary has every finding, and the verdict is unchanged.',
    ])
    // Never both: annotations of the check run are not repeated.
    expect(annotating(cut)).toEqual([])
    github.made.length = 0
    expect(remarks(await run(remote.checkout(), step))).toEqual([])
    expect(github.operations).toEqual(['checks/list-for-ref', 'checks/update', 'checks/update'])
    const messages = github.checkRuns.map(({ annotations }) => annotations.map(({ message }) => message))
    expect(new Set(messages[0]).size).toBe(120)
    expect(messages[0]).toHaveLength(120)

    // Without a finding at the same commit, annotations cannot be taken back.
    await run(remote.checkout(), { ...step, inputs: { 'fail-on': 'never', policies: 'protected-rbac@1.0.0' } })
    expect(github.checkRuns.map(({ conclusion, output }) => `${conclusion} ${output.annotations_count}`)).toEqual([
      'failure 120',
      'success 0',
    ])
    // An empty one can be written over.
    await run(remote.checkout(), step)
    expect(github.checkRuns.map(({ conclusion, output }) => `${conclusion} ${output.annotations_count}`)).toEqual([
      'failure 120',
      'failure 120',
    ])
  })

  test('is updated where another report has the same findings', async () => {
    for (const today of ['2026-11-21', '2026-11-22']) {
      const outcome = await run(one.checkout(), { event: one.pullRequest(), inputs: { today } })
      expect(remarks(outcome)).toEqual([])
    }
    expect(github.operations).toEqual(['checks/list-for-ref', 'checks/create', 'checks/list-for-ref', 'checks/update'])
    expect(github.checkRuns.map(({ output }) => output)).toMatchObject([
      { annotations_count: 1, summary: expect.stringContaining('expires: 2026-12-22') },
    ])
  })

  test('is none of another program that has the name', async () => {
    await run(one.checkout(), { event: one.pullRequest() })
    const [theirs] = github.checkRuns
    if (theirs) Object.assign(theirs, { external_id: '1b4e28ba' })
    await run(one.checkout(), { event: one.pullRequest() })
    expect(github.checkRuns).toHaveLength(2)
  })
})

describe('annotations', () => {
  test('commands and none ask nothing of GitHub', async () => {
    for (const [annotations, lines] of [
      ['commands', ['web.yaml']],
      ['none', []],
    ] as const) {
      const outcome = await run(one.checkout(), { event: one.pullRequest(), inputs: { annotations } })
      expect(outcome.status).toBe(1)
      expect(annotating(outcome).map((command) => command.match(/file=([^,]*)/)?.[1])).toEqual(lines)
    }
    expect(github.operations).toEqual([])
  })

  test('auto means commands where there is no token, or the event names no commit that is judged', async () => {
    const { payload, sha } = one.pullRequest()
    const steps: Step[] = [
      { event: one.pullRequest(), inputs: { token: '' } },
      { event: { name: 'issue_comment', sha, payload }, inputs: { base: one.base } },
    ]
    for (const step of steps) {
      const outcome = await run(one.checkout({ depth: 2 }), step)
      expect(outcome.status).toBe(1)
      expect(annotating(outcome)).toHaveLength(1)
      expect(remarks(outcome)).toEqual([])
    }
    expect(github.operations).toEqual([])
  })

  test('check-run is none without a token, which is said', async () => {
    const inputs = { annotations: 'check-run', token: '', comment: 'always' }
    const outcome = await run(one.checkout({ depth: 2 }), { event: one.pullRequest(), inputs })
    expect(outcome.status).toBe(1)
    expect(annotating(outcome)).toEqual([])
    expect(remarks(outcome)).toEqual([
      '::warning::The check run could not be written (the input token is empty), so no finding is annotated. The job summary has every finding, and the verdict is unchanged.',
      '::warning::The comment could not be written (the input token is empty), so the pull request has no up-to-date comment. The job summary has every finding, and the verdict is unchanged.',
    ])
    for (const remark of remarks(outcome)) expect(outcome.summary).toContain(remark.split('::')[2]?.slice(0, 40))
  })

  test('another word is refused', async () => {
    const outcome = await run(one.checkout(), { event: one.pullRequest(), inputs: { annotations: 'all' } })
    expect(outcome.log).toContain('The input annotations must be one of auto, commands, check-run, none, not "all".')
  })
})

describe('a token that may only read', () => {
  const lost = (what: string, added: string, never = '') =>
    `::notice::The token of this run may not write ${what}; the job summary has every finding. In the permissions of the job ${added}${never}.`

  test('of a fork: exit status, commands, summary, and one notice', async () => {
    github.permissions.clear()
    for (const permission of ['checks: read', 'pull-requests: read']) github.permissions.add(permission)
    const event = one.pullRequest({ fork: 'dev/shop' })
    const outcome = await run(one.checkout(), { event, inputs: { comment: 'on-failure' } })
    expect(outcome.status).toBe(1)
    expect(outcome.summary).toContain('web.yaml:12:13')
    expect(annotating(outcome)).toHaveLength(1)
    expect(remarks(outcome)).toEqual([
      lost(
        'a check run or a comment',
        '`checks: write` adds the check run and `pull-requests: write` adds the comment',
        ', except for pull requests from forks or Dependabot, which never get it',
      ),
    ])
    expect(github.operations).toEqual([
      'checks/list-for-ref',
      'checks/create',
      'issues/list-comments',
      'issues/create-comment',
    ])
    // Dependabot's branches are in the repository itself.
    const env = { GITHUB_ACTOR: 'dependabot[bot]' }
    const dependabot = await run(one.checkout(), { event: one.pullRequest(), inputs: { comment: 'on-failure' }, env })
    expect(remarks(dependabot)).toEqual(remarks(outcome))
    // Nothing found, nothing lost.
    const silent = await run(none.checkout(), {
      event: none.pullRequest({ fork: 'dev/shop' }),
      inputs: { comment: 'on-failure' },
    })
    expect(silent).toMatchObject({ status: 0, commands: [] })
  })

  test('without a permission: an output that was not asked for is a notice, and a requested one is a warning', async () => {
    github.permissions.clear()
    const outcome = await run(one.checkout(), { event: one.pullRequest(), inputs: { comment: 'always' } })
    expect(annotating(outcome)).toHaveLength(1)
    expect(remarks(outcome)).toEqual([
      lost('a check run', '`checks: write` adds the check run'),
      '::warning::The comment could not be written (403: Resource not accessible by integration), so the pull request has no up-to-date comment. Give the job the permission `pull-requests: write`. The job summary has every finding, and the verdict is unchanged.',
    ])
  })
})

test('a remark takes the place of an annotation: GitHub shows ten of a level', async () => {
  github.permissions.clear()
  const unused = Array.from({ length: 12 }, (_, index) => {
    const host = `h${index}.example.com`
    return ingress(`web-${index}`, [host, `unused.${host}`], [host]).replace(/ +defaultBackend.*\n/, '')
  })
  const remote = new Remote({}, Object.fromEntries(unused.map((text, index) => [`${index}.yaml`, text])))
  const { commands } = await run(remote.checkout(), { event: remote.pullRequest() })
  const notices = commands.filter((command) => command.startsWith('::notice'))
  expect(notices).toHaveLength(10)
  expect(notices[0]).toMatch(/^::notice::The token of this run may not write a check run; /)
  expect(notices[9]).toMatch(/^::notice title=ingress-guard::4 more notices of ingress-guard: see the job summary\.$/)
})

describe('the comment', () => {
  const inputs = { comment: 'on-failure', annotations: 'none' }
  const judge = (remote: Remote, more = {}) =>
    run(remote.checkout(), { event: remote.pullRequest(), inputs: { ...inputs, ...more } })

  test('is written when the gate stops the change, left alone while nothing changes, and green when it is fixed', async () => {
    await judge(none)
    expect(github.comments).toEqual([])
    await judge(one)
    expect(github.comments).toHaveLength(1)
    const [red] = github.comments
    expect(red?.body).toMatch(`${mark}❌ **ingress-guard found 1 error and blocks this change.**\n\n<details>`)
    expect(red?.body).toContain('web.yaml:12:13')
    github.made.length = 0
    await judge(one)
    expect(github.operations).toEqual(['issues/list-comments'])
    await judge(none)
    expect(github.comments).toHaveLength(1)
    expect(github.comments[0]?.body).toMatch(`${mark}✅ **ingress-guard found nothing.**\n`)
  })

  test('is there always, or never', async () => {
    await judge(one, { comment: 'never' })
    expect(github.operations).toEqual([])
    await judge(none, { comment: 'always' })
    expect(github.comments[0]?.body).toContain('✅')
  })

  test('is found behind many others, and is none of a stranger', async () => {
    github.comment(`${mark}✅ all is well`, 'stranger', 'User', 'CONTRIBUTOR')
    for (let index = 0; index < 250; index++) github.comment(`comment ${index}`, 'dev', 'User', 'MEMBER')
    github.comment(`they wrote: ${mark}`, 'dev', 'User', 'MEMBER')
    const ours = github.comment(`${mark}old`, 'github-actions[bot]', 'Bot', 'NONE')
    await judge(one)
    expect(github.comments).toHaveLength(253)
    expect(github.comments.find(({ id }) => id === ours.id)?.body).toContain('❌')
    expect(github.operations).toEqual([
      ...Array.from({ length: 3 }, () => 'issues/list-comments'),
      'issues/update-comment',
    ])
  })
})

test('text of the change is data: it pings no person and ends no markup', async () => {
  const evil = 'x @org/team `|` %0A::error::owned'
  const manifest = holedBy([JSON.stringify(evil)]).replace('name: web', `name: ${JSON.stringify(`${evil}</details>`)}`)
  const remote = new Remote({}, { [`${evil}</details> b.yaml`]: manifest })
  const outcome = await run(remote.checkout(), { event: remote.pullRequest(), inputs: { comment: 'always' } })
  expect(outcome.status).toBe(1)
  expect(outcome.commands.filter((command) => !command.startsWith('::error::ingress-guard found '))).toEqual([])
  expect(github.checkRuns[0]?.annotations.length).toBeGreaterThan(0)
  for (const markdown of [github.checkRuns[0]?.output.summary, github.comments[0]?.body]) {
    expect(markdown).toContain('@org/team')
    const tree = treeOf(markdown ?? '')
    expect(valuesOf(tree, 'text').join('\n')).not.toMatch(/@|::|owned/)
    const html = valuesOf(tree, 'html').join('\n')
    expect(html.match(/<details>/g)).toHaveLength(html.match(/<\/details>/g)?.length ?? 0)
    expect(html).not.toMatch(/@|owned/)
  }
})

test('GitHub Enterprise Server is asked where its API is', async () => {
  const enterprise = await startGitHub('/api/v3')
  await run(one.checkout(), { event: one.pullRequest(), inputs: { comment: 'always' } }, enterprise)
  expect(enterprise.checkRuns).toHaveLength(1)
  expect(enterprise.comments).toHaveLength(1)
})

test('pull_request_target is refused whatever else is given', async () => {
  const event = { ...one.pullRequest(), name: 'pull_request_target' }
  const steps: Step[] = [{ event }, { event, inputs: { base: one.base } }, { event, inputs: { all: 'true' } }]
  for (const step of steps) {
    const outcome = await run(one.checkout(), step)
    expect(outcome.status).toBe(1)
    expect(outcome.log).toContain('pull_request_target is not supported: ')
  }
  expect(github.operations).toEqual([])
})
