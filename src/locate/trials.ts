import type { Finding, Location } from '../finding/report'
import type { Gathered } from '../pipeline/opening/scope'
import { entryThatBrings } from './bringing-entry'
import { type Cause, type ChangedFile, causeOf, type Reversal, type Trial } from './cause'
import type { ChangedFiles } from './changed-files'
import type { Edit } from './edits'
import { filesDeciding } from './left-in-place'
import { lineInNewPatch } from './line-in-patch'
import type { LocatingTime } from './locating-time'
import { lineInNewFile } from './new-file'
import { objectTakenOut } from './object-taken-out'

/** The parts of a run that locating needs. */
export interface TrialContext {
  readonly evidence: Gathered
  readonly time: LocatingTime
  /** Called with all findings before the first one is located, and after each. */
  located(findings: readonly Finding[]): void
  /**
   * Judges the head again by some rules with some files as they were: the findings that are then introduced, and the
   * sources that did not render.
   */
  judgeAgain(
    edits: ReadonlyMap<string, Uint8Array | undefined>,
    rules: ReadonlySet<string>,
  ): Promise<readonly Finding[]>
}

/** Reverts parts of the change and judges it again, no part twice, as long as there is time. */
export class Trials {
  private readonly done = new Map<string, Promise<ReadonlySet<string> | undefined>>()
  private readonly found: { causes: Cause[]; introduced: ReadonlySet<string> }[] = []
  private readonly failures: number
  private readonly introduced: ReadonlySet<string>
  private readonly rules: ReadonlySet<string>

  /** @param open those whose lines are searched for */
  constructor(
    private readonly context: TrialContext,
    private readonly changed: ChangedFiles,
    findings: readonly Finding[],
    open: ReadonlySet<Finding>,
  ) {
    this.introduced = fingerprintsOf(findings)
    this.rules = new Set([...open].map(({ rule }) => rule))
    this.failures = unrenderedAmong(context.evidence.findings)
  }

  /** Whether the time is used up: then nothing further is searched for. */
  get isOver(): boolean {
    return this.context.time.isOver
  }

  /** @param written the place that the rendered object comes from */
  async causesOf(finding: Finding, written: Location): Promise<Cause[]> {
    const files = await this.suspects(finding, written.path)
    if (files.length === 0) return []
    const trial: Trial = async (reversal) => {
      const left = await this.trial(reversal)
      return left?.has(likenessOf(finding)) ? new Set([...left, finding.fingerprint]) : left
    }
    const declared = async (causes: readonly Cause[]) => {
      const line = await lineInNewPatch(causes, files, async (file, reverted) => {
        const introduced = await trial(new Map([[file, reverted]]))
        return introduced?.has(finding.fingerprint) === false
      })
      return asDeclared([line ?? [], ...causes].flat(), files)
    }
    // A reversal that fixes another finding often fixes this one too.
    const known = this.found.find(
      ({ causes, introduced }) =>
        !introduced.has(finding.fingerprint) &&
        !introduced.has(likenessOf(finding)) &&
        causes.every(({ file }) => files.includes(file)),
    )
    // Without a line that brings down the template, all its findings are gone: the printed line may be the cause of this one.
    const isPrinted = known?.causes.some((cause) => isOtherLine(cause, written)) && (await this.isWritten(written))
    if (known && !isPrinted) return declared(known.causes)
    const { evidence } = this.context
    const certain =
      lineInNewFile(finding, written, files, evidence) ??
      (await entryThatBrings(finding, written.path, files, evidence.sides)) ??
      (await objectTakenOut(finding, written.path, files, evidence))
    if (certain) return [certain]
    const printed = { path: written.path, line: written.region.startLine }
    const causes = await causeOf(finding.fingerprint, files, trial, printed)
    // Edits among which the time was used up are no causes yet, and neither are several files.
    if (this.isOver && causes.length > 1) {
      const whole = wholeFiles(causes)
      return whole.length === 1 ? whole : []
    }
    const introduced = causes.length > 0 ? await this.trial(reversalOf(causes)) : undefined
    if (introduced) this.found.push({ causes, introduced })
    return declared(causes)
  }

  /** Whether the change wrote the line of a place. */
  async isWritten({ side, path, region: { startLine }, precision }: Location): Promise<boolean> {
    return side === 'head' && precision !== 'file' && (await this.changed.wrote(path, startLine))
  }

  private readonly trial: Trial = (reversal) => {
    const edits = new Map([...reversal].map(([file, reverted]) => [file.path, textWithout(file, reverted)] as const))
    const key = JSON.stringify(
      [...edits].map(([path, text]) => [path, text && Buffer.from(text).toString('base64')]).sort(),
    )
    const known = this.done.get(key)
    if (known) return known
    if (this.isOver) return Promise.resolve(undefined)
    const outcome = this.context.time.within(() => this.judge(edits))
    this.done.set(key, outcome)
    return outcome
  }

  private async judge(edits: ReadonlyMap<string, Uint8Array | undefined>): Promise<ReadonlySet<string> | undefined> {
    const findings = await this.context.judgeAgain(edits, this.rules)
    if (unrenderedAmong(findings) > this.failures) return undefined
    // A finding that reappears for the same objects, with another namespace or other keys, is not gone.
    const again = findings.filter((one) => one.status === 'introduced' && !this.introduced.has(one.fingerprint))
    return new Set([...fingerprintsOf(findings), ...again.map(likenessOf)])
  }

  /**
   * The files that this change touches and that the finding's sources are made of: values first, packed charts last.
   */
  private async suspects(finding: Finding, writtenIn: string): Promise<ChangedFile[]> {
    const { sides } = this.context.evidence
    const ids = new Set(placesOf(finding).flatMap(({ rendered }) => rendered?.id ?? []))
    const names = new Set<string>()
    const values = new Set<string>()
    const definitions = new Set<string>()
    const redescribed = new Set<string>()
    for (const side of [sides.base, sides.head]) {
      for (const source of side?.discovery.sources.filter(({ id }) => ids.has(id)) ?? []) {
        const valuesFiles =
          source.kind === 'helm' ? source.values.flatMap((one) => ('path' in one ? [one.path] : [])) : []
        const defining = [...(source.definitionFiles ?? []), source.declaredAt.path]
        // The file that names the place of a chart decides everything in it; the release itself is nearer.
        const near = source.fetched ? [source.declaredAt.path] : defining
        for (const file of defining) definitions.add(file)
        for (const file of [...valuesFiles, ...near]) values.add(file)
        for (const file of [...((await side?.files(source)) ?? []), ...defining]) names.add(file)
        // With its old declaration it would only be judged under its old name.
        if (source.baseSourceId !== undefined) redescribed.add(source.declaredAt.path)
      }
    }
    for (const file of redescribed) names.delete(file)
    if (ids.size === 0) for (const file of filesDeciding(finding.location, this.context.evidence)) names.add(file)
    const changed: ChangedFile[] = []
    for (const path of names) {
      const file = await this.changed.file(path)
      if (file) changed.push(file)
    }
    const rank = ({ path }: ChangedFile) => {
      if (values.has(path)) return 0
      if (isDefaultValues(path) || definitions.has(path)) return 1
      if (/(?:^|\/)(?:Chart|requirements|kustomization)\.ya?ml$|(?:^|\/)Kustomization$/.test(path)) return 2
      if (/\.(?:tgz|lock)$/.test(path)) return 7
      if (path === writtenIn) return 3
      if (/(?:^|\/)charts\/[^/]+\/Chart\.yaml$/.test(path)) return 4
      return /(?:^|\/)_[^/]*$|\.tpl$/.test(path) ? 6 : 5
    }
    return changed.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : 1))
  }
}

/** Whether a cause is one of several lines that were written together in a file, and another one than that of a place. */
function isOtherLine({ file, edit }: Cause, { path, region: { startLine } }: Location): boolean {
  const isOneOfSeveral = edit !== undefined && edit.before.length === 0 && edit.after.length === 1
  return file.path === path && isOneOfSeveral && edit.afterLine !== startLine
}

function fingerprintsOf(findings: readonly Finding[]): Set<string> {
  return new Set(findings.filter(({ status }) => status === 'introduced').map(({ fingerprint }) => fingerprint))
}

/** The rule and the names of the objects: equal for statements that are nearly the same. */
function likenessOf({ rule, objects }: Finding): string {
  return JSON.stringify([rule, objects.map(({ kind, name }) => `${kind}/${name}`).sort()])
}

function textWithout(file: ChangedFile, reverted: ReadonlySet<Edit> | 'all'): Uint8Array | undefined {
  if (reverted === 'all' || !file.text) return file.before ?? emptied(file)
  if (file.after === undefined) return file.before
  return Buffer.from(file.text.without(reverted))
}

/** A new file is emptied, because something may name it; a new Kustomization or packed chart is removed. */
function emptied({ path }: ChangedFile): Uint8Array | undefined {
  return /(?:^|\/)(?:kustomization\.ya?ml|Kustomization|Chart\.yaml|[^/]+\.tgz)$/.test(path)
    ? undefined
    : new Uint8Array()
}

/** For a packed chart, the line of `Chart.yaml` that requests this version of it, if the change wrote that line. */
function asDeclared(causes: readonly Cause[], files: readonly ChangedFile[]): Cause[] {
  return causes.map((cause) => {
    const [, folder, version] = cause.file.path.match(/^(.*?)charts\/[^/]+?-(v?\d[^/]*)\.tgz$/) ?? []
    if (version === undefined) return cause
    for (const file of files) {
      if (file.path !== `${folder}Chart.yaml` && file.path !== `${folder}requirements.yaml`) continue
      const edit = file.text?.edits.find(({ after }) =>
        after.some((line) => /version:/.test(line) && line.includes(version)),
      )
      if (edit) return { file, edit }
    }
    return cause
  })
}

function reversalOf(causes: readonly Cause[]): Reversal {
  return new Map(causes.map(({ file, edit }) => [file, edit ? new Set([edit]) : 'all'] as const))
}

function wholeFiles(causes: readonly Cause[]): Cause[] {
  return [...new Set(causes.map(({ file }) => file))].map((file) => ({ file, edit: undefined }))
}

function unrenderedAmong(findings: readonly Finding[]): number {
  return findings.filter(({ rule, level }) => rule.startsWith('source/') && level === 'error').length
}

/** The place of a finding, and its related places. */
export function placesOf({ location, related }: Finding): Location[] {
  return [location, ...related]
}

/** Whether a file contains the default values of a chart. */
export function isDefaultValues(path: string): boolean {
  return /(?:^|\/)values\.ya?ml$/.test(path)
}
