import { type InstallFromElsewhere, installsFromElsewhere } from '../deployers/fleet-helmfile/installs-from-elsewhere'
import { helmScripts } from '../discovery/installed-by-scripts'
import { filedRelease } from '../kubernetes/charts/chart-release'
import type { WrittenRelease } from '../manifest/load'
import { Manifest, ownGroup, type Side } from '../manifest/manifest'
import { MapNode, nodeOf, Pair } from '../manifest/nodes'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { unusedValuesFiles } from './unused-values-files'
import { readValues, type ValuesContent } from './values-file'

/** Where a supposed release has its values. */
const written: Omit<WrittenRelease, 'chart' | 'repository'> = {
  cluster: '',
  at: ['values'],
  version: ['version'],
  layers: [{ keys: ['values'] }],
}

/**
 * Changed values files that no known release uses, each as a release in a cluster of its own, as the other objects there are
 * unknown: of the chart from elsewhere that a script of the base installs with it, or else of an unknown one, which
 * something outside this repository installs.
 *
 * @param known the files that releases of charts from elsewhere take
 */
export async function supposedReleases(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: ReadonlySet<string>,
): Promise<Readonly<Record<Side, readonly Manifest[]>>> {
  const [before, after] = await Promise.all([base, head].map((side) => unusedValuesFiles(side, changed, known)))
  const unused = [...new Set([...(before ?? []), ...(after ?? [])])].filter(
    (file) =>
      (before?.includes(file) || !base.checkout.has(file)) && (after?.includes(file) || !head.checkout.has(file)),
  )
  if (unused.length === 0) return { base: [], head: [] }
  const scripts = await helmScripts(base.checkout)
  const installs = new Map(
    [...scripts].flatMap(([script, text]) => [...installsFromElsewhere(script, text, base.checkout)]),
  )
  return {
    base: await releasesOf(unused, base.checkout, 'base', installs),
    head: await releasesOf(unused, head.checkout, 'head', installs),
  }
}

async function releasesOf(
  files: readonly string[],
  checkout: Checkout,
  side: Side,
  installs: ReadonlyMap<string, InstallFromElsewhere>,
): Promise<Manifest[]> {
  const contents = await checkout.read(files.filter((file) => checkout.has(file)))
  return [...contents].flatMap(([path, content]) => {
    const values = readValues(content)
    return 'reason' in values ? [] : [releaseOf(path, values, side, installs.get(path))]
  })
}

function releaseOf(
  path: string,
  values: ValuesContent,
  side: Side,
  { chart = '', repository = '', version, name = path, namespace = '' }: Partial<InstallFromElsewhere> = {},
): Manifest {
  const [kind = ''] = filedRelease.split('.')
  const pairs = version === undefined ? [] : [new Pair('version', nodeOf(version))]
  const object = {
    ...values,
    node: new MapNode([...pairs, new Pair('values', values.node)], 0, values.fileText.length),
    ref: { group: ownGroup, kind, namespace, name },
    apiVersion: '',
    content: JSON.stringify([chart, repository, version, values.fileText]),
    duplicateKeys: [],
    context: { files: new Map(), release: { ...written, chart, repository } },
  }
  return new Manifest(object, side, { kind: 'file', path }, [path])
}
