import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import semver from 'semver'
import { Lexer } from 'yaml'
import type { DeclaredClusters } from '../src/cluster/clusters'
import { check, judge as engineJudge, type PolicyContext, reportOf } from '../src/engine/check'
import { exceptedAmong } from '../src/engine/exception'
import type { NamedShard } from '../src/engine/merge'
import type { Patch } from '../src/finding/edited-text'
import type { Finding, Report } from '../src/finding/report'
import { bundledPolicies } from '../src/host/bundled'
import { verifiedFixes } from '../src/locate/fixes'
import type { Side } from '../src/manifest/manifest'
import { gather } from '../src/pipeline/gather'
import { selectShards } from '../src/pipeline/opening/shard'
import { emptyConfig, readConfig } from '../src/policy/config'
import { configPath } from '../src/policy/names'
import { defaultUses, resolvePolicies, type Use } from '../src/policy/policy'
import type { Region } from '../src/region'
import { Renderer } from '../src/render/renderer'
import { rules } from '../src/rules/index'
import { MemoryRevision } from './memory-revision'

/** The folder of the package. */
export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

export type Texts = Readonly<Record<string, string>>

/** The input of a case: one revision whole, or a change; with a user's config, if one is given. */
export interface Case {
  readonly base?: Texts
  readonly head: Texts
  readonly guard?: string
  /** The clusters that the head's config declares; the base's when not given. */
  readonly headClusters?: DeclaredClusters
}

const bundled = bundledPolicies(root)

/** The newest version of each policy, release candidates too: the rules under test are all in force. */
const newest: Use[] = [...new Set(bundled.map(({ name }) => name))].map((policy) => {
  const versions = bundled.filter(({ name }) => name === policy).map(({ version }) => version)
  return { use: `${policy}@${versions.sort(semver.rcompare)[0]}` }
})

/** The params that the newest version of its policy gives a rule. */
export function ruleParams(id: string): unknown {
  return resolvePolicies(newest, bundled, rules).rules.find(({ rule }) => rule.id === id)?.params
}

/** The same as names with versions, for the command line. */
export const newestVersions: readonly string[] = newest.map(({ use }) => use)

/** Judges a case by the bundled policies, or by the one rule alone. */
export async function judge(input: Case, rule?: string): Promise<Report> {
  const { evidence, terms } = await gathered(input, rule)
  return check(evidence, terms)
}

/** The same with the fixes that hold, and the head with all of them. */
export async function judgeWithFixes(input: Case, rule?: string): Promise<{ report: Report; fixed: Texts }> {
  const { evidence, terms } = await gathered(input, rule)
  const judgement = engineJudge(evidence, terms)
  const stated = [...judgement.findings, ...evidence.findings]
  const { findings, patches } = await verifiedFixes(stated, {
    evidence,
    mode: evidence.mode,
    rules: terms.resolution.rules,
    isExcepted: exceptedAmong(stated, terms, evidence.mode),
    async judgeAgain(edits) {
      const again = await gathered({ ...input, head: withEdits(input.head, edits) }, rule)
      return [...engineJudge(again.evidence, terms).findings, ...again.evidence.findings]
    },
  })
  const own = judgement.findings.length
  const report = reportOf(
    { ...evidence, findings: findings.slice(own) },
    { ...judgement, findings: findings.slice(0, own) },
    terms,
  )
  return { report: { ...report, patches }, fixed: { ...input.head, ...textsOf(patches) } }
}

function textsOf(patches: readonly Patch[]): Texts {
  return Object.fromEntries(patches.map(({ path: file, after }) => [file, after]))
}

function withEdits(texts: Texts, edits: ReadonlyMap<string, Uint8Array | undefined>): Texts {
  const edited = [...edits].map(([file, content]) => [file, Buffer.from(content ?? []).toString()])
  return { ...texts, ...Object.fromEntries(edited) }
}

/** Judges each shard of a case in a run of its own, as `check --cluster` does. */
export async function judgeInShards(input: Case): Promise<NamedShard[]> {
  const { evidence } = await gathered(input, undefined, ['**'])
  const names = (evidence.shard?.all ?? []).map(([name]) => name)
  return Promise.all(
    names.map(async (name) => {
      const { evidence: own, terms } = await gathered(input, undefined, [name])
      const { shard } = check(own, terms)
      if (!shard) throw new Error(`no shard for ${name}`)
      return { file: `${name}.json`, shard: JSON.parse(JSON.stringify(shard)) }
    }),
  )
}

async function gathered({ base, head, guard, headClusters }: Case, rule?: string, clusters?: readonly string[]) {
  const config = guard === undefined ? emptyConfig : readConfig(guard, configPath)
  const resolution = resolvePolicies(config.uses ?? (rule ? newest : defaultUses(bundled)), bundled, rules)
  const active = resolution.rules.filter((candidate) => rule === undefined || candidate.rule.id === rule)
  // Rule fixtures need no tools.
  const renderer = new Renderer({ helm: '/no/helm', kustomize: '/no/kustomize' })
  const evidence = await gather({
    base: base && new MemoryRevision('base', base),
    head: new MemoryRevision('head', head),
    rules: active,
    ignore: config.ignore,
    clusters: { base: config.clusters, head: headClusters ?? config.clusters },
    releases: { base: config.releases, head: config.releases },
    repository: [],
    renderer,
    select: (sides) => selectShards(sides, clusters),
  }).finally(() => renderer.close())
  const terms: PolicyContext = {
    resolution: { ...resolution, rules: active },
    exceptions: config.exceptions,
    exceptionsPath: config.path,
    ignore: config.ignore,
    failOn: 'error',
    today: '2026-11-21',
  }
  return { evidence, terms }
}

/** An expectation, or a finding: where, which rule, and a part of its text. */
export interface Expectation {
  readonly place: string
  readonly rule: string
  readonly text: string
  /** The side that the comment names, where it names one. */
  readonly side?: 'base'
}

/**
 * The `# expect: <rule> "part of the message"` comments of a file, or `# expect at base: …`. A trailing one means its
 * own line, one alone on a line for the next line that is no comment. In a block of text those alone on a line count
 * too.
 */
export function expectationsIn(file: string, text: string): Expectation[] {
  const lines = text.split('\n')
  const found: Expectation[] = []
  let offset = 0
  for (const token of new Lexer().lex(text)) {
    // The lexer's own marks (document start, scalar follows) are no part of the text.
    if (['\u0002', '\u0018', '\u001f'].includes(token)) continue
    for (const { 0: comment, index } of token.matchAll(/^[^\S\n]*#\s*expect.*$/gm)) {
      const match = comment.match(/^\s*# expect( at base)?: ([a-z-]+\/[a-z-]+)(?: "(.*)")?\s*$/)
      if (!match) throw new Error(`${file}: no expectation: ${comment}`)
      const own = text.slice(0, offset + index).split('\n').length
      let line = own
      if (lines[own - 1]?.trimStart().startsWith('#')) {
        while (/^\s*(#|$)/.test(lines[line - 1] ?? 'end')) line++
      }
      const [, atBase, rule = '', part = ''] = match
      found.push({ place: `${file}:${line}`, rule, text: part, ...(atBase ? { side: 'base' } : {}) })
    }
    offset += token.length
  }
  return found
}

/** What is compared of a finding, of a report or of its JSON. */
type ComparedFinding = Pick<Finding, 'rule' | 'text' | 'status'> & {
  readonly location: {
    readonly side: Side
    readonly path: string
    readonly region: Pick<Region, 'startLine'>
  }
}

/** Compares the findings of a report with the expected ones; both lists are empty when they agree. */
export function compare(
  expected: readonly Expectation[],
  report: Pick<Report, 'mode'> & { readonly findings: readonly ComparedFinding[] },
  rule?: string,
) {
  const found = report.findings
    .filter((finding) => report.mode === 'all' || finding.status === 'introduced')
    .filter((finding) => rule === undefined || finding.rule === rule)
    .map(({ location, rule: id, text }) => ({
      place: `${report.mode === 'all' ? '' : `${location.side}/`}${location.path}:${location.region.startLine}`,
      rule: id,
      text,
    }))
  const left = [...expected]
  const unexpected = found.filter((finding) => {
    const index = left.findIndex(
      ({ place, rule: id, text }) => place === finding.place && id === finding.rule && finding.text.includes(text),
    )
    if (index === -1) return true
    left.splice(index, 1)
    return false
  })
  const line = ({ place, rule: id, text }: Expectation) => `${place} ${id} ${text}`
  return { unexpected: unexpected.map(line), missing: left.map(line) }
}

/** The files below a folder, by their path in it. */
export function readFolder(folder: string): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (statSync(path.join(folder, name)).isFile()) texts[name] = readFileSync(path.join(folder, name), 'utf8')
  }
  return texts
}

/** A case with its expectations, from texts by path: one file or several, or those below `base/` and `head/`. */
export function caseOf(texts: Texts): { input: Case; expected: Expectation[] } {
  const under = (side: string) =>
    Object.fromEntries(
      Object.entries(texts)
        .filter(([file]) => file.startsWith(`${side}/`))
        .map(([file, text]) => [file.slice(side.length + 1), text]),
    )
  const { 'guard.yaml': guard, ...files } = texts
  const isChange = Object.keys(files).some((file) => /^(?:base|head)\//.test(file))
  const expected = Object.entries(files).flatMap(([file, text]) => expectationsIn(file, text))
  const input: Case = {
    ...(isChange ? { base: under('base'), head: under('head') } : { head: files }),
    ...(guard ? { guard } : {}),
  }
  return { input, expected: isChange ? once(expected) : expected }
}

/**
 * A file that is the same on both sides carries its comments twice: one that says `at base` means the base, and any
 * other the head. A comment that is on one side alone means that side.
 */
function once(expected: readonly Expectation[]): Expectation[] {
  const key = ({ place, rule, text }: Expectation) => `${fileOf(place)} ${rule} ${text}`
  const all = new Set(expected.map(key))
  return expected.filter((one) => {
    const side = one.side ?? 'head'
    return one.place.startsWith(`${side}/`) || !all.has(key(one).replace(/^(?:base|head)/, side))
  })
}

function fileOf(place: string): string {
  return place.slice(0, place.lastIndexOf(':'))
}
