import { readFileSync } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'
import { CacheFolder, digestOf, sealed, unsealed } from '../fetch/cache/cache-folder'
import type { JudgedChange } from '../report/replay/replay-schema'
import type { Options } from './options'
import { versionIn } from './package'

/** The options of a run that hold for every commit of a replay. */
export type SameForAll = Pick<
  Options,
  'repo' | 'config' | 'policies' | 'failOn' | 'helm' | 'kustomize' | 'offline' | 'cache' | 'timeout'
>

/** One change to judge: a commit against one before it, as of a day. */
export interface ChangeTask {
  readonly options: Options
  readonly root: string
  readonly branch: string | undefined
}

/** The result: judged, or the reason why not. */
export type ChangeResult = { readonly judged: JudgedChange } | { readonly failed: string }

/** Judges one change of a history, in this process or in another thread. */
export type JudgeChange = (task: ChangeTask) => Promise<ChangeResult>

/** The format of kept results. */
const format = 1

/** Judges changes, or reuses the kept results of an earlier replay. */
export class ChangeJudging {
  private readonly folder: CacheFolder
  private readonly terms: string
  private found = 0

  constructor(
    private readonly options: SameForAll,
    private readonly root: string,
    private readonly branch: string | undefined,
    private readonly judge: JudgeChange,
  ) {
    const { config, policies, failOn, helm, kustomize, offline = false } = options
    this.folder = new CacheFolder(options.cache)
    this.terms = JSON.stringify([
      format,
      versionIn(root),
      branch ?? null,
      config ?? null,
      config !== undefined && path.isAbsolute(config) ? digestOf(configAt(config)) : null,
      policies,
      failOn ?? null,
      helm ?? null,
      kustomize ?? null,
      offline,
    ])
  }

  /** The number of changes with a kept result. */
  get kept(): number {
    return this.found
  }

  async of(base: string, head: string, day: string | undefined): Promise<ChangeResult> {
    if (day === undefined) return { failed: 'Its author date is no day of a calendar.' }
    const id = JSON.stringify([this.terms, base, head, day])
    const name = `replays/${digestOf(id)}` as const
    const known = await this.folder.read(name, (entry) => changeIn(entry, id))
    if (known) {
      this.found += 1
      return { judged: known }
    }
    const options: Options = { ...this.options, base, head, today: day, all: false }
    const outcome = await this.judge({ options, root: this.root, branch: this.branch })
    if ('judged' in outcome) await this.folder.write(name, sealed(id, Buffer.from(JSON.stringify(outcome.judged))))
    return outcome
  }

  end(): Promise<void> {
    return this.folder.trim()
  }
}

function changeIn(entry: Buffer, id: string): JudgedChange | undefined {
  const opened = unsealed(entry)
  return opened?.description === id ? (JSON.parse(opened.content.toString('utf8')) as JudgedChange) : undefined
}

function configAt(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new GuardError('config', 'This file cannot be read.', { path: file }, { cause })
  }
}
