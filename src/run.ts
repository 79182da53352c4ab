import { check } from './check'
import { GuardError } from './errors'
import type { Options } from './options'
import { isDate } from './policy/document'
import { defaultUses, resolvePolicies } from './policy/policy'
import type { Report } from './report/report'
import { rules } from './rules/index'
import { bundledPolicies } from './source/bundled'
import { changedWorkflows, readConfigs } from './source/config'
import { gather } from './source/gather'
import { type Opening, openRevisions } from './source/open'

/** What only a host knows. */
export interface Host extends Omit<Opening, keyof Options> {
  /** The folder of the package, which holds `policies/` and `docs/`. */
  readonly root: string
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
  const { base, head } = await openRevisions({ ...host, ...options })
  const configs = await readConfigs(base, head, options.config)
  const config = configs.inForce
  const named = options.policies.length > 0 ? options.policies.map((use) => ({ use })) : undefined
  const uses = named ?? config.uses ?? defaultUses(bundled)
  const resolution = resolvePolicies(uses, bundled, rules, named ? undefined : config.placeOfUse)
  if (resolution.rules.length === 0) {
    const at = config.path === undefined ? undefined : { path: config.path }
    throw new GuardError(
      'config',
      'No policy is in force, so the gate would pass everything. Name at least one under `policies:`, or leave the key out for all.',
      at,
    )
  }
  const evidence = await gather({
    base,
    head,
    rules: resolution.rules,
    ignore: config.ignore,
    clusters: [config.clusters, configs.head.clusters],
  })
  const workflows = base ? await changedWorkflows(base, head) : []
  return check(
    { ...evidence, findings: [...evidence.findings, ...configs.findings, ...workflows] },
    {
      resolution,
      exceptions: config.exceptions,
      exceptionsPath: config.path,
      failOn: options.failOn ?? config.failOn ?? 'error',
      today,
    },
  )
}
