import { lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../source/repository'
import { Remote } from './checkout'
import { counts, failed, firstLine, holed, refusal, runHere, sound, uncovered } from './step'

test('sarif-file is written, in a folder of its own too; where that cannot be, a warning says so', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const checkout = remote.checkout()
  const event = remote.pullRequest()
  const outcome = await runHere(checkout, { event, inputs: { 'sarif-file': 'out/ingress-guard.sarif' } })
  const log = JSON.parse(readFileSync(path.join(checkout.workspace, 'out', 'ingress-guard.sarif'), 'utf8'))
  expect(log.runs[0].results[0]).toMatchObject({ ruleId: 'ingress-tls/host-covered', level: 'error' })
  expect(log.runs[0].tool.driver.rules[0].help.markdown).toContain('## What to do')
  const unwritten = await runHere(checkout, { event, inputs: { 'sarif-file': 'web.yaml/x.sarif' } })
  expect(unwritten.commands.filter((command) => command.startsWith('::warning'))).toEqual([
    expect.stringMatching(/^::warning::The SARIF report could not be written \(/),
  ])
  expect([unwritten.status, counts(unwritten)]).toEqual([outcome.status, counts(outcome)])
})

test('sarif-file is written where it says, and not where a link of the pull request leads', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const checkout = remote.checkout()
  const elsewhere = temporaryFolder()
  symlinkSync(path.join(elsewhere, 'file'), path.join(checkout.workspace, 'guard.sarif'))
  symlinkSync(elsewhere, path.join(checkout.workspace, 'out'))
  const written = await runHere(checkout, { event: remote.pullRequest(), inputs: { 'sarif-file': 'guard.sarif' } })
  const refused = await runHere(checkout, { event: remote.pullRequest(), inputs: { 'sarif-file': 'out/guard.sarif' } })
  expect(readdirSync(elsewhere)).toEqual([])
  expect(lstatSync(path.join(checkout.workspace, 'guard.sarif')).isFile()).toBe(true)
  expect(written.commands.filter((command) => command.startsWith('::warning'))).toEqual([])
  expect(refused.commands.filter((command) => command.startsWith('::warning'))).toEqual([
    expect.stringContaining('could not be written (its path contains a symbolic link)'),
  ])
})

test('working-directory names the checkout, from the workspace or absolutely', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const event = remote.pullRequest()
  const below = remote.checkout({ folder: 'code' })
  expect(refusal(await runHere(below, { event }))).toMatch(`${below.workspace} is not a Git repository. `)
  const lost = await runHere(below, { event, inputs: { 'working-directory': 'lost' } })
  expect(refusal(lost)).toBe(`The folder ${path.join(below.workspace, 'lost')} does not exist.`)
  for (const folder of ['code', './code/', path.join(below.workspace, 'code')]) {
    const outcome = await runHere(below, { event, inputs: { 'working-directory': folder } })
    expect(outcome.commands[0]).toBe(uncovered('web.yaml', 'b.example.com'))
  }
})

test('inputs are obeyed, and a wrong one is named', async () => {
  const remote = new Remote({ 'web.yaml': sound }, { 'web.yaml': holed })
  const event = remote.pullRequest()
  const checkout = remote.checkout({ depth: 2 })
  const never = await runHere(checkout, { event, inputs: { 'fail-on': 'never' } })
  expect(never).toMatchObject({ status: 0, commands: [uncovered('web.yaml', 'b.example.com')] })
  expect(counts(never)).toEqual({ ...failed(1), verdict: 'pass' })
  expect(firstLine(never)).toMatch(
    /^ingress-guard found 1 error; nothing fails, because `?fail-on`? is `?never`?\. Inspected /,
  )
  // The base is then where the two parted: what main gained since was not removed.
  const head = await runHere(remote.checkout({ depth: 0 }), { event, inputs: { head: remote.head } })
  expect(firstLine(head)).toContain(': 0 added, 1 changed, 0 removed; ')
  expect(refusal(await runHere(checkout, { event, inputs: { 'fail-on': 'bogus' } }))).toBe(
    'The input fail-on must be one of error, warning, notice, never, not "bogus".',
  )
  expect(refusal(await runHere(checkout, { event, inputs: { all: 'yes' } }))).toMatch(
    /^The input all must be true or false/,
  )
  expect(refusal(await runHere(checkout, { event, inputs: { policies: 'no-such@^1' } }))).toMatch(/no-such/)
})
