import { expect } from '@jest/globals'
import { ingress } from '../source/objects'
import type { Files } from '../source/repository'
import { tool } from '../tools'
import { act, actHere, type Checkout, type Event, type Outcome, Remote, type Step } from './checkout'

export const config = '.github/ingress-guard.yaml'
export const holed = ingress('web', ['a.example.com'], ['a.example.com', 'b.example.com'])
export const sound = ingress('web', ['a.example.com'], ['a.example.com'])
export const exception = (expires: string) =>
  `format: 1\nexceptions:\n  - rule: ingress-tls/host-covered\n    object: Ingress/shop/web\n    reason: the CDN terminates it\n    expires: ${expires}\n`

/** The command and the words for an uncovered host at a line of `ingress()`. */
export const uncovered = (file: string, host: string, line = 12) =>
  `::error title=ingress-tls/host-covered,file=${file},line=${line},endLine=${line},col=13,endColumn=${13 + host.length}` +
  `::No entry of spec.tls lists ${host}, so the controller serves it with its default certificate. Add ${host} to the hosts of the entry whose certificate covers it.`
export const short = (commit: string) => commit.slice(0, 8)
export const firstLine = ({ summary }: Outcome) =>
  summary
    .split('\n')[0]
    ?.replace(/^\*\*(.*)\*\*$/, '$1')
    .replaceAll('`', '')
export const counts = ({ outputs: { report: _, ...counted } }: Outcome) => counted
/** The value in a push event for a missing commit. */
export const none = '0'.repeat(40)
export const passed = { verdict: 'pass', findings: '0', errors: '0', warnings: '0' }
export const failed = (errors: number) => ({
  verdict: 'fail',
  findings: `${errors}`,
  errors: `${errors}`,
  warnings: '0',
})

/** A step of a workflow, on the Node that action.yml asks for; no log shows a stack or the token. */
export function run(checkout: Checkout, step: Step): Outcome {
  return silent(act(checkout, { node: tool('node24'), ...step }))
}

/** The same in this process, for what does not depend on the bundle. */
export async function runHere(checkout: Checkout, step: Step): Promise<Outcome> {
  return silent(await actHere(checkout, step))
}

function silent(outcome: Outcome): Outcome {
  expect(outcome.log).not.toMatch(/^\s+at .*[:(]/m)
  expect(outcome.log + outcome.summary).not.toContain('ghs_token')
  return outcome
}

/** A pull request that changes these files, one commit deep. */
export function judge(base: Files, change: Files, step: Partial<Step> = {}): Outcome {
  const remote = new Remote(base, change)
  return run(remote.checkout(), { event: remote.pullRequest(), ...step })
}

/** The job fails without a verdict, in one sentence. */
export function refusal(outcome: Outcome): string {
  expect(outcome.status).toBe(1)
  expect(outcome.outputs).toEqual({ verdict: 'error' })
  expect(outcome.summary).toMatch(/^\*\*ingress-guard could not run: /)
  expect(outcome.log).not.toContain('ingress-guard found')
  const [command = '', ...more] = outcome.commands
  expect(more).toEqual([])
  expect(command).toMatch(/^::error::ingress-guard could not run: /)
  return command.replace('::error::ingress-guard could not run: ', '')
}

export function push(before: string, after: string): Event {
  const created = before === none
  const ref = `refs/heads/${created ? 'feature' : 'main'}`
  const payload = { ref, before, after, created, repository: { default_branch: 'main' } }
  return { name: 'push', sha: after, payload }
}
