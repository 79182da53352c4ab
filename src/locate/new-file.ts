import type { Finding, Location } from '../finding/report'
import type { Gathered } from '../pipeline/opening/scope'
import { type Cause, type ChangedFile, causeAtLine } from './cause'

/**
 * The line of an object that the change adds, in a file that it adds, and that a Kustomization includes, or that is a
 * template of a chart that it adds: no trial is needed to know it.
 *
 * @param written the place that the object comes from
 * @param files the changed files that the object may be made of
 */
export function lineInNewFile(
  { location: { side, rendered }, cluster }: Finding,
  written: Location,
  files: readonly ChangedFile[],
  { sides: { head }, base: snapshots }: Pick<Gathered, 'sides' | 'base'>,
): Cause | undefined {
  const { sources, kustomizations } = head.discovery
  const source = sources.find(({ id }) => id === rendered?.id)
  const file = files.find(({ path }) => path === written.path)
  if (side !== 'head' || !rendered || !file || file.before !== undefined) return undefined
  if (source?.kind === 'helm') {
    const chart = source.chart === '' ? 'Chart.yaml' : `${source.chart}/Chart.yaml`
    const isNewChart = files.some((one) => one.path === chart && one.before === undefined)
    return isNewChart ? causeAtLine(file, written.region.startLine) : undefined
  }
  if (source?.kind !== 'kustomize') return undefined
  if ([...kustomizations.values()].some((one) => one.file === file.path)) return undefined
  const isAtBase = (snapshots.get(cluster)?.get(rendered.object) ?? []).length > 0
  return isAtBase ? undefined : causeAtLine(file, written.region.startLine)
}
