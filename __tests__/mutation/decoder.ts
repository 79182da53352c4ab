import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** apiVersion, kind, namespace, name. */
export type Identity = readonly [apiVersion: string, kind: string, namespace: string, name: string]

/** The objects that kubectl's own decoder reads from one text; it stops at an error, and reads the text before it. */
export interface Objects {
  readonly objects: readonly unknown[]
  readonly error?: string
}

/** The objects of a text, or of each its identity. */
export type Answer = Objects | { readonly identities: readonly Identity[] }

/** The program of `scripts/oracles/decoder`, running. */
export class Decoder {
  private readonly process: ChildProcessWithoutNullStreams
  private readonly waiting: ((answer: Objects) => void)[] = []

  constructor(binary: string) {
    this.process = spawn(binary)
    createInterface(this.process.stdout).on('line', (line) => this.waiting.shift()?.(JSON.parse(line)))
    this.process.stderr.pipe(process.stderr)
    this.process.on('exit', (code) => {
      if (this.waiting.length > 0) throw new Error(`the decoder ended with ${code} before its answers`)
    })
  }

  read(texts: readonly Uint8Array[]): Promise<Objects[]> {
    const answers = texts.map(() => new Promise<Objects>((resolve) => this.waiting.push(resolve)))
    for (const text of texts) {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(text.length)
      this.process.stdin.write(length)
      this.process.stdin.write(text)
    }
    return Promise.all(answers)
  }

  end(): void {
    this.process.stdin.end()
  }
}
