import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Shape } from '../../src/kubernetes/fields/shape'
import { inGoModule } from '../go-module'

const run = promisify(execFile)
const answers = '.tools/built-in-fields'

/** A form, with the types that have a name by it. */
export type Form =
  | Extract<Shape, string>
  | { readonly type: string }
  | { readonly items: Form }
  | { readonly entries: Form }
  | { readonly values: readonly string[] }
  | { readonly keys: Readonly<Record<string, Form>> }

/** The output of `main.go`; kinds are written as `Deployment apps/v1`. */
export interface Answer {
  readonly Types: Readonly<Record<string, Form>>
  readonly Kinds: Readonly<Record<string, string>>
}

/**
 * The types of one release of Kubernetes, by `main.go` built against its libraries. An answer is kept, as a release does
 * not change.
 */
export async function answerOf(release: string): Promise<Answer> {
  const file = path.join(answers, `${release}.json`)
  if (!existsSync(file)) {
    const text = await built(release.replace(/^1\./, 'v0.'))
    mkdirSync(answers, { recursive: true })
    writeFileSync(file, text)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

async function built(library: string): Promise<string> {
  return inGoModule(`module fields\n\ngo 1.21\n\nrequire k8s.io/client-go ${library}\n`, async (cwd) => {
    writeFileSync(path.join(cwd, 'main.go'), readFileSync('scripts/built-in-fields/main.go'))
    const options = { cwd, env: { ...process.env, GOFLAGS: '-mod=mod' }, maxBuffer: 2 ** 26 }
    await run('go', ['build', '-o', 'program', '.'], options)
    const { stdout: folder } = await run('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/api'], options)
    return (await run(path.join(cwd, 'program'), [folder.trim()], options)).stdout
  })
}
