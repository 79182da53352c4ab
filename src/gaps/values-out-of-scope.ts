import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { pairsOf } from '../manifest/map-pairs'
import { isAlias, isList, isMap, isScalar, type Node } from '../manifest/nodes'
import { filesInChart } from '../render/answers/packed-chart'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { type Dependency, localFolderOf, readChart, vendored } from '../sources/chart'
import { readValuesIn } from '../template/read-values'
import { readValues, type ValuesContent, valueAt, valuesAt } from '../values/values-file'
import { valuesFilesOfCharts } from './values-files-of-charts'

/** A value of a dependency that reads a value of the chart around it. */
interface OutOfScope {
  readonly at: Node
  readonly dependency: Dependency
  /** As written, without `.Values.`: `domain`. */
  readonly read: string
  /** Whether the default values of the dependency are not here. */
  readonly isUnseen: boolean
}

/**
 * Values that a change gives to a dependency of a chart, and that read values of the chart itself: `{{ .Values.domain }}`
 * below the key of the dependency. Helm fills in no values; a dependency that does so itself sees its own values alone.
 */
export async function valuesOutOfScope(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [folder, files] of valuesFilesOfCharts(head)) {
    const touched = [...files].filter((file) => changed.has(file) && head.checkout.has(file))
    for (const file of touched) {
      const values = await valuesAt(file, head.checkout)
      if (!values?.fileText.includes('.Values.')) continue
      const before = new Set((await outOfScopeIn(file, folder, files, base)).map(keyOf))
      const fresh = (await outOfScopeIn(file, folder, files, head)).filter((one) => !before.has(keyOf(one)))
      found.push(...fresh.map((one) => findingOf(one, folder, file, values)))
    }
  }
  return found
}

function keyOf({ dependency, read }: OutOfScope): string {
  return JSON.stringify([dependency.as, read])
}

async function outOfScopeIn(
  file: string,
  folder: string,
  files: ReadonlySet<string>,
  { checkout }: SideOfChange,
): Promise<OutOfScope[]> {
  const values = await valuesAt(file, checkout)
  if (!values?.fileText.includes('.Values.')) return []
  const chart = await readChart(checkout, folder)
  const others = (await Promise.all([...files].map((one) => valuesAt(one, checkout)))).flatMap((one) => one ?? [])
  const ofTemplates = await readByTemplates(folder, checkout)
  const found: OutOfScope[] = []
  for (const dependency of chart.dependencies) {
    const reads = readsBelow(valueAt([dependency.as], values), values)
    if (reads.length === 0) continue
    const place = localFolderOf(chart, dependency) ?? vendored(checkout, chart, dependency)
    const defaults = place === undefined ? undefined : await defaultsOf(place, checkout)
    const isOfChart = (keys: readonly string[]) =>
      ofTemplates.has(keys.join('.')) || others.some((one) => valueAt(keys, one))
    // A value of the dependency with this name may be meant.
    const isOfDependency = ([first = '']: readonly string[]) =>
      first === 'global' ||
      others.some((one) => valueAt([dependency.as, first], one)) ||
      (defaults && valueAt([first], defaults) !== undefined) ||
      (place === undefined && ofEveryChart.has(first))
    for (const { at, read } of reads) {
      const keys = read.split('.')
      if (isOfChart(keys) && !isOfDependency(keys)) found.push({ at, dependency, read, isUnseen: place === undefined })
    }
  }
  return found
}

/**
 * The values that charts made with `helm create` have, and most others. Source: helm v4.0.0, pkg/chart/v2/util/create.go,
 * defaultValues
 */
const ofEveryChart: ReadonlySet<string> = new Set(
  (
    'affinity autoscaling fullnameOverride httpRoute image imagePullSecrets ingress livenessProbe nameOverride nodeSelector ' +
    'podAnnotations podLabels podSecurityContext readinessProbe replicaCount resources securityContext service ' +
    'serviceAccount tolerations volumeMounts volumes'
  ).split(' '),
)

/** The texts below a value that are templates, with the first value that each of their actions reads. */
function readsBelow(written: Node | undefined, values: ValuesContent): Pick<OutOfScope, 'at' | 'read'>[] {
  const node = isAlias(written) ? values.resolve(written) : written
  if (isMap(node)) return [...pairsOf(node, values.resolve)].flatMap(([, pair]) => readsBelow(pair.value, values))
  if (isList(node)) return node.items.flatMap((item) => readsBelow(item, values))
  if (!node || !isScalar(node) || typeof node.value !== 'string') return []
  return readValuesIn(node.value).map(({ value }) => ({ at: node, read: value }))
}

async function readByTemplates(folder: string, checkout: Checkout): Promise<ReadonlySet<string>> {
  const files = checkout.below(path.join(folder, 'templates')).filter((file) => /\.(?:tpl|ya?ml)$/.test(file))
  const texts = await checkout.texts(files)
  return new Set([...texts.values()].flatMap((text) => readValuesIn(text).map(({ value }) => value)))
}

/** The default values of a dependency, in a folder or packed. */
async function defaultsOf(place: string, checkout: Checkout): Promise<ValuesContent | undefined> {
  if (!place.endsWith('.tgz')) return valuesAt(path.join(place, 'values.yaml'), checkout)
  const archive = (await checkout.read([place])).get(place)
  if (!archive || 'missing' in archive) return undefined
  const own = filesInChart(archive).find((file) => file.path === 'values.yaml')
  const values = own && readValues(own.content)
  return values && !('reason' in values) ? values : undefined
}

function findingOf(one: OutOfScope, folder: string, file: string, values: ValuesContent): Finding {
  const { at, dependency, read, isUnseen } = one
  const { as, name } = dependency
  const unless = isUnseen ? `, unless ${name}, which was not seen, has it by default` : ''
  return gateFinding('source/value-unread', 'out-of-scope', 'warning', {
    side: 'head',
    path: file,
    region: values.regionOf(at),
    fileText: values.lines,
    keys: [folder, as, read],
    status: 'introduced',
    text: `This value of ${as} reads .Values.${read} of the chart ${folder || '.'}. Helm takes it as text, and where a template of ${name} fills it in, it sees the values below ${as} and global alone, where nothing here sets ${read}${unless}. Write the value itself, or have ${name} read it below global.`,
  })
}
