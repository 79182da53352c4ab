// npm run oracles:rules -- [NAME…] [--seed N] [--count N]: asks the gate and programs of upstream code the same
// questions, and writes the first differences. The programs are in .tools (npm run oracles:build). Ends 1 where there
// is a difference.
import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Random } from '../../__tests__/mutation/random'
import { certificates } from './questions/certificates'
import { ingress } from './questions/ingress'
import type { Oracle } from './questions/oracle'
import { rbac } from './questions/rbac'

const oracles = [rbac, ingress, certificates]
const shown = 20
/** The questions of one run of a program. */
const step = 10_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '200000' } },
})

let total = 0
for (const oracle of oracles.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const differences = compared(oracle, Number(values.seed), Number(values.count))
  process.stdout.write(`${oracle.name}: ${values.count} cases of seed ${values.seed}, ${differences} differences\n`)
  total += differences
}
process.exitCode = total > 0 ? 1 : 0

function compared(oracle: Oracle, seed: number, count: number): number {
  let differences = 0
  for (let from = 0; from < count; from += step) {
    const batch = Array.from({ length: Math.min(step, count - from) }, (_, i) => oracle.ask(new Random(seed, from + i)))
    const input = batch.map(({ line }) => `${line}\n`).join('')
    const answers = execFileSync(`.tools/${oracle.name}`, { input, encoding: 'utf8', maxBuffer: 2 ** 30 }).split('\n')
    for (const [i, { line, gate }] of batch.entries()) {
      const upstream = oracle.upstream(answers[i] ?? '')
      if (upstream === undefined || upstream === gate) continue
      differences++
      if (differences <= shown) process.stdout.write(`${oracle.name}: upstream ${upstream}, gate ${gate}: ${line}\n`)
    }
  }
  return differences
}
