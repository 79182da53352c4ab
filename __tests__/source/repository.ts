import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from '@jest/globals'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A new folder that is removed after the file's tests. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ingress-guard-test-')))
  folders.push(folder)
  return folder
}

/** Writes files by path; null removes one, `{ link }` makes a symbolic link. */
export type Files = Readonly<Record<string, string | Buffer | null | { readonly link: string }>>

export function writeFiles(folder: string, files: Files): void {
  for (const [file, content] of Object.entries(files)) {
    const full = path.join(folder, file)
    rmSync(full, { recursive: true, force: true })
    if (content === null) continue
    mkdirSync(path.dirname(full), { recursive: true })
    if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(full, content)
    else symlinkSync(content.link, full)
  }
}

/** The settings of git in tests, without the user's own, so that tests are the same on every machine. */
export const gitSettings = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_ALLOW_PROTOCOL: 'file',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'maintenance.auto',
  GIT_CONFIG_VALUE_0: 'false',
}

/** Writes what `git init` does: most tests begin with it, and no process is as quick. */
function initialize(folder: string): void {
  for (const name of ['objects', 'refs/heads']) mkdirSync(path.join(folder, name), { recursive: true })
  writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(path.join(folder, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = false\n')
}

/** A real Git repository in a temporary folder. */
export class TestRepository {
  constructor(
    readonly dir = temporaryFolder(),
    ...init: readonly string[]
  ) {
    if (init.length > 0) this.git('init', '--quiet', '--initial-branch=main', '--template=', ...init)
    else initialize(path.join(dir, '.git'))
  }

  git(...args: readonly string[]): string {
    return gitIn(this.dir, ...args)
  }

  write(files: Files): this {
    writeFiles(this.dir, files)
    return this
  }

  /** Commits the working tree with these files written, and answers the commit's id. */
  commit(files: Files = {}): string {
    this.write(files)
    // One process that starts the others: to start one from Node takes longer than git itself.
    const script = 'git add --all --force && git commit --quiet --allow-empty --message change'
    execFileSync('sh', ['-c', script], { ...gitOptions(), cwd: this.dir })
    const head = readFileSync(path.join(this.dir, '.git/HEAD'), 'utf8')
    return (
      head.startsWith('ref: ') ? readFileSync(path.join(this.dir, '.git', head.slice(5).trim()), 'utf8') : head
    ).trim()
  }

  /** A clone of this repository by its file:// URL, which obeys depth and filters. */
  clone(...args: readonly string[]): string {
    const dir = path.join(temporaryFolder(), 'clone')
    gitIn(this.dir, 'clone', '--quiet', ...args, `file://${this.dir}`, dir)
    return dir
  }
}

function gitOptions(): ExecFileSyncOptionsWithStringEncoding {
  return { env: { ...process.env, ...gitSettings }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
}

export function gitIn(dir: string, ...args: readonly string[]): string {
  return execFileSync('git', ['-C', dir, ...args], gitOptions()).trimEnd()
}

/** Runs something with environment variables set, and restores them. */
export async function withEnvironment<T>(
  variables: Readonly<Record<string, string | undefined>>,
  task: () => Promise<T>,
): Promise<T> {
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
  const assign = (values: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  assign(variables)
  try {
    return await task()
  } finally {
    assign(before)
  }
}
