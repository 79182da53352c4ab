import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { root } from '../harness'
import { configMap, ingress, role, stream } from '../source/objects'
import { temporaryFolder } from '../source/repository'
import { type Outcome, Remote } from './checkout'
import { counts, failed, firstLine, holed, passed, refusal, runHere, sound, uncovered } from './step'

interface WorkflowStep {
  readonly id?: string
  readonly if?: string
  readonly uses: string
  readonly with: Readonly<Record<string, string>>
}

interface Job {
  readonly if?: string
  readonly strategy?: { readonly matrix: { readonly cluster: string } }
  readonly steps: readonly WorkflowStep[]
}

const page = readFileSync(path.join(root, 'docs/many-machines.md'), 'utf8')
const { jobs } = parse(page.match(/^```yaml\n([\s\S]*?)^```$/m)?.[1] ?? '') as { jobs: Record<string, Job> }

type Values = Readonly<Record<string, string>>

/** Fills in the expressions that the page uses; another one is an error. */
function filled(text: string, values: Values): string {
  return text.replace(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
    const value = values[expression]
    if (value === undefined) throw new Error(`the page uses ${expression}`)
    return value
  })
}

/** Runs the workflow of the page: each job on a machine of its own, with artifacts between them. */
async function workflow(remote: Remote, lost?: string): Promise<{ shards: Outcome[]; merged: Outcome }> {
  const event = remote.pullRequest()
  const artifacts = temporaryFolder()
  const runJob = async (job: Job | undefined, given: Values) => {
    const temp = temporaryFolder()
    const steps = job?.steps ?? []
    const hasCheckout = steps.some(({ uses }) => uses.startsWith('actions/checkout@'))
    const empty = temporaryFolder()
    const checkout = hasCheckout ? remote.checkout({ depth: 2 }) : { workspace: empty, dir: empty }
    let values: Values = { ...given, 'runner.temp': temp }
    let outcome: Outcome | undefined
    for (const { id, if: when, uses, with: inputs = {} } of steps) {
      const own = () =>
        Object.fromEntries(Object.entries(inputs).map(([name, text]) => [name, filled(`${text}`, values)]))
      if (uses === 'org/ingress-guard@v1') {
        outcome = await runHere(checkout, { event, inputs: own() })
        for (const [name, value] of Object.entries(outcome.outputs))
          values = { ...values, [`steps.${id}.outputs.${name}`]: value }
      } else if (uses.startsWith('actions/upload-artifact@')) {
        expect(when).toBe("always() && steps.guard.outputs.report != ''")
        if (!values['steps.guard.outputs.report']) continue
        const { name = '', path: file = '' } = own()
        mkdirSync(path.join(artifacts, name))
        cpSync(file, path.join(artifacts, name, path.basename(file)))
      } else if (uses.startsWith('actions/download-artifact@')) {
        expect(own().pattern).toBe('report-*')
        cpSync(artifacts, own().path ?? '', { recursive: true })
      } else expect(uses).toMatch(/^actions\/checkout@/)
    }
    if (!outcome) throw new Error('the job runs no gate')
    return outcome
  }
  expect(Object.keys(jobs)).toEqual(['clusters', 'shard', 'ingress-guard'])
  const listed = await runJob(jobs.clusters, {})
  const { clusters = '[]' } = listed.outputs
  expect(jobs.shard?.strategy).toMatchObject({
    'fail-fast': false,
    matrix: { cluster: expect.stringContaining(' fromJSON(needs.clusters.outputs.clusters) ') },
  })
  const shards: Outcome[] = []
  for (const [index, cluster] of (JSON.parse(clusters) as string[]).entries())
    if (cluster !== lost)
      shards.push(await runJob(jobs.shard, { 'matrix.cluster': cluster, 'strategy.job-index': `${index}` }))
  expect(jobs['ingress-guard']?.if).toBe('always()')
  expect(readdirSync(artifacts).length).toBe(shards.length)
  return { shards, merged: await runJob(jobs['ingress-guard'], {}) }
}

const fleet = {
  'clusters/eu/web.yaml': sound,
  'clusters/us/web.yaml': ingress('web', ['a.example.com'], ['a.example.com']),
  'rbac.yaml': stream(configMap('a'), role('system:a')),
}

test('the workflow of the page gives the verdict, the annotations and the summary of one run', async () => {
  const remote = new Remote(fleet, { 'clusters/us/web.yaml': holed, 'clusters/asia/web.yaml': holed })
  const { shards, merged } = await workflow(remote)
  expect(shards.map(({ status }) => status)).toEqual([0, 1, 0, 1])
  expect(shards.flatMap(({ commands }) => commands.filter((one) => one.includes('title=')))).toEqual([])
  const whole = await runHere(remote.checkout({ depth: 2 }), { event: remote.pullRequest() })
  expect(merged.commands).toEqual([
    uncovered('clusters/asia/web.yaml', 'b.example.com'),
    uncovered('clusters/us/web.yaml', 'b.example.com'),
    expect.stringMatching(/^::error::ingress-guard found 2 errors and blocks this change\./),
  ])
  expect(merged.commands).toEqual(whole.commands)
  expect(merged.summary).toBe(whole.summary)
  expect([merged.status, counts(merged)]).toEqual([1, failed(2)])
  const read = ({ outputs }: Outcome) => readFileSync(outputs.report ?? '', 'utf8')
  expect(read(merged)).toBe(read(whole))
})

test('the workflow of the page passes, and stops a change whose job is lost', async () => {
  const remote = new Remote(fleet, { 'clusters/us/web.yaml': `# a comment\n${sound}` })
  const { merged } = await workflow(remote)
  expect([merged.status, counts(merged)]).toEqual([0, passed])
  expect(firstLine(merged)).toMatch(/^ingress-guard found nothing\./)
  expect(refusal((await workflow(remote, 'clusters/us')).merged)).toBe(
    'No report judges "clusters/us", so nothing is known of that cluster. Merge the reports of all clusters that `ingress-guard clusters` lists for this change.',
  )
})

test('inputs that exclude each other are refused', async () => {
  const remote = new Remote(fleet, {})
  const refused = async (inputs: Values) =>
    refusal(await runHere(remote.checkout({ depth: 2 }), { event: remote.pullRequest(), inputs }))
  expect(await refused({ command: 'merge', cluster: 'clusters/us' })).toBe(
    'The input cluster is for the command check, not for merge. Remove one of them.',
  )
  expect(await refused({ suggestions: 'true', cluster: 'clusters/us' })).toBe(
    'The input suggestions needs one run that judges all clusters: fixes edit files that several may share. Remove it.',
  )
  expect(await refused({ command: 'merge' })).toBe(
    'There is no report to merge, so nothing is known. Name the reports of all clusters.',
  )
  expect(await refused({ command: 'judge' })).toBe(
    'The input command must be one of check, clusters, merge, not "judge".',
  )
})
