import { readFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import Ajv2020 from 'ajv/dist/2020'
import { gateRules } from '../../src/finding/gate-finding'
import { ReportJson } from '../../src/report/report-schema'
import { RulesJson } from '../../src/report/rules-json'
import { rules } from '../../src/rules/index'
import { sarifErrors } from '../report/sarif-schema'
import { configMap, ingress, role, stream } from '../source/objects'
import { TestRepository, temporaryFolder, withEnvironment } from '../source/repository'
import { covered, folder, holed } from './changes'
import { checkJson, guard, lines } from './guard'

describe('check', () => {
  const repo = new TestRepository()
  repo.commit({ 'web.yaml': covered, 'rbac.yaml': stream(configMap('a'), role('system:a')) })
  repo.commit({ 'web.yaml': holed, 'rbac.yaml': configMap('a') })
  const change = ['check', '--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD', '--today', '2026-11-21']

  test('in the terminal: a frame for each finding, one line that sums up, the way through', async () => {
    const { status, stdout, stderr } = await guard(change)
    expect([status, stderr]).toEqual([1, ''])
    expect(stdout).toContain(
      'error ingress-tls/host-covered web.yaml:11:13\n    10 |   rules:\n  > 11 |     - host: b.example.com\n',
    )
    expect(stdout).toContain('error protected-rbac/object-kept rbac.yaml (was line 8 at the base)')
    expect(stdout).toMatch(
      /^ingress-guard found 2 errors and blocks this change\. Inspected HEAD~1 \([0-9a-f]{8}\) → HEAD \([0-9a-f]{8}\): 0 added, 1 changed, 1 removed; /m,
    )
    expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
      '        expires: 2026-12-21',
      '',
      'After its merge, update the branch of this change (merge or rebase): the config of its base is the one in force.',
    ])
  })

  test('with --quiet, the findings and the verdict', async () => {
    const { status, stdout } = await guard([...change, '--quiet'])
    expect(status).toBe(1)
    expect(stdout.match(/^error \S+/gm)).toEqual(['error protected-rbac/object-kept', 'error ingress-tls/host-covered'])
    expect(stdout.trimEnd().split('\n').slice(-2)).toEqual(['', 'ingress-guard found 2 errors and blocks this change.'])
    expect(await guard([...change.slice(0, 3), '--base', 'HEAD', '--head', 'HEAD', '--quiet'])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('with --verbose, each changed file, each older finding, and the policies', async () => {
    const older = new TestRepository()
    older.commit({ 'web.yaml': holed, 'a.yaml': configMap('a') })
    older.commit({ 'web.yaml': `${holed}# more\n`, 'a.yaml': configMap('b') })
    const argv = ['check', '--repo', older.dir, '--base', 'HEAD~1', '--head', 'HEAD']
    const sentence = 'ingress-tls/host-covered web.yaml:11:13: No entry of spec.tls lists b.example.com'
    const [normal, verbose] = [await guard(argv), await guard([...argv, '--verbose'])]
    expect(normal.stdout).not.toContain(sentence)
    expect(verbose.stdout).toContain(sentence)
    expect(verbose.stdout).toMatch(/^a\.yaml: judged, /m)
    expect(verbose.stdout).toMatch(/^Policies: controller-scope 1\.\d+\.\d+, ingress-tls 1\./m)
  })

  test('as JSON that its schema describes', async () => {
    const { status, stdout } = await guard([...change, '--format', 'json'])
    const validate = new Ajv2020({ strict: false, formats: { date: true } }).compile(ReportJson)
    validate(JSON.parse(stdout))
    expect(validate.errors).toBeNull()
    expect(status).toBe(1)
  })

  test('as Markdown: the verdict first, names in inline code', async () => {
    const { status, stdout } = await guard([...change, '--format', 'markdown'])
    expect(stdout.split('\n')[0]).toMatch(/^\*\*ingress-guard found 2 errors and blocks this change\. /)
    expect(stdout).toContain('| error | `web.yaml:11:13` | No entry of `spec.tls` lists `b.example.com`')
    expect(status).toBe(1)
  })

  test('as SARIF that its schema describes', async () => {
    const { status, stdout } = await guard([...change, '--format', 'sarif'])
    expect(sarifErrors(JSON.parse(stdout))).toEqual([])
    expect(JSON.parse(stdout).runs[0].results).toHaveLength(2)
    expect(status).toBe(1)
  })

  test('as workflow commands', async () => {
    const { status, stdout } = await guard([...change, '--format', 'github'])
    expect(stdout).toMatch(
      /^::error title=ingress-tls\/host-covered,file=web\.yaml,line=11,endLine=11,col=13,endColumn=26::No entry of spec\.tls lists b\.example\.com/m,
    )
    expect(status).toBe(1)
  })

  test('--output writes the report to a file, and says so', async () => {
    const file = `${temporaryFolder()}/report.json`
    const run = await guard([...change, '--format', 'json', '--output', file])
    expect(run).toEqual({ status: 1, stdout: '', stderr: `ingress-guard: fail; the report is in ${file}\n` })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 1, verdict: 'fail' })
  })

  test('--output to nowhere', async () => {
    expect(await guard([...change, '--output', '/nowhere/report'])).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'ingress-guard could not run: /nowhere/report: The file cannot be written here. Name a file in an existing folder.\n',
    })
  })

  test.each([
    ['never', 0],
    ['error', 1],
    ['warning', 1],
    ['notice', 1],
  ])('--fail-on %s', async (level, status) => {
    expect((await guard([...change, '--fail-on', level])).status).toBe(status)
  })

  test('--policy takes several, and leaves the others out', async () => {
    const one = await checkJson(...change.slice(1), '--policy', 'protected-rbac@1')
    expect(lines(one)).toEqual(['introduced error base/rbac.yaml:8 protected-rbac/object-kept'])
    const two = await checkJson(...change.slice(1), '--policy', 'protected-rbac', '--policy', 'ingress-tls@~1.0')
    expect(two.policies).toEqual([
      { name: 'protected-rbac', version: expect.stringMatching(/^1\./), requested: '^1' },
      { name: 'ingress-tls', version: '1.0.0', requested: '~1.0' },
    ])
  })

  test('--all judges the head whole', async () => {
    const report = await checkJson('--repo', repo.dir, '--head', 'HEAD', '--all')
    expect(lines(report)).toEqual(['existing error head/web.yaml:11 ingress-tls/host-covered'])
    expect([report.mode, report.inspected.base, report.status]).toEqual(['all', null, 1])
  })

  test('two folders are compared', async () => {
    const [base, head] = [folder({ 'web.yaml': covered, 'r.yaml': role('system:a') }), folder({ 'web.yaml': holed })]
    const report = await checkJson('--base', base, '--head', head)
    expect(lines(report)).toEqual([
      'introduced error base/r.yaml:1 protected-rbac/object-kept',
      'introduced error head/web.yaml:11 ingress-tls/host-covered',
    ])
    expect(report.inspected.head.revision).toBe(head)
  })

  test('nothing to inspect is said first', async () => {
    const { status, stdout } = await guard(['check', '--repo', repo.dir, '--base', 'HEAD', '--head', 'HEAD'])
    expect(stdout).toMatch(
      /^ingress-guard found nothing\. Nothing was inspected: no object differs in HEAD \([0-9a-f]{8}\) → HEAD \([0-9a-f]{8}\) \(2 YAML or JSON files listed\)\.\n$/,
    )
    expect(status).toBe(0)
  })

  test('an empty folder', async () => {
    const dir = temporaryFolder()
    expect(await guard(['check', '--all', '--head', dir])).toEqual({
      status: 0,
      stdout: `ingress-guard found nothing. Nothing was inspected: no file of ${dir} has a manifest.\n`,
      stderr: '',
    })
  })
})

describe('colour', () => {
  const dir = folder({ 'web.yaml': holed })
  const start = '\u001b['

  test.each([
    ['to a pipe', false, undefined, false],
    ['to a terminal', true, undefined, true],
    ['to a terminal with NO_COLOR', true, '1', false],
    ['to a terminal with an empty NO_COLOR', true, '', true],
  ])('%s', async (_, isTTY, noColour, coloured) => {
    const { stdout } = await withEnvironment(
      { NO_COLOR: noColour, FORCE_COLOR: undefined, NODE_DISABLE_COLORS: undefined },
      () => guard(['check', '--all', '--head', dir], isTTY),
    )
    expect(stdout.includes(start)).toBe(coloured)
  })
})

describe('the contents of manifests are shown, never obeyed', () => {
  const evil = '\u001b[2J\u202e'
  const files = {
    [`${evil}\n::error::x.yaml`]: ingress(
      'web',
      ['a.example.com'],
      [`"b\\e[31m${evil.slice(4)}.example.com\\n::stop-commands::x"`, '"##[error]x"'],
    ),
    'rbac.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "x\\e]0;y\\a"}\n\ta: b\n`,
  }

  test.each(['terminal', 'markdown', 'github', 'sarif', 'json'])('%s', async (format) => {
    const { stdout, stderr, status } = await guard(['check', '--all', '--head', folder(files), '--format', format])
    // JSON is data for programs, in which marks that reverse the reading direction are text like any other.
    const shown = format === 'json' ? stdout.replaceAll('\u202e', '') : stdout
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
    expect(`${shown}${stderr}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    // Our own command stops the log from obeying others until the token.
    const heeded = stdout.replace(/^::stop-commands::([0-9a-f-]{36})\n[\s\S]*^::\1::$/m, '')
    expect(heeded).not.toMatch(/^\s*::(?:error::|stop-commands)|##\[/m)
    expect(status).toBe(1)
  })
})

describe('usage', () => {
  test.each<[string, string[], number, string]>([
    ['an unknown command', ['chekc'], 2, "error: unknown command 'chekc'"],
    ['an unknown option', ['check', '--bsae', 'main'], 2, "error: unknown option '--bsae'"],
    [
      'an unknown format',
      ['check', '--format', 'xml'],
      2,
      "error: option '--format <format>' argument 'xml' is invalid. Allowed choices are terminal, json, markdown, sarif, github, gitlab, junit.",
    ],
    [
      'an unknown level',
      ['check', '--fail-on', 'fatal'],
      2,
      "error: option '--fail-on <level>' argument 'fatal' is invalid. Allowed choices are error, warning, notice, never.",
    ],
    ['a word too many', ['check', 'main'], 2, "error: too many arguments for 'check'"],
    ['an option without its value', ['check', '--base'], 2, "error: option '--base <revision>' argument missing"],
    [
      'no day',
      ['check', '--today', '2026-13-01'],
      2,
      'ingress-guard could not run: "2026-13-01" is not a valid date (expected YYYY-MM-DD).',
    ],
    [
      'an unknown rule',
      ['explain', 'ingress-tls/x'],
      2,
      'ingress-guard could not run: The rule "ingress-tls/x" does not exist. `ingress-guard rules` lists all.',
    ],
    [
      'a misspelled rule',
      ['explain', 'ingress-tls/host-coverd'],
      2,
      'The rule "ingress-tls/host-coverd" does not exist. Did you mean ingress-tls/host-covered? `ingress-guard rules` lists all.',
    ],
    ['a policy in place of a rule', ['explain', 'ingress-tls'], 2, 'ingress-tls is a policy. Name one of its rules,'],
    ['a misspelled rule of the gate', ['explain', 'source/unrenderd'], 2, 'Did you mean source/unrendered?'],
    [
      'a name like several',
      ['explain', 'class-knwn'],
      2,
      'Did you mean controller-scope/class-known, controller-scope/class-kept or controller-scope/flags-known?',
    ],
    ['a part of the name of a rule', ['explain', 'judged'], 2, 'Did you mean source/not-judged?'],
    ['a misspelled name of a rule', ['explain', 'hots-covered'], 2, 'Did you mean ingress-tls/host-covered?'],
    [
      'a misspelled policy',
      ['check', '--all', '--policy', 'ingres-tls@^1'],
      2,
      'The policy "ingres-tls" does not exist. Did you mean ingress-tls? The policies are controller-scope, ingress-tls,',
    ],
    [
      'all and a base',
      ['check', '--all', '--base', 'main'],
      2,
      'ingress-guard could not run: --all checks one whole revision, so --base has nothing to be compared with. Leave out --all to check a change, or --base to check all.',
    ],
    [
      'quiet and verbose',
      ['check', '--quiet', '--verbose'],
      2,
      'ingress-guard could not run: --quiet and --verbose exclude each other. Leave out one of them.',
    ],
  ])('%s', async (_, argv, status, sentence) => {
    const run = await guard(argv)
    expect([run.status, run.stdout]).toEqual([status, ''])
    expect(run.stderr.split('\n')[0]).toContain(sentence)
    expect(run.stderr).not.toMatch(/^\s+at /m)
  })

  test.each([
    ['a command', ['chekc'], '(Did you mean check?)'],
    ['an option', ['check', '--bsae', 'main'], '(Did you mean --base?)'],
  ])('a misspelled name of %s is answered with the right one', async (_, argv, sentence) => {
    expect((await guard(argv)).stderr).toContain(sentence)
  })

  test.each([[['--help']], [['help']], [['check', '--help']]])('%j', async (argv) => {
    const { status, stdout, stderr } = await guard(argv)
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^Usage: ingress-guard /)
  })

  test('no command shows what there is', async () => {
    const { status, stdout, stderr } = await guard([])
    expect(status).toBe(2)
    expect(`${stdout}${stderr}`).toMatch(/^Usage: ingress-guard /)
  })

  test('an unknown revision is status 3', async () => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    const { status, stderr } = await guard(['check', '--repo', repo.dir, '--base', 'nope\u001b[2J'])
    expect([status, stderr]).toEqual([
      3,
      `ingress-guard could not run: The revision "nope\\u001b[2J" is not in ${repo.dir}. Name a branch, tag or commit that this clone has, or a folder.\n`,
    ])
  })

  test('rules lists every rule with its sentence, also those of the gate', async () => {
    const ofGate = Object.entries(gateRules).map(([id, summary]) => ({ id, summary, since: 'gate' }))
    const lines = (await guard(['rules'])).stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.split(/ {2,}/))).toEqual(
      [...rules, ...ofGate].map(({ id, since, summary }) => [id, since, summary]),
    )
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^protected-rbac\/object-kept +1\.0\.0 +No protected object is removed from its cluster, and no object gets an owner that may not exist\.$/,
      ),
    )
  })

  test('rules as JSON that its schema describes: the levels of messages in the policy in force', async () => {
    const { status, stdout } = await guard(['rules', '--format', 'json'])
    const list: RulesJson = JSON.parse(stdout)
    const validate = new Ajv2020({ strict: false }).compile(RulesJson)
    validate(list)
    expect([status, validate.errors]).toEqual([0, null])
    expect(list.rules.map(({ id }) => id)).toEqual(rules.map(({ id }) => id))
    const covered = list.rules.find(({ id }) => id === 'ingress-tls/host-covered')
    expect(covered).toMatchObject({
      since: '1.0.0',
      policy: { name: 'ingress-tls', version: expect.stringMatching(/^1\.\d+\.\d+$/) },
      levels: { uncovered: 'error', byCertificate: 'warning' },
      page: 'docs/rules/ingress-tls/host-covered.md',
    })
  })

  test('explain shows what a rule about the config is about', async () => {
    const { status, stdout } = await guard(['explain', 'config/invalid'])
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/^# config\/invalid\n\nThe config of ingress-guard is valid\.\n/),
    ])
  })

  test.each(['ingress-tls/host-covered', 'host-covered'])('explain shows the page of a rule, for %s', async (rule) => {
    const { status, stdout } = await guard(['explain', rule])
    expect(stdout).toMatch(
      /^# ingress-tls\/host-covered\n\nEvery host that an Ingress routes is listed in one of its TLS entries\.\n/,
    )
    expect(stdout).not.toContain('<!--')
    expect(status).toBe(0)
  })

  test.each(['source/not-judged', 'not-judged'])(
    'explain shows the page of a rule of the gate, for %s',
    async (rule) => {
      const { status, stdout } = await guard(['explain', rule])
      expect(stdout).toMatch(/^# source\/not-judged\n\nEvery change of what something deploys is judged\.\n/)
      expect(stdout).toContain('\n      not-judged: { level: error, paths: ["clusters/prod/**"] }')
      expect(status).toBe(0)
    },
  )
})
