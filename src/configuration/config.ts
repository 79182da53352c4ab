import { readFileSync } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { Hunks } from '../manifest/hunks'
import { type Config, emptyConfig, readConfig } from '../policy/config'
import { configPath } from '../policy/names'
import type { Revision } from '../revision/revision'
import { unexplainedIn, unmatchedIn } from './remarks'

/** The config of both sides, and the findings about its change. */
export interface Configs {
  /** The config in force: the base's. */
  readonly inForce: Config
  /** The head's own declarations, if they are valid. */
  readonly head: Config
  readonly findings: readonly Finding[]
}

const start = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }

/**
 * Reads the config. Settings that weaken the gate come from the base, so a change of the config takes effect after its
 * merge; it is reported, and an invalid one is stopped before it locks the gate.
 *
 * @param named a path in the base revision, or an absolute path of the operator's
 * @param validate throws a GuardError when a config names an unknown policy, rule or param
 */
export async function readConfigs(
  base: Revision | undefined,
  head: Revision,
  named: string | undefined,
  validate: (config: Config) => void,
): Promise<Configs> {
  const revisions = base ? [base, head] : [head]
  const unmatched = (config: Config, text?: string) =>
    unmatchedIn({ config, text }, revisions, { side: base ? 'base' : 'head', status: 'existing' })
  if (named !== undefined && path.isAbsolute(named)) {
    const config = readConfig(readOperatorFile(named), named)
    validate(config)
    return { inForce: config, head: config, findings: await unmatched(config) }
  }
  const file = named === undefined ? configPath : path.normalize(named)
  const [baseText, headText] = [base && (await textAt(base, file)), await textAt(head, file)]
  const inForceText = base ? baseText : headText
  if (named !== undefined && inForceText === undefined) {
    throw new GuardError(
      'config',
      `This file does not exist in ${(base ?? head).name}; a config takes effect after it is merged.`,
      { path: file },
    )
  }
  if (!base || baseText === headText) {
    const config = inForceText === undefined ? emptyConfig : readConfig(inForceText, file)
    validate(config)
    return { inForce: config, head: config, findings: await unmatched(config, inForceText) }
  }
  const attempt = headText === undefined ? emptyConfig : valid(headText, file, validate)
  const changed = changedFinding(file, baseText, headText)
  if (attempt instanceof GuardError) {
    const invalid = gateFinding('config/invalid', 'invalid', 'error', {
      side: 'head',
      path: file,
      region: attempt.at?.region ?? start,
      status: 'introduced',
      keys: [attempt.message],
      text: `${attempt.message} After the merge, every run would fail.`,
      ...(headText === undefined ? {} : { fileText: headText }),
    })
    const before = inForce(baseText, file, undefined, validate)
    // The head's declarations are unknown, so nothing counts as removed from them.
    const { clusters, releases } = before
    return {
      inForce: before,
      head: { ...emptyConfig, clusters, releases },
      findings: [changed, invalid, ...(await unmatched(before, baseText))],
    }
  }
  const before = inForce(baseText, file, attempt, validate)
  const read = { config: attempt, text: headText }
  const findings = [
    changed,
    ...unexplainedIn(read, before),
    ...(await unmatched(before, baseText)),
    ...(await unmatchedIn(read, [head], { side: 'head', status: 'introduced' }, before)),
  ]
  return { inForce: before, head: attempt, findings }
}

/** An invalid config at the base ends the run, unless this change fixes it: then the bundled policies judge it. */
function inForce(
  text: string | undefined,
  file: string,
  headConfig: Config | undefined,
  validate: (config: Config) => void,
): Config {
  if (text === undefined) return emptyConfig
  const config = valid(text, file, validate)
  if (!(config instanceof GuardError)) return config
  if (headConfig) return emptyConfig
  throw config
}

function valid(text: string, file: string, validate: (config: Config) => void): Config | GuardError {
  try {
    const config = readConfig(text, file)
    validate(config)
    return config
  } catch (error) {
    if (error instanceof GuardError && error.code === 'config') return error
    throw error
  }
}

function changedFinding(file: string, before: string | undefined, after: string | undefined): Finding {
  const lines = (after ?? '').split('\n').length
  const hunks = new Hunks(before ?? '', after ?? '')
  const line = Array.from({ length: lines }, (_, index) => index + 1).find((candidate) => hunks.wrote(candidate)) ?? 1
  const what = before === undefined ? 'adds' : after === undefined ? 'removes' : 'changes'
  return gateFinding('config/changed', 'changed', 'notice', {
    side: after === undefined ? 'base' : 'head',
    path: file,
    region: { startLine: line, startColumn: 1, endLine: line, endColumn: 1 },
    status: 'introduced',
    keys: [file],
    text: `This change ${what} the config of this gate. Its policies, levels, exceptions and ignored files take effect after the merge and were not applied to this run; the releases and clusters that it declares were.`,
    fileText: after ?? before ?? '',
  })
}

/**
 * Reports each workflow that runs this gate and that the change touches: only a required workflow is out of its reach.
 */
export async function changedWorkflows(base: Revision, head: Revision): Promise<Finding[]> {
  const findings: Finding[] = []
  const after = new Map((await head.list()).map((entry) => [entry.path, entry.id]))
  const touched = (await base.list()).filter(
    ({ path: file, id }) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(file) && after.get(file) !== id,
  )
  for await (const [{ path: file }, content] of base.read(touched)) {
    if ('missing' in content) continue
    const steps = Buffer.from(content)
      .toString('utf8')
      .matchAll(/uses:\s*["']?[^\s"']*/g)
    if (![...steps].some(([step]) => step.includes('ingress-guard'))) continue
    findings.push(
      gateFinding('config/changed', 'workflow', 'notice', {
        side: after.has(file) ? 'head' : 'base',
        path: file,
        region: start,
        status: 'introduced',
        keys: [file],
        text: `This change ${after.has(file) ? 'edits' : 'removes'} a workflow that runs this gate. Review it as you would the gate's config.`,
      }),
    )
  }
  return findings
}

function readOperatorFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new GuardError(
      'config',
      'This config does not exist or cannot be read. Name a file that exists.',
      { path: file },
      { cause },
    )
  }
}

async function textAt(revision: Revision, file: string): Promise<string | undefined> {
  const entry = (await revision.list()).find((candidate) => candidate.path === file && candidate.type === 'file')
  if (!entry) return undefined
  for await (const [, content] of revision.read([entry])) {
    if ('missing' in content)
      throw new GuardError('source', `The config cannot be read: ${content.missing}.`, { path: file })
    return Buffer.from(content).toString('utf8')
  }
  return undefined
}
