import { filedRelease } from '../kubernetes/charts/chart-release'
import type { WrittenRelease } from '../manifest/load'
import { Manifest, ownGroup, type Side } from '../manifest/manifest'
import type { Checkout } from '../revision/checkout'
import type { SideOfChange } from '../sides/side'
import { unusedValuesFiles } from './unused-values-files'
import { readValues, type ValuesContent } from './values-file'

/** Nothing is known of the chart: the whole file is its values. */
const ofUnknownChart: WrittenRelease = {
  chart: '',
  repository: '',
  cluster: '',
  at: [],
  version: [],
  layers: [{ keys: [] }],
}

/**
 * Changed values files that no known release uses, each as the release of an unknown chart in a cluster of its own:
 * something outside this repository installs it, such as a CI system, and the other objects there are unknown.
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
  return {
    base: await releasesOf(unused, base.checkout, 'base'),
    head: await releasesOf(unused, head.checkout, 'head'),
  }
}

async function releasesOf(files: readonly string[], checkout: Checkout, side: Side): Promise<Manifest[]> {
  const contents = await checkout.read(files.filter((file) => checkout.has(file)))
  return [...contents].flatMap(([path, content]) => {
    const values = readValues(content)
    return 'reason' in values ? [] : [releaseOf(path, values, side)]
  })
}

function releaseOf(path: string, values: ValuesContent, side: Side): Manifest {
  const [kind = ''] = filedRelease.split('.')
  const object = {
    ...values,
    ref: { group: ownGroup, kind, namespace: '', name: path },
    apiVersion: '',
    content: values.fileText,
    duplicateKeys: [],
    context: { files: new Map(), release: ofUnknownChart },
  }
  return new Manifest(object, side, { kind: 'file', path }, [path])
}
