import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Checkout } from '../../revision/checkout'
import type { HelmSource } from '../../sources/source'
import { builtInKinds } from './built-in-kinds'
import type { ChartNetwork } from './chart-network'
import { type Limits, type Outcome, runTool } from './tool'

/** The program and the limits that helm runs with. */
export interface Running {
  readonly program: string
  readonly home: string
  readonly limits: Limits
  readonly network: ChartNetwork
}

/** The arguments with the values of a release. */
export async function valuesArguments(source: HelmSource, checkout: Checkout, home: string): Promise<string[]> {
  const values: string[] = []
  for (const [index, one] of source.values.entries()) {
    const file = 'path' in one ? path.join(checkout.folder, one.path) : path.join(home, `values-${index}.yaml`)
    if ('text' in one) await writeFile(file, one.text)
    // Helm reads several files from one argument, separated by commas, as a line of CSV.
    values.push('--values', `"${file.replaceAll('"', '""')}"`)
  }
  const set = Object.entries(source.set).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`])
  // Helm applies these texts after all other values, in any order of its arguments.
  const parameters = (source.parameters ?? []).flatMap(({ assignment, isText }) => [
    isText ? '--set-string' : '--set',
    assignment,
  ])
  return [...values, ...set, ...parameters]
}

/** The number of times that a release is rendered again with APIs that its chart asks for by refusing. */
const maxTries = 8

/**
 * Runs `helm template`. A chart that refuses to render without an API is rendered with it, as for a cluster that has the
 * extension: "You have to deploy monitoring.coreos.com/v1 first". It gets no more APIs than it needs, as it may write other
 * objects with one that it only mentions.
 */
export async function templateWithApis(
  source: HelmSource,
  chart: string,
  checkout: Checkout,
  running: Running,
  more: readonly string[] = [],
): Promise<Outcome> {
  const refused = await template(source, chart, checkout, running, more)
  const open = [{ apiVersions: source.apiVersions ?? [], outcome: refused }]
  let left = maxTries
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    for (const api of apisMissedBy(one.outcome)) {
      if (one.apiVersions.includes(api) || left-- <= 0) continue
      const apiVersions = [...one.apiVersions, api]
      const outcome = await template({ ...source, apiVersions }, chart, checkout, running, more)
      if (outcome.status === 0) return outcome
      open.push({ apiVersions, outcome })
    }
  }
  return refused
}

/** Runs `helm template`. */
export async function template(
  source: HelmSource,
  chart: string,
  checkout: Checkout,
  { program, home, limits }: Running,
  more: readonly string[] = [],
): Promise<Outcome> {
  const values = await valuesArguments(source, checkout, home)
  const facts = [
    ...(source.kubeVersion ? ['--kube-version', source.kubeVersion] : []),
    ...builtInKinds,
    ...(source.apiVersions ?? []).flatMap((version) => ['--api-versions', version]),
    ...(source.skipCrds ? [] : ['--include-crds']),
  ]
  const args = ['template', '--namespace', source.namespace, ...values, ...facts, ...more]
  return withUsableSchema({ source, chart, values }, (options) =>
    runTool(program, [...args, ...options, '--', source.release, chart], { cwd: home, home, limits }),
  )
}

const isApi = /^(?:[a-z][a-z0-9.-]*\/)?v\d+(?:(?:alpha|beta)\d+)?$/

/** The APIs that the message of a chart names which refuses to render: `monitoring.coreos.com/v1`. */
function apisMissedBy({ status, stderr }: Outcome): string[] {
  if (status === 0 || !stderr.includes('execution error at')) return []
  const words = stderr.split(/[\s,]+/).map((word) => word.replace(/["'`\s,]/g, '').replace(/\.$/, ''))
  return [...new Set(words.filter((word) => word.includes('.') && isApi.test(word)))]
}

/** A release with its chart on disk, and the arguments that give it values. */
interface Given {
  readonly source: HelmSource
  readonly chart: string
  readonly values: readonly string[]
}

/** Runs helm, without the schema of the values where the schema says nothing of them. */
export async function withUsableSchema(
  { source, chart, values }: Given,
  run: (options: readonly string[]) => Promise<Outcome>,
): Promise<Outcome> {
  const isElsewhere = await hasSchemaElsewhere(chart)
  const checked = isElsewhere ? undefined : await run([])
  if (checked && (checked.status === 0 || !isSchemaOfNoUse(checked, values.join(' '), source))) return checked
  const unchecked = await run(['--skip-schema-validation'])
  // Helm before 3.16 has no such option.
  return unchecked.stderr.includes('unknown flag') ? (checked ?? run([])) : unchecked
}

/** Whether a chart has parts of its schema in another place, to which helm has no access here. */
async function hasSchemaElsewhere(chart: string): Promise<boolean> {
  // Most charts have none, and that of a packed one is known once helm refuses it.
  const schema = await readFile(path.join(chart, 'values.schema.json'), 'utf8').catch(() => '')
  return /"\$ref"\s*:\s*"(?:https?|file):/.test(schema)
}

/**
 * Whether helm did not render since the schema of the values is in another place, to which it has no access here, or
 * since it checks a variable of Flux before its value is known: `${PORT}` is a string where a number is to be.
 */
function isSchemaOfNoUse({ stderr }: Outcome, set: string, { values }: HelmSource): boolean {
  if (/failing loading "(?:https?|file):/.test(stderr)) return true
  const hasVariables = set.includes('${') || values.some((one) => 'text' in one && one.text.includes('${'))
  return hasVariables && stderr.includes("values don't meet the specifications of the schema")
}
