// npm run oracles -- [--seed N] [--from N] [--count N] [--out FILE]: reads mutated inputs with the gate and with
// kubectl's own decoder, and writes every distinct difference, crash and delay with its smallest input.
import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { attempt, type Fault } from '../../__tests__/mutation/attempt'
import { Decoder } from '../../__tests__/mutation/decoder'
import { identitiesIn } from '../../__tests__/mutation/judge'
import { type Mutated, mutated } from '../../__tests__/mutation/mutate'
import { reduced } from '../../__tests__/mutation/reduce'

/** The inputs of one worker: what the gate keeps of those it read goes with it. */
const step = 10_000
const batch = 100
/** An input that takes longer than this stalls the gate. */
const limit = 10_000

interface Task {
  readonly decoder: string
  readonly seed: number
  readonly from: number
  readonly to: number
  /** The index that is being read. */
  readonly current: SharedArrayBuffer
}

interface Found {
  readonly index: number
  readonly origin: string
  readonly cause: Fault['cause'] | 'slow'
  readonly signature: string
  readonly detail: string
  readonly input: string
}

type Message = { readonly found: Found } | { readonly done: true; readonly objects: number; readonly slowest: number }

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      decoder: { type: 'string' },
      seed: { type: 'string', default: '1' },
      from: { type: 'string', default: '0' },
      count: { type: 'string', default: '20000' },
      out: { type: 'string', default: 'differences.jsonl' },
    },
  })
  const { decoder, out } = values
  if (!decoder) throw new Error('name the binary of scripts/oracles/decoder with --decoder')
  const first = Number(values.from)
  const last = first + Number(values.count)
  const known = new Map<string, number>()
  let objects = 0
  let slowest = 0
  for (let from = first; from < last; ) {
    const to = Math.min(from + step, last)
    const current = new SharedArrayBuffer(4)
    const ended = await watch({ decoder, seed: Number(values.seed), from, to, current }, (found) => {
      const key = `${found.cause} ${found.signature}`
      if (!known.has(key)) appendFileSync(out, `${JSON.stringify(found)}\n`)
      known.set(key, (known.get(key) ?? 0) + 1)
    })
    objects += ended.objects
    slowest = Math.max(slowest, ended.slowest)
    from = ended.next
    process.stdout.write(
      `${new Date().toISOString()} ${from - first} inputs, ${objects} objects, slowest ${slowest} ms, ${known.size} distinct differences\n`,
    )
  }
  for (const [key, count] of [...known].sort((one, other) => other[1] - one[1]))
    process.stdout.write(`${count} ${key}\n`)
  process.exitCode = known.size > 0 ? 1 : 0
}

/** A thread does not take over that tsx reads TypeScript, and its hook YAML. */
const loader = `import('node:module').then(async ({ register }) => {
  (await import('tsx/esm/api')).register()
  register(${JSON.stringify(new URL('../yaml-loader.mjs', import.meta.url).href)})
  return import(${JSON.stringify(import.meta.url)})
})`

/** Runs a worker to its end, or past an input on which it hangs. */
function watch(
  task: Task,
  report: (found: Found) => void,
): Promise<{ next: number; objects: number; slowest: number }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(loader, { eval: true, workerData: task })
    const current = new Int32Array(task.current)
    let seen = { index: -1, since: Date.now() }
    const timer = setInterval(() => {
      const index = Atomics.load(current, 0)
      if (index !== seen.index) seen = { index, since: Date.now() }
      else if (index >= 0 && Date.now() - seen.since > limit * 3) {
        const { origin, bytes } = mutated(task.seed, index)
        const detail = `more than ${limit * 3} ms`
        report({ index, origin, cause: 'slow', signature: origin, detail, input: bytes.toString() })
        finish({ next: index + 1, objects: 0, slowest: limit * 3 })
      }
    }, 1000)
    const finish = (ended: { next: number; objects: number; slowest: number }) => {
      clearInterval(timer)
      worker.terminate()
      resolve(ended)
    }
    worker.on('error', reject)
    worker.on('message', (message: Message) => {
      if ('found' in message) report(message.found)
      else if ('done' in message) finish({ next: task.to, ...message })
    })
  })
}

async function work({ decoder: binary, seed, from, to, current }: Task): Promise<void> {
  const decoder = new Decoder(binary)
  const index = new Int32Array(current)
  Atomics.store(index, 0, -1)
  const known = new Set<string>()
  let slowest = 0
  let objects = 0
  let inputs = batchOf(seed, from, to)
  let answers = decoder.read(inputs.map(({ bytes }) => bytes))
  while (inputs.length > 0) {
    const next = batchOf(seed, (inputs.at(-1)?.index ?? to) + 1, to)
    const coming = decoder.read(next.map(({ bytes }) => bytes))
    const read = await answers
    for (const [at, input] of inputs.entries()) {
      Atomics.store(index, 0, input.index)
      const start = performance.now()
      const outcome = await attempt(input, read[at])
      const took = Math.round(performance.now() - start)
      slowest = Math.max(slowest, took)
      objects += identitiesIn(read[at]).length
      const { origin } = input
      if (took > limit)
        post({
          index: input.index,
          origin,
          cause: 'slow',
          signature: origin,
          detail: `${took} ms`,
          input: input.bytes.toString(),
        })
      for (const difference of outcome) {
        const signature = signatureOf(difference)
        if (known.has(signature)) continue
        known.add(signature)
        // Only reading is held to the limit.
        Atomics.store(index, 0, -1)
        post(await smallest(input, difference, decoder))
      }
    }
    inputs = next
    answers = coming
  }
  Atomics.store(index, 0, -1)
  decoder.end()
  parentPort?.postMessage({ done: true, objects, slowest } satisfies Message)
}

function post(found: Found): void {
  parentPort?.postMessage({ found } satisfies Message)
}

function batchOf(seed: number, from: number, to: number): Mutated[] {
  return Array.from({ length: Math.max(0, Math.min(batch, to - from)) }, (_, at) => mutated(seed, from + at))
}

async function smallest(input: Mutated, { cause, detail }: Fault, decoder: Decoder): Promise<Found> {
  const { index, origin } = input
  const find = async (text: string): Promise<Fault | undefined> => {
    const bytes = Buffer.from(text)
    const [answer] = await decoder.read([bytes])
    const all = await attempt({ ...input, bytes }, answer)
    return all.find((one) => one.cause === cause && (cause !== 'crash' || one.detail === detail))
  }
  const text = input.bytes.toString()
  const small =
    text.length < 5000 && (await find(text))
      ? await reduced(text, async (some) => (await find(some)) !== undefined)
      : text
  const last = await find(small)
  const seen = { cause, detail: (last?.detail ?? detail).slice(0, 1000) }
  return {
    index,
    origin,
    signature: signatureOf({ cause, detail: cause === 'crash' ? detail : small }),
    input: small.slice(0, 2000),
    ...seen,
  }
}

/** Equal for findings that differ in words alone. */
function signatureOf({ cause, detail }: Pick<Found, 'cause' | 'detail'>): string {
  const shape = detail.replace(/[a-zA-Z]+/g, 'a').replace(/[0-9]+/g, '0')
  return `${cause} ${shape.slice(0, 120)}`
}

if (isMainThread) await main()
else await work(workerData)
