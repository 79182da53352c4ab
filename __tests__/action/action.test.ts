import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { configMap, ingress, role, stream } from '../source/objects'
import { type Files, gitIn, temporaryFolder } from '../source/repository'
import { tool } from '../tools'
import { act, type Checkout, type Event, type Outcome, Remote, remoteOf, type Step } from './checkout'

const config = '.github/ingress-guard.yaml'
const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])
const sound = ingress('web', ['a.example.com'], ['a.example.com'])
const exception = (expires: string) =>
  `format: 1\nexceptions:\n  - rule: ingress-tls/host-covered\n    object: Ingress/shop/web\n    reason: the CDN terminates it\n    expires: ${expires}\n`

/** The command and the words for an uncovered host at a line of `ingress()`. */
const uncovered = (file: string, host: string, line = 12) =>
  `::error title=ingress-tls/host-covered,file=${file},line=${line},endLine=${line},col=13,endColumn=${13 + host.length}` +
  `::No entry of spec.tls names ${host}, so it is served with the controller's default certificate. Add it to the hosts of the entry whose Secret covers it.`
const short = (commit: string) => commit.slice(0, 8)
const firstLine = ({ summary }: Outcome) =>
  summary
    .split('\n')[0]
    ?.replace(/^\*\*(.*)\*\*$/, '$1')
    .replaceAll('`', '')
const counts = ({ outputs: { report: _, ...counted } }: Outcome) => counted
/** What a push event says instead of a commit. */
const none = '0'.repeat(40)
const passed = { verdict: 'pass', findings: '0', errors: '0', warnings: '0' }
const failed = (errors: number) => ({ verdict: 'fail', findings: `${errors}`, errors: `${errors}`, warnings: '0' })

beforeAll(() => {}, 300_000)

describe.each([
  ['this Node', process.execPath],
  ['Node 24', tool('node24')],
])('with %s', (_, node) => {
  /** A step of a workflow; whatever happens, nobody is shown a stack or the token. */
  function run(checkout: Checkout, step: Omit<Step, 'node'>): Outcome {
    const outcome = act(checkout, { ...step, node })
    expect(outcome.log).not.toMatch(/^\s+at .*[:(]/m)
    expect(outcome.log + outcome.summary).not.toContain('ghs_token')
    return outcome
  }

  /** A pull request that changes these files, one commit deep. */
  function judge(base: Files, change: Files, step: Partial<Step> = {}): Outcome {
    const remote = new Remote(base, change)
    return run(remote.checkout(), { event: remote.pullRequest(), ...step })
  }

  /** The job fails without a verdict, in one sentence. */
  function refusal(outcome: Outcome): string {
    expect(outcome.status).toBe(1)
    expect(outcome.outputs).toEqual({ verdict: 'error' })
    expect(outcome.summary).toMatch(/^\*\*ingress-guard could not run: /)
    expect(outcome.log).not.toContain('ingress-guard found')
    const [command = '', ...more] = outcome.commands
    expect(more).toEqual([])
    expect(command).toMatch(/^::error::ingress-guard could not run: /)
    return command.replace('::error::ingress-guard could not run: ', '')
  }

  describe.each([1, 2])('in a checkout of depth %d', (depth) => {
    /** With depth 2 the base is there, so the remote is not asked. */
    function judgeIncident(incident: string): { remote: Remote; outcome: Outcome } {
      const remote = remoteOf(incident)
      const checkout = remote.checkout({ depth })
      if (depth === 2) gitIn(checkout.dir, 'remote', 'set-url', 'origin', 'file:///nowhere')
      return { remote, outcome: run(checkout, { event: remote.pullRequest() }) }
    }

    test('outage 001 is stopped on its lines', () => {
      const { remote, outcome } = judgeIncident('001')
      const said = `ingress-guard found 3 errors and stops this. Inspected ${short(remote.base)} → HEAD (${short(remote.merge)}): 0 added, 1 changed, 0 removed; read 9 objects in 5 files.`
      const file = 'teams/orders/ingress.yaml'
      expect(outcome.commands).toEqual([
        `::error title=ingress-tls/secret-type,file=${file},line=12,endLine=12,col=19,endColumn=38::default-token-x7k2p is the name of a generated service-account token, which holds a CA and no certificate, and Ingress orders/orders names it for TLS. Name a Secret of type kubernetes.io/tls.`,
        expect.stringMatching(
          /^::error title=ingress-tls\/controller-crash,file=teams\/orders\/ingress\.yaml,line=21,.* every replica dies/,
        ),
        uncovered(file, 'orders-api.test.example.com', 21),
        `::error::${said}`,
      ])
      expect(firstLine(outcome)).toBe(said)
      expect(counts(outcome)).toEqual(failed(3))
      const report = JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))
      expect(report).toMatchObject({ format: 1, verdict: 'fail' })
      expect(report.findings.map(({ location }: never) => location)).toMatchObject([
        { side: 'head', path: file, region: { startLine: 12 } },
        { side: 'head', path: file, region: { startLine: 21 } },
        { side: 'head', path: file, region: { startLine: 21 } },
      ])
      expect(outcome.status).toBe(1)
    })

    test.each(['helm', 'helm3'])('outage 004 is stopped on its values lines, with %s', (helm) => {
      const remote = remoteOf('004')
      const inputs = { helm: tool(helm) }
      const outcome = run(remote.checkout({ depth }), { event: remote.pullRequest(), inputs })
      const file = 'teams/two/values.yaml'
      expect(outcome.commands).toEqual([
        expect.stringMatching(
          new RegExp(
            `^::error title=controller-scope/namespace-isolated,file=${file},line=5,endLine=5,.*::Deployment two/`,
          ),
        ),
        expect.stringMatching(
          new RegExp(`^::error title=controller-scope/status-source,file=${file},line=7,endLine=7,.*::Nothing tells `),
        ),
        expect.stringMatching(
          /^::error::ingress-guard found 2 errors and stops this\. .* in 3 files and 3 renderings\.$/,
        ),
      ])
      const report = JSON.parse(readFileSync(outcome.outputs.report ?? '', 'utf8'))
      expect(report.inspected.tools).toEqual([{ name: helm, version: expect.stringMatching(/^v[34]\./) }])
      expect(report.findings[0].sources).toEqual([
        {
          kind: 'helm',
          path: 'charts/ingress-nginx',
          release: 'ingress-nginx',
          namespace: 'two',
          values: [file],
          cluster: '',
        },
      ])
    })

    test('outage 002 is stopped where the objects were', () => {
      const { outcome } = judgeIncident('002')
      expect(outcome.status).toBe(1)
      expect(counts(outcome)).toEqual(failed(6))
      const place =
        /^::error title=protected-rbac\/object-kept,file=(.*?)::(removed: was line \d+|).*? removes (\S+ \S+):/
      // Ten errors are shown of a step: an eleventh with the sum would be lost, so the log alone has it.
      expect(outcome.log).toContain('ingress-guard found 6 errors and stops this.')
      expect(outcome.commands.map((command) => command.match(place)?.slice(1).join(' '))).toEqual([
        'cluster/rbac/defaults.yaml,line=40,endLine=40  ClusterRole system:discovery',
        'cluster/rbac/defaults.yaml removed: was line 41 ClusterRole system:discovery',
        'cluster/rbac/defaults.yaml,line=40,endLine=40  ClusterRoleBinding system:discovery',
        'cluster/rbac/defaults.yaml removed: was line 65 ClusterRoleBinding system:discovery',
        'cluster/rbac/defaults.yaml,line=78,endLine=78  ClusterRole system:public-info-viewer',
        'cluster/rbac/defaults.yaml removed: was line 120 ClusterRole system:public-info-viewer',
        'cluster/rbac/defaults.yaml,line=78,endLine=78  ClusterRoleBinding system:public-info-viewer',
        'cluster/rbac/defaults.yaml removed: was line 138 ClusterRoleBinding system:public-info-viewer',
        'cluster/rbac/controller-manager.yaml removed: was line 1 ClusterRole system:kube-controller-manager',
        'cluster/rbac/controller-manager.yaml removed: was line 89 ClusterRoleBinding system:kube-controller-manager',
      ])
      expect(firstLine(outcome)).toMatch(
        /^ingress-guard found 6 errors and stops this\. Inspected .*, 6 removed; read /,
      )
    })
  })

  test('a sound change passes, and so does one that touches no manifest, which is said', () => {
    const remote = new Remote({}, { 'web.yaml': sound })
    const outcome = run(remote.checkout(), { event: remote.pullRequest() })
    expect(outcome).toMatchObject({ status: 0, commands: [] })
    expect(counts(outcome)).toEqual(passed)
    expect(firstLine(outcome)).toBe(
      `ingress-guard found nothing. Inspected ${short(remote.base)} → HEAD (${short(remote.merge)}): 1 added, 0 changed, 0 removed; read 1 object in 1 file.`,
    )
    const words = new Remote({ 'web.yaml': holed }, { 'README.md': '# our shop\n' })
    const silent = run(words.checkout(), { event: words.pullRequest() })
    expect(silent).toMatchObject({ status: 0, commands: [] })
    expect(counts(silent)).toEqual(passed)
    expect(firstLine(silent)).toBe(
      `ingress-guard found nothing. Nothing was inspected: no object differs in ${short(words.base)} → HEAD (${short(words.merge)}) (2 YAML or JSON files listed).`,
    )
  })

  test('of more than ten errors the last place says how many are left', () => {
    const hosts = Array.from({ length: 12 }, (_, index) => `h${String(index).padStart(2, '0')}.example.com`)
    const files = hosts.map((host) => [`${host}.yaml`, ingress(host, ['a.example.com'], [host])] as const)
    const outcome = judge({}, Object.fromEntries(files))
    expect(outcome.commands).toEqual([
      ...hosts.slice(0, 9).map((host) => uncovered(`${host}.yaml`, host, 11)),
      '::error title=ingress-guard::3 more errors of ingress-guard: see the job summary.',
    ])
    expect(outcome.log).toContain('ingress-guard found 12 errors and stops this.')
    expect(counts(outcome)).toEqual(failed(12))
    for (const host of hosts) expect(outcome.summary).toContain(`\`${host}.yaml:11:13\``)
  })

  test('an object cut out of a file is shown where it was cut, and where it stood', () => {
    const gone = role('system:node')
    const before = stream(configMap('one'), gone, configMap('two'))
    const outcome = judge({ 'all.yaml': before }, { 'all.yaml': stream(configMap('one'), configMap('two')) })
    const text =
      'This change removes ClusterRole system:node: nodes stand on it where the Node authorizer does not stand in, and those that join are refused first. Put it back; only a kube-apiserver that starts makes it anew.'
    expect(outcome.commands).toEqual([
      `::error title=protected-rbac/object-kept,file=all.yaml,line=7,endLine=7::${text}`,
      `::error title=protected-rbac/object-kept,file=all.yaml::removed: was line 8 at the base. ${text}`,
      `::error::${firstLine(outcome)}`,
    ])
  })

  test('a change cannot except itself: the config of the base holds, and the change of it is said', () => {
    const outcome = judge({ 'web.yaml': sound }, { 'web.yaml': holed, [config]: exception('2026-12-31') })
    expect(outcome.status).toBe(1)
    expect(outcome.commands).toEqual([
      uncovered('web.yaml', 'b.example.com'),
      `::notice title=config/changed,file=${config},line=1,endLine=1::This change adds the config of this gate. Its policies, levels, exceptions and ignored files take effect after the merge and were not heeded here; the releases and clusters it declares were.`,
      `::error::${firstLine(outcome)}`,
    ])
    expect(counts(outcome)).toEqual({ ...failed(1), findings: '2' })
  })

  test('an exception of the base lets it pass and is listed, until its day', () => {
    const excepted = judge({ 'web.yaml': sound, [config]: exception('2026-11-21') }, { 'web.yaml': holed })
    expect(excepted).toMatchObject({ status: 0, commands: [] })
    expect(counts(excepted)).toEqual(passed)
    expect(excepted.summary).toContain('Exceptions in force: 1')
    expect(excepted.summary).toMatch(/web\.yaml:12:13.*host-covered.*2026-11-21.*the CDN terminates it/)
    const expired = judge({ 'web.yaml': sound, [config]: exception('2026-11-20') }, { 'web.yaml': holed })
    expect(expired.status).toBe(1)
    expect(expired.commands[0]).toBe(uncovered('web.yaml', 'b.example.com'))
    expect(expired.commands[1]).toMatch(
      /^::warning title=config\/exception-expired,file=\.github\/ingress-guard\.yaml(?:,line=3.*?)?::The exception from /,
    )
  })

  test('an invalid config of the base stops every change but the one that mends it', () => {
    const files = { 'web.yaml': sound, [config]: 'format: 1\nfail-on: sometimes\n' }
    expect(refusal(judge(files, { 'web.yaml': holed }))).toMatch(`${config}:2:10: `)
    expect(judge(files, { [config]: 'format: 1\n' }).status).toBe(0)
  })

  test('each event is compared with its own base', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const { base, head, merge, fork } = remote
    const branch = 'gh-readonly-queue/main/pr-1-1'
    const queued = { head_sha: merge, head_ref: `refs/heads/${branch}`, base_sha: base, base_ref: 'refs/heads/main' }
    const repository = { full_name: 'acme/shop', default_branch: 'main' }
    const onBranch = (sha: string, name: string, depth = 1) =>
      remote.checkout({ sha, ref: `refs/remotes/origin/${name}`, depth })
    const queue = { action: 'checks_requested', merge_group: queued, repository }
    const cases: [from: string, to: string, Checkout, Event][] = [
      [short(base), merge, onBranch(merge, branch), { name: 'merge_group', sha: merge, payload: queue }],
      [short(base), merge, onBranch(merge, 'main'), push(base, merge)],
      // A new branch: what it adds to the default branch.
      [`origin/main (${short(fork)})`, head, onBranch(head, 'feature', 0), push(none, head)],
      // `ref: ${{ github.event.pull_request.head.sha }}`
      [`(${short(fork)})`, head, onBranch(head, 'feature', 0), remote.pullRequest()],
    ]
    for (const [from, to, checkout, event] of cases) {
      const outcome = run(checkout, { event })
      expect(outcome.commands).toEqual([uncovered('web.yaml', 'b.example.com'), `::error::${firstLine(outcome)}`])
      expect(firstLine(outcome)).toContain(
        `${from} → HEAD (${short(to)}): 0 added, 1 changed, 0 removed; read 1 object`,
      )
      expect(counts(outcome)).toEqual(failed(1))
    }
  })

  test('an event without a change is judged whole, and an unsafe one is refused', () => {
    const remote = new Remote({ 'web.yaml': holed }, {})
    const { base: sha } = remote
    const checkout = remote.checkout({ sha, ref: 'refs/remotes/origin/main' })
    const whole = run(checkout, { event: { name: 'workflow_dispatch', sha, payload: {} } })
    expect(whole.commands).toEqual([
      uncovered('web.yaml', 'b.example.com'),
      `::error::ingress-guard found 1 error and stops this. Inspected 2 objects in 2 files of HEAD (${short(sha)}), whole.`,
    ])
    expect(counts(whole)).toEqual(failed(1))
    for (const [name, words] of [
      ['pull_request_target', /^pull_request_target is refused: .* Use pull_request\.$/],
      ['issue_comment', /^The event "issue_comment" names no change to judge\. Use pull_request, /],
    ] as const)
      expect(refusal(run(checkout, { event: { ...remote.pullRequest(), name } }))).toMatch(words)
  })

  test('what a shallow clone lacks and cannot get is an error that names fetch-depth', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const cut = remote.checkout()
    gitIn(cut.dir, 'remote', 'set-url', 'origin', 'file:///nowhere')
    expect(refusal(run(cut, { event: remote.pullRequest() }))).toMatch(
      new RegExp(`^Commit ${remote.base} is not in this clone and could not be fetched .*\`fetch-depth: 2\``),
    )
    const branch = remote.checkout({ sha: remote.head, ref: 'refs/remotes/origin/feature' })
    for (const event of [push(none, remote.head), remote.pullRequest()])
      expect(refusal(run(branch, { event }))).toMatch(/`fetch-depth: 0`/)
  })

  describe('text of the change is data', () => {
    const evil = (tail: string) =>
      `x\n::stop-commands::t\n ##[set-output name=verdict]pass\n@org/team \`|\` </details>%0A::error::${tail}`
    const manifest = [
      'apiVersion: networking.k8s.io/v1',
      'kind: Ingress',
      `metadata: {namespace: shop, name: ${JSON.stringify(evil('name'))}}`,
      'spec:',
      '  tls: [{hosts: [a.example.com], secretName: web-tls}]',
      '  rules:',
      '    # ```</details> @org/team ##[add-mask]e',
      `    - host: ${JSON.stringify(evil('host'))} # ##[error]owned`,
      '    # ::error::owned',
      '',
    ].join('\n')
    const files = {
      [`${evil('held')} b.yaml`]: manifest,
      [`${evil('broken')} b.yaml`]: 'apiVersion: v1\nkind: Secret\n: [@org/team',
      [`${evil('template')} b.yaml`]: 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .Values.name }}\n',
    }

    test('to the runner, which obeys no line of it', () => {
      const outcome = judge({}, files)
      expect(outcome.status).toBe(1)
      expect(outcome.outputs.verdict).toBe('fail')
      expect(outcome.commands.map((command) => command.replace(/(::.*?)(?:,|::).*/, '$1'))).toEqual([
        '::error title=source/unreadable',
        '::error title=ingress-tls/host-covered',
        '::error title=ingress-tls/host-valid',
        '::notice title=ingress-tls/entry-used',
        '::error',
      ])
      expect(outcome.commands[1]).toContain('%250A%3A%3Aerror%3A%3Aheld')
    })

    test('in the summary, where it stands in code', () => {
      const { summary } = judge({}, files)
      for (const name of ['host', 'name', 'held', 'broken', 'template']) expect(summary).toContain(`::error::${name}`)
      const outside = plainTextOf(summary)
      expect(outside).not.toMatch(/@|::|##\[|org/)
      const fold = ['<details>', '<summary>', '</summary>', '</details>']
      expect(outside.match(/<[^>]*>/g)).toEqual([...fold, ...fold])
      for (const row of summary.split('\n').filter((line) => line.startsWith('|')))
        expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
    })
  })

  test('sarif-file is written, in a folder of its own too; where that cannot be, a warning says so', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const checkout = remote.checkout()
    const event = remote.pullRequest()
    const outcome = run(checkout, { event, inputs: { 'sarif-file': 'out/ingress-guard.sarif' } })
    const log = JSON.parse(readFileSync(path.join(checkout.workspace, 'out', 'ingress-guard.sarif'), 'utf8'))
    expect(log.runs[0].results[0]).toMatchObject({ ruleId: 'ingress-tls/host-covered', level: 'error' })
    expect(log.runs[0].tool.driver.rules[0].help.markdown).toContain('## What to do')
    const unwritten = run(checkout, { event, inputs: { 'sarif-file': 'web.yaml/x.sarif' } })
    expect(unwritten.commands.filter((command) => command.startsWith('::warning'))).toEqual([
      expect.stringMatching(/^::warning::The SARIF report could not be written \(/),
    ])
    expect([unwritten.status, counts(unwritten)]).toEqual([outcome.status, counts(outcome)])
  })

  test('sarif-file is written where it says, and not where a link of the pull request leads', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const checkout = remote.checkout()
    const elsewhere = temporaryFolder()
    symlinkSync(path.join(elsewhere, 'file'), path.join(checkout.workspace, 'guard.sarif'))
    symlinkSync(elsewhere, path.join(checkout.workspace, 'out'))
    const written = run(checkout, { event: remote.pullRequest(), inputs: { 'sarif-file': 'guard.sarif' } })
    const refused = run(checkout, { event: remote.pullRequest(), inputs: { 'sarif-file': 'out/guard.sarif' } })
    expect(readdirSync(elsewhere)).toEqual([])
    expect(lstatSync(path.join(checkout.workspace, 'guard.sarif')).isFile()).toBe(true)
    expect(written.commands.filter((command) => command.startsWith('::warning'))).toEqual([])
    expect(refused.commands.filter((command) => command.startsWith('::warning'))).toEqual([
      expect.stringContaining('could not be written (a symbolic link is on the way to it)'),
    ])
  })

  test('working-directory names the checkout, from the workspace or absolutely', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const event = remote.pullRequest()
    const below = remote.checkout({ folder: 'code' })
    expect(refusal(run(below, { event }))).toMatch(`${below.workspace} is no Git repository. `)
    const lost = run(below, { event, inputs: { 'working-directory': 'lost' } })
    expect(refusal(lost)).toBe(`There is no folder ${path.join(below.workspace, 'lost')}.`)
    for (const folder of ['code', './code/', path.join(below.workspace, 'code')]) {
      const outcome = run(below, { event, inputs: { 'working-directory': folder } })
      expect(outcome.commands[0]).toBe(uncovered('web.yaml', 'b.example.com'))
    }
  })

  test('a checkout of another user is read, as in a container job, however its folder is named', () => {
    const remote = new Remote({ 'apps/web.yaml': sound }, { 'apps/web.yaml': holed })
    const checkout = remote.checkout({ depth: 2 })
    const link = path.join(temporaryFolder(), 'link')
    symlinkSync(checkout.workspace, link)
    const step = { event: remote.pullRequest(), env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' } }
    for (const outcome of [
      run(checkout, step),
      run(checkout, { ...step, inputs: { 'working-directory': 'apps' } }),
      run({ ...checkout, workspace: link }, step),
    ])
      expect(outcome.commands[0]).toBe(uncovered('apps/web.yaml', 'b.example.com'))
  })

  test('inputs are obeyed, and a wrong one is named', () => {
    const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
    const event = remote.pullRequest()
    const checkout = remote.checkout({ depth: 2 })
    const never = run(checkout, { event, inputs: { 'fail-on': 'never' } })
    expect(never).toMatchObject({ status: 0, commands: [uncovered('web.yaml', 'b.example.com')] })
    expect(counts(never)).toEqual({ ...failed(1), verdict: 'pass' })
    expect(firstLine(never)).toMatch(/^ingress-guard found 1 error\. Inspected /)
    // The base is then where the two parted: what main gained since was not removed.
    const head = run(remote.checkout({ depth: 0 }), { event, inputs: { head: remote.head } })
    expect(firstLine(head)).toContain(': 0 added, 1 changed, 0 removed; ')
    expect(refusal(run(checkout, { event, inputs: { 'fail-on': 'bogus' } }))).toBe(
      'The input fail-on has to be one of error, warning, notice, never, not "bogus".',
    )
    expect(refusal(run(checkout, { event, inputs: { all: 'yes' } }))).toMatch(/^The input all has to be true or false/)
    expect(refusal(run(checkout, { event, inputs: { policies: 'no-such@^1' } }))).toMatch(/no-such/)
  })
})

function push(before: string, after: string): Event {
  const created = before === none
  const ref = `refs/heads/${created ? 'feature' : 'main'}`
  const payload = { ref, before, after, created, repository: { default_branch: 'main' } }
  return { name: 'push', sha: after, payload }
}

/** What a reader's browser would take for text, mentions or markup: everything that stands in no code. */
function plainTextOf(markdown: string): string {
  const textsIn = (node: Nodes): string[] =>
    'children' in node
      ? node.children.flatMap(textsIn)
      : node.type === 'text' || node.type === 'html'
        ? [node.value]
        : []
  return textsIn(fromMarkdown(markdown)).join('\n')
}
