import { judge, reportOf, type Terms } from './check'
import { GuardError } from './errors'
import { locate } from './locate/locate'
import type { Options } from './options'
import { gather } from './pipeline/gather'
import { type Config, configPath } from './policy/config'
import { isDate } from './policy/document'
import { defaultUses, type Policy, type Resolution, resolvePolicies, type Use } from './policy/policy'
import type { Report } from './report/report'
import { rules } from './rules/index'
import { bundledPolicies } from './source/bundled'
import { changedWorkflows, readConfigs } from './source/config'
import { EditedRevision } from './source/edited-revision'
import { type Opening, openRevisions } from './source/open'
import { ChartNetwork } from './source/render/chart-network'
import { Renderer } from './source/render/renderer'
import type { Limits } from './source/render/tool'
import type { Revision } from './source/revision'

/** What only a host knows. */
export interface Host extends Omit<Opening, keyof Options> {
  /** The folder of the package, which holds `policies/` and `docs/`. */
  readonly root: string
  /** What a rendering may take; the defaults unless a test is in a hurry. */
  readonly limits?: Limits
}

/**
 * One run of the gate, the same for every host: revisions, config, policies, evidence, report.
 *
 * @throws GuardError when something other than a manifest is wrong
 */
export async function run(options: Options, host: Host): Promise<Report> {
  const today = options.today ?? new Date().toISOString().slice(0, 10)
  if (!isDate(today)) throw new GuardError('usage', `${JSON.stringify(today)} is no day; write YYYY-MM-DD.`)
  const bundled = bundledPolicies(host.root)
  const { base, head, repository } = await openRevisions({ ...host, ...options })
  const named = options.policies.length > 0 ? options.policies.map((use) => ({ use })) : undefined
  const resolutionOf = (config: Config) => resolutionIn(config, named, bundled)
  const configs = await readConfigs(base, head, options.config, resolutionOf)
  const config = configs.inForce
  const resolution = resolutionOf(config)
  const terms: Terms = {
    resolution,
    exceptions: config.exceptions,
    exceptionsPath: config.path,
    ignore: config.ignore,
    failOn: options.failOn ?? config.failOn ?? 'error',
    today,
  }
  const renderer = new Renderer(options, host.limits, new ChartNetwork(config.chartRepositories))
  try {
    const gatherWith = (revision: Revision, its: Config) =>
      gather({
        base,
        head: revision,
        rules: resolution.rules,
        ignore: config.ignore,
        clusters: { base: config.clusters, head: its.clusters },
        releases: { base: config.releases, head: its.releases },
        repository,
        renderer,
      })
    const evidence = await gatherWith(head, configs.head)
    const judgement = judge(evidence, terms)
    const stated = judgement.findings.length
    const located = await locate([...judgement.findings, ...evidence.findings], {
      evidence,
      async judgeAgain(edits) {
        const edited = new EditedRevision(head, edits)
        const its = edits.has(configPath)
          ? (await readConfigs(base, edited, options.config, resolutionOf)).head
          : configs.head
        const again = await gatherWith(edited, its)
        return [...judge(again, terms).findings, ...again.findings]
      },
    })
    const workflows = base ? await changedWorkflows(base, head) : []
    return reportOf(
      { ...evidence, findings: [...located.slice(stated), ...configs.findings, ...workflows] },
      { ...judgement, findings: located.slice(0, stated) },
      terms,
    )
  } finally {
    renderer.close()
  }
}

/** The policies a config puts in force; an exception from a rule that is not there would wait for ever. */
function resolutionIn(config: Config, named: readonly Use[] | undefined, bundled: readonly Policy[]): Resolution {
  const uses = named ?? config.uses ?? defaultUses(bundled)
  const resolution = resolvePolicies(uses, bundled, rules, named ? undefined : config.places)
  if (resolution.rules.length === 0) {
    throw new GuardError(
      'config',
      'No policy is in force, so the gate would pass everything. Name at least one under `policies:`, or leave the key out for all.',
      named ? undefined : config.places?.value(0, []),
    )
  }
  for (const { rule, region } of config.exceptions) {
    if (rule === '*' || rules.some(({ id }) => id === rule || rule === `${id.split('/')[0]}/*`)) continue
    const known = rules.map(({ id }) => id).join(', ')
    throw new GuardError(
      'config',
      `There is no rule ${JSON.stringify(rule)} to make an exception from; the rules are ${known}.`,
      {
        path: config.path ?? configPath,
        region,
      },
    )
  }
  return resolution
}
