import path from 'node:path/posix'
import semver from 'semver'
import type { Checkout } from '../revision/checkout'
import { type Dependency, readChart } from './chart'
import { dataIn, fieldsOf, textOf } from './untyped'

/** A chart in a folder of one revision. */
export interface ChartAt {
  readonly folder: string
  readonly checkout: Checkout
}

/** Where to look for charts that a repository publishes. */
export interface Publishing {
  /** The names of the repository, as `repositoryName` gives them. */
  readonly repository: readonly string[]
  readonly base: Checkout
  readonly side: Checkout
}

/**
 * The chart of this repository that a dependency names by the index to which the owner of the repository publishes. One of
 * the base with the version is what is published, whatever a change makes of it. Of the side that asks, only a newer one
 * counts, as it is published after the merge: a chart that is new here, or an older version, may be another one there. So
 * may all charts of a place that the chart in the folder does not name at the base.
 */
export async function publishedChart(
  folder: string,
  { name, repository }: Pick<Dependency, 'name' | 'repository'>,
  version: string,
  { repository: names, base, side }: Publishing,
): Promise<ChartAt | undefined> {
  const before = await readChart(base, folder)
  if (!before.dependencies.some((one) => one.repository === repository)) return undefined
  const words = repository.toLowerCase().replaceAll('/', '.').split('.')
  if (!names.some((own) => words.includes(own.split('/')[1] ?? own))) return undefined
  const files = [...base.tree.entries.keys()].filter(
    (file) => file.endsWith(`/${name}/Chart.yaml`) || file === `${name}/Chart.yaml`,
  )
  for (const file of files) {
    const found = path.dirname(file)
    const [was, is] = [await versionIn(file, name, base), await versionIn(file, name, side)]
    if (was === undefined) continue
    if (semver.satisfies(was, version)) return { folder: found, checkout: base }
    if (is !== undefined && semver.gt(is, was) && semver.satisfies(is, version))
      return { folder: found, checkout: side }
  }
  return undefined
}

/** The version of a chart of a name; undefined for another chart, or one that a tool gives its version. */
async function versionIn(file: string, name: string, checkout: Checkout): Promise<string | undefined> {
  const fields = fieldsOf(dataIn((await checkout.text(file)) ?? ''))
  return textOf(fields.name) === name ? (semver.valid(textOf(fields.version)) ?? undefined) : undefined
}

/** The files of a chart, by their paths in it. */
export async function filesOfChart({ folder, checkout }: ChartAt): Promise<Map<string, Uint8Array>> {
  const contents = await checkout.read(checkout.below(folder))
  return new Map(
    [...contents].flatMap(([file, content]) =>
      'missing' in content ? [] : [[path.relative(folder, file), content] as const],
    ),
  )
}
