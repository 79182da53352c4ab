import { realpathSync } from 'node:fs'
import path from 'node:path'
import { Budget, type Step } from '../budget'
import { didYouMean } from '../closest'
import { changedWorkflows, readConfigs } from '../configuration/config'
import { judge, type PolicyContext, reportOf, termsOf } from '../engine/check'
import { exceptedAmong } from '../engine/exception'
import { inForce } from '../engine/parts'
import { GuardError } from '../errors'
import { AskedOnce } from '../fetch/asked-once'
import { CacheFolder } from '../fetch/cache/cache-folder'
import { TrustedPlaces } from '../fetch/connection/trust'
import type { Fetcher } from '../fetch/fetcher'
import type { Finding, Report } from '../finding/report'
import { timingsOf } from '../finding/timings'
import { verifiedFixes } from '../locate/fixes'
import { locate } from '../locate/locate'
import { type Clock, LocatingTime } from '../locate/locating-time'
import { clustersIn, gather } from '../pipeline/gather'
import type { Scope } from '../pipeline/opening/scope'
import { selectShards } from '../pipeline/opening/shard'
import { PartnerSearch } from '../pipeline/partners/partner-search'
import type { Config } from '../policy/config'
import { isDate } from '../policy/document'
import { configPath, notJudgedRule } from '../policy/names'
import { onlyRules } from '../policy/only-rules'
import { defaultUses, type Policy, type Resolution, resolvePolicies, type Use } from '../policy/policy'
import { Renderer } from '../render/renderer'
import { RenderingCache } from '../render/rendering-cache'
import { ChartNetwork } from '../render/tools/chart-network'
import type { Limits } from '../render/tools/tool'
import type { ToolProbes } from '../render/tools/tool-probes'
import { emptyReport, type Progress, unfinished } from '../report/unfinished'
import { EditedRevision } from '../revision/edited-revision'
import type { Revision } from '../revision/revision'
import { rules } from '../rules/index'
import { bundledPolicies } from './bundled'
import { systemClock } from './clock'
import { type Opened, openRevisions, type RevisionRequest } from './open'
import { defaultTimeout, type Options } from './options'
import { versionIn } from './package'
import { emptyProgress } from './progress'

/** The parts of a run that only a host knows. */
export interface Host extends Omit<RevisionRequest, keyof Options> {
  /** The folder of the package, which holds `policies/` and `docs/`. */
  readonly root: string
  /** The limits of a rendering; tests set smaller ones. */
  readonly limits?: Limits
  /** Known facts about the tools of this machine, for a process that makes many runs. */
  readonly probes?: ToolProbes
  /** The clock that limits locating; that of this machine by default. */
  readonly clock?: Clock
  /** Opens the revisions; from the repository of the options by default. */
  readonly open?: (opening: RevisionRequest) => Promise<Opened>
}

/** Receives the progress of a run, which is reported if the run has to be ended. */
export interface Watcher {
  readonly step?: (step: Step) => void
  readonly progress?: (progress: Progress) => void
}

/**
 * One run of the gate within its time, the same for every host.
 *
 * @throws GuardError when something other than a manifest is wrong
 */
export async function run(
  options: Options,
  host: Host,
  watcher: Watcher = {},
  budget = new Budget(options.timeout ?? defaultTimeout, watcher.step, (host.clock ?? systemClock).now),
): Promise<Report> {
  const today = options.today ?? new Date().toISOString().slice(0, 10)
  if (!isDate(today))
    throw new GuardError('usage', `${JSON.stringify(today)} is not a valid date (expected YYYY-MM-DD).`)
  const stages = new Stages(emptyProgress(options, today), watcher.progress)
  return budget.within(
    () => runWithin(budget, { ...options, today }, host, stages),
    (overrun) => unfinished(stages.now(), overrun),
  )
}

/** The progress of a run. */
class Stages {
  now: () => Progress
  private judged = false

  constructor(
    start: Progress,
    private readonly onProgress: (progress: Progress) => void = () => {},
  ) {
    this.now = () => start
  }

  reached(report: Report): void {
    const progress = { report, judged: false }
    this.now = () => progress
    this.onProgress(progress)
  }

  /** @param report made when it is asked for, as it changes with every finding that is located */
  judgedAs(report: () => Report): void {
    this.now = () => ({ report: report(), judged: true })
    if (!this.judged) this.onProgress(this.now())
    this.judged = true
  }
}

/** Revisions, config, policies, evidence, report. */
async function runWithin(
  budget: Budget,
  options: Options & { readonly today: string },
  host: Host,
  stages: Stages,
): Promise<Report> {
  const { today } = options
  const { open = openRevisions, clock = systemClock } = host
  const start = clock.now()
  const bundled = bundledPolicies(host.root)
  budget.doing('looking up the revisions to compare and fetching missing commits')
  const { base, head, repository, branch } = await open({ ...host, ...options, signal: budget.signal })
  budget.doing('listing the files of the revisions and reading the config')
  const named = options.policies.length > 0 ? options.policies.map((use) => ({ use })) : undefined
  const resolutionOf = (config: Config) => resolutionIn(config, named, bundled)
  const configs = await readConfigs(base, head, options.config, resolutionOf)
  const config = configs.inForce
  const resolution = resolutionOf(config)
  const terms: PolicyContext = {
    tool: versionIn(host.root),
    resolution,
    exceptions: config.exceptions,
    exceptionsPath: config.path,
    ignore: config.ignore,
    notJudged: config.notJudged,
    failOn: options.failOn ?? config.failOn ?? 'error',
    today,
  }
  const workflows = base ? await changedWorkflows(base, head) : []
  const given = [...configs.findings, ...workflows]
  const beforeRule = (rule: string, path: string) => budget.doing(`checking ${path} with ${rule}`, path)
  const begun = emptyReport(inForce(termsOf(terms)), base?.name ?? null, head.name, given)
  stages.reached(begun)
  const network = options.offline ? undefined : config.network
  if (options.cache !== undefined) refuseInside(options.cache, options.repo)
  const kept = new CacheFolder(options.cache)
  const renderings = options.cache === undefined ? undefined : new RenderingCache(kept, versionIn(host.root), today)
  const charts = new ChartNetwork(network?.charts ?? [])
  const search = new PartnerSearch()
  const renderer = new Renderer(options, host.limits, charts, budget, { renderings, probes: host.probes })
  // Few runs fetch, and what connects takes long to load.
  let fetcher: Promise<Fetcher> | undefined
  const fetches = network && {
    async from(places: readonly string[]) {
      fetcher ??= Promise.all([import('../fetch/fetcher'), import('../fetch/known-places')]).then(
        ([{ Fetcher }, { knownPlaces }]) =>
          new Fetcher({ trusted: new TrustedPlaces(knownPlaces, network), cache: options.cache, budget }),
      )
      return (await fetcher).trusting(places)
    },
    asked: new AskedOnce(),
  }
  try {
    const scopeOf = (revision: Revision, its: Config): Scope => ({
      base,
      head: revision,
      rules: options.coverage ? [] : resolution.rules,
      ignore: config.ignore,
      clusters: { base: config.clusters, head: its.clusters },
      releases: { base: config.releases, head: its.releases },
      repository,
      branch,
      renderer,
      search,
      config: config.path,
      fetches,
      select: (sides) => selectShards(sides, options.clusters),
    })
    const scope = scopeOf(head, configs.head)
    if (options.listClusters) return { ...begun, clusters: await clustersIn(scope) }
    const evidence = await gather(scope)
    const read = clock.now()
    stages.reached({
      ...begun,
      inspected: { ...begun.inspected, ...evidence.inspected },
      findings: [...given, ...evidence.findings],
    })
    if (options.coverage) return { ...begun, inspected: { ...begun.inspected, ...evidence.inspected } }
    const judgement = judge(evidence, terms, beforeRule)
    const judged = clock.now()
    const stated = judgement.findings.length
    const reportWith = (located: readonly Finding[]) =>
      reportOf(
        { ...evidence, findings: [...located.slice(stated), ...given] },
        { ...judgement, findings: located.slice(0, stated) },
        terms,
      )
    // A trial of other findings needs no renderings with other answers.
    const withoutAnswers =
      !evidence.hasAnswersBeside &&
      !judgement.findings.some(({ cluster, status }) => status === 'introduced' && evidence.answered?.has(cluster))
    const judgeAgain = async (edits: ReadonlyMap<string, Uint8Array | undefined>, rules?: ReadonlySet<string>) => {
      const edited = new EditedRevision(head, edits)
      const its = edits.has(configPath)
        ? (await readConfigs(base, edited, options.config, resolutionOf)).head
        : configs.head
      // Trials of some rules compare with what was found for all of them.
      const known = rules ? { partners: evidence.partners } : {}
      const opened = rules && !edits.has(configPath) ? { opened: evidence.opened } : {}
      const { shard, switched } = evidence
      const trial = { isTrial: true, withoutAnswers, switched, select: () => shard, ...known, ...opened } as const
      const again = await gather({ ...scopeOf(edited, its), ...trial })
      const by = rules ? { ...terms, resolution: onlyRules(resolution, rules) } : terms
      return [...judge(again, by, beforeRule).findings, ...again.findings]
    }
    const located = await locate([...judgement.findings, ...evidence.findings], {
      evidence,
      time: new LocatingTime(clock, start),
      located: (findings) => stages.judgedAs(() => reportWith(findings)),
      judgeAgain,
    })
    const at = { start, read, judged, located: clock.now() }
    const timed = options.timings ? { timings: timingsOf(budget.spent, at) } : {}
    if (!options.fixes) return { ...reportWith(located), ...timed }
    const { findings, patches } = await verifiedFixes(located, {
      evidence,
      mode: evidence.mode,
      rules: terms.resolution.rules,
      isExcepted: exceptedAmong(located, terms, evidence.mode),
      judgeAgain: (edits) => judgeAgain(edits),
    })
    return { ...reportWith(findings), ...timed, patches }
  } finally {
    renderer.close()
    await fetcher?.then((one) => one.close())
    await kept.trim()
  }
}

/** Refuses a cache that is part of the checkout: the author of a change would decide its content. */
export function refuseInside(cache: string, checkout: string): void {
  const within = path.relative(realPath(checkout), realPath(cache))
  if (within === '..' || within.startsWith(`..${path.sep}`) || path.isAbsolute(within)) return
  throw new GuardError(
    'usage',
    `The cache ${JSON.stringify(cache)} is inside of the checkout, where a change could write to it. Name a folder outside of it.`,
  )
}

/** A path with the symbolic links of the part that exists followed. */
function realPath(place: string): string {
  const whole = path.resolve(place)
  try {
    return realpathSync(whole)
  } catch {
    const above = path.dirname(whole)
    return above === whole ? whole : path.join(realPath(above), path.basename(whole))
  }
}

/** Resolves the policies of a config; an exception from an unknown rule would never apply. */
function resolutionIn(config: Config, named: readonly Use[] | undefined, bundled: readonly Policy[]): Resolution {
  const uses = named ?? config.uses ?? defaultUses(bundled)
  const resolution = resolvePolicies(uses, bundled, rules, named ? undefined : config.places)
  if (resolution.rules.length === 0) {
    throw new GuardError(
      'config',
      'No policy is selected, so the gate would pass every change. Name at least one under `policies:`, or remove the key to use all of them.',
      named ? undefined : config.places?.value(0, []),
    )
  }
  for (const { rule, region } of config.exceptions) {
    if (
      rule === '*' ||
      rule === notJudgedRule ||
      rules.some(({ id }) => id === rule || rule === `${id.split('/')[0]}/*`)
    )
      continue
    const ids = rules.map(({ id }) => id)
    throw new GuardError(
      'config',
      `The exception names the rule ${JSON.stringify(rule)}, which does not exist.${didYouMean(rule, ids) || ` The rules are ${ids.join(', ')}.`}`,
      {
        path: config.path ?? configPath,
        region,
      },
    )
  }
  return resolution
}
