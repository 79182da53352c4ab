import { editedText, type Patch } from '../finding/edited-text'
import { countsFor, type Finding, type Report } from '../finding/report'
import { decodeFile } from '../manifest/load'
import type { Gathered } from '../pipeline/opening/scope'
import type { ActiveRule } from '../policy/policy'
import { visible } from '../report/words/visible'
import type { Fix } from '../rule/rule'
import { readChanged } from './changed-files'
import { puttingBack } from './put-back'

/** The number of times that the head is judged again with fixes. */
const maxTrials = 24

const mark = '\ufeff'

/** A fix that may take a finding away. */
interface Candidate {
  readonly finding: Finding
  readonly fix: Fix
}

/** The head as it would be with some fixes: how often each finding is there. */
type Counts = ReadonlyMap<string, number>

/** The parts of a run that fixes are verified with. */
export interface FixContext {
  readonly evidence: Gathered
  readonly mode: Report['mode']
  readonly rules: readonly ActiveRule[]
  /** Whether an exception covers a finding, so that it needs no fix. */
  isExcepted(finding: Finding): boolean
  judgeAgain(edits: ReadonlyMap<string, Uint8Array | undefined>): Promise<readonly Finding[]>
}

/**
 * Verifies the fixes of all findings that count: with the accepted ones, the head has no such finding and no new one.
 * For rules without a fix, the lines that the change removed are tried.
 *
 * @returns the findings with only these fixes, and the files with all of them
 */
export async function verifiedFixes(
  findings: readonly Finding[],
  context: FixContext,
): Promise<{ readonly findings: Finding[]; readonly patches: readonly Patch[] }> {
  const open = findings.filter((finding) => countsFor(finding, context.mode) && !context.isExcepted(finding))
  const texts = new HeadTexts(context.evidence)
  const candidates: Candidate[] = []
  for (const finding of open)
    for (const fix of await candidatesFor(finding, texts, context.rules)) candidates.push({ finding, fix })
  const kept = await new Verification(context, countsOf(findings), texts).keep(candidates)
  const fixes = new Map(kept.accepted.map(({ finding, fix }) => [finding, fix]))
  // A finding that disappeared together with another one at its place has the same fix.
  for (const finding of open) {
    const same = kept.accepted.find((one) => !fixes.has(finding) && placeOf(one.finding) === placeOf(finding))
    if (same && (kept.counts.get(finding.fingerprint) ?? 0) === 0) fixes.set(finding, same.fix)
  }
  return {
    findings: findings.map((finding) => {
      const { fix: _, ...rest } = finding
      const fix = fixes.get(finding)
      return fix ? { ...rest, fix } : rest
    }),
    patches: await texts.patches(kept.accepted.flatMap(({ fix }) => fix.edits)),
  }
}

function placeOf({ location: { side, path, region } }: Finding): string {
  return JSON.stringify([side, path, region.startLine])
}

async function candidatesFor(finding: Finding, texts: HeadTexts, rules: FixContext['rules']): Promise<Fix[]> {
  const found = finding.fix ? [finding.fix] : []
  if (finding.status === 'introduced') {
    const putBack = rules.find(({ rule }) => rule.id === finding.rule)?.rule.putBack?.[finding.message]
    const paths = new Set([finding.location, ...finding.related].map(({ path }) => path))
    for (const path of paths) {
      const changed = await texts.changed(path)
      if (changed) found.push(...puttingBack(changed, finding, putBack).slice(0, 3))
    }
  }
  const allowed = await Promise.all(
    found.map(async ({ edits }) => (await Promise.all(edits.map(({ path }) => texts.mayEdit(path)))).every(Boolean)),
  )
  return found.filter(({ edits }, index) => allowed[index] && edits.every(({ newText }) => isShownAsItIs(newText)))
}

/** Whether each character of a text is visible to the reader of a diff. */
function isShownAsItIs(text: string): boolean {
  return text.split(/\r?\n/).every((line) => visible(line) === line)
}

/** Tries fixes together, and one after the other where together they do not hold. */
class Verification {
  private trialsLeft = maxTrials

  constructor(
    private readonly context: FixContext,
    private readonly before: Counts,
    private readonly texts: HeadTexts,
  ) {}

  async keep(candidates: readonly Candidate[]): Promise<{ accepted: readonly Candidate[]; counts: Counts }> {
    let accepted = await this.together(candidates)
    let counts = accepted.length > 0 ? await this.counts(accepted) : undefined
    if (!counts || !this.holds(accepted, counts)) {
      accepted = []
      counts = this.before
    }
    for (const candidate of candidates) {
      const { finding } = candidate
      if (accepted.some((one) => one.finding === finding)) continue
      if (this.isGone([...accepted.map((one) => one.finding), finding], counts)) continue
      const more = [...accepted, candidate]
      const then: Counts | undefined = await this.counts(more)
      if (then && this.holds(more, then)) [accepted, counts] = [more, then]
    }
    return { accepted, counts }
  }

  /** The first fix of each finding, without overlapping ones. */
  private async together(candidates: readonly Candidate[]): Promise<Candidate[]> {
    const first = candidates.filter(
      ({ finding }, index) => candidates.findIndex((one) => one.finding === finding) === index,
    )
    const chosen: Candidate[] = []
    for (const candidate of first) if (await this.texts.with(fixesOf([...chosen, candidate]))) chosen.push(candidate)
    return chosen
  }

  private async counts(candidates: readonly Candidate[]): Promise<Counts | undefined> {
    const edits = await this.texts.with(fixesOf(candidates))
    if (!edits || this.trialsLeft <= 0) return undefined
    this.trialsLeft--
    const contents = [...edits].map(([path, text]) => [path, Buffer.from(text)] as const)
    return countsOf(await this.context.judgeAgain(new Map(contents)))
  }

  private holds(accepted: readonly Candidate[], after: Counts): boolean {
    const isNew = [...after].some(([fingerprint, count]) => count > (this.before.get(fingerprint) ?? 0))
    return (
      !isNew &&
      this.isGone(
        accepted.map(({ finding }) => finding),
        after,
      )
    )
  }

  /** One name in two places is two findings of one fingerprint. */
  private isGone(findings: readonly Finding[], after: Counts): boolean {
    return [...countsOf(findings)].every(
      ([fingerprint, count]) => (after.get(fingerprint) ?? 0) <= (this.before.get(fingerprint) ?? 0) - count,
    )
  }
}

function fixesOf(candidates: readonly Candidate[]): Fix['edits'] {
  return candidates.flatMap(({ fix }) => fix.edits)
}

function countsOf(findings: readonly Finding[]): Counts {
  const counts = new Map<string, number>()
  for (const { fingerprint, status } of findings)
    if (status !== 'resolved') counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1)
  return counts
}

/** The files of the head that a fix may edit. */
class HeadTexts {
  private readonly texts = new Map<string, Promise<string | undefined>>()

  constructor(private readonly evidence: Gathered) {}

  /** Whether a file is one that people write as YAML, and not a template of a chart or a link. */
  async mayEdit(path: string): Promise<boolean> {
    const { base, head } = this.evidence.sides
    if (!/\.ya?ml$/.test(path) || /^\.github\/(?:workflows\/|ingress-guard\.)/.test(path)) return false
    const names = path.split('/')
    const charts = names.flatMap((name, index) =>
      name === 'templates' ? [[...names.slice(0, index), 'Chart.yaml'].join('/')] : [],
    )
    if (charts.some((chart) => [base, head].some((side) => side?.checkout.tree.entries.has(chart)))) return false
    const entries = head.checkout.tree.entries
    if (names.some((_, index) => index > 0 && entries.has(names.slice(0, index).join('/')))) return false
    const entry = entries.get(path) ?? base?.checkout.tree.entries.get(path)
    if (entry?.type !== 'file' || entry.raw) return false
    return !entries.has(path) || (await this.text(path)) !== undefined
  }

  async changed(path: string) {
    const { base, head } = this.evidence.sides
    const before = base?.checkout.tree.entries.get(path)
    const after = head.checkout.tree.entries.get(path)
    if (!base || before?.type !== 'file' || before.id === after?.id) return undefined
    const file = await readChanged(path, base, head)
    return file.before ? file : undefined
  }

  /** The files with edits; undefined where these overlap or lead out of a file. */
  async with(edits: Fix['edits']): Promise<ReadonlyMap<string, string> | undefined> {
    const edited = new Map<string, string>()
    for (const path of new Set(edits.map((edit) => edit.path))) {
      const text = (await this.text(path)) ?? ''
      const start = text.startsWith(mark) ? mark : ''
      const after = editedText(
        text.slice(start.length),
        edits.filter((edit) => edit.path === path),
      )
      if (after === undefined) return undefined
      edited.set(path, start + after)
    }
    return edited
  }

  async patches(edits: Fix['edits']): Promise<Patch[]> {
    const after = (await this.with(edits)) ?? new Map<string, string>()
    return Promise.all(
      [...after].sort().map(async ([path, text]) => ({ path, before: await this.text(path), after: text })),
    )
  }

  /** A file of the head as text, if its bytes are those of the text. */
  private text(path: string): Promise<string | undefined> {
    const known = this.texts.get(path) ?? this.read(path)
    this.texts.set(path, known)
    return known
  }

  private async read(path: string): Promise<string | undefined> {
    const content = (await this.evidence.sides.head.checkout.read([path])).get(path)
    if (!content || 'missing' in content) return undefined
    const { text, damaged } = decodeFile(content)
    const whole = content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? mark + text : text
    return damaged || !Buffer.from(whole).equals(content) ? undefined : whole
  }
}
