import type { ChartElsewhere } from '../../deployers/common/chart-elsewhere'

/** A release on the sides that have it. */
export interface ReleasePair {
  readonly before: ChartElsewhere | undefined
  readonly after: ChartElsewhere | undefined
}

type Releases = ReadonlyMap<string, () => ChartElsewhere>

/** The releases of charts from elsewhere that are not the same on both sides; one that moved to another file is one. */
export function releasesThatDiffer(before: Releases, after: Releases): ReleasePair[] {
  const pairs: ReleasePair[] = []
  for (const [id, read] of after) {
    const [was, is] = [before.get(id)?.(), read()]
    if (was && !isSameRelease(was, is)) pairs.push({ before: was, after: is })
  }
  const gone = [...before].flatMap(([id, read]) => (after.has(id) ? [] : [read()]))
  const come = [...after].flatMap(([id, read]) => (before.has(id) ? [] : [read()]))
  const left = new Set(gone)
  for (const release of come) {
    const was = [...left].find((one) => isMoved(one, release))
    if (was) left.delete(was)
    pairs.push({ before: was, after: release })
  }
  return [...pairs, ...[...left].map((one) => ({ before: one, after: undefined }))]
}

/** Whether a release is installed with the same inputs on both sides. */
export function isSameRelease({ inputs: was }: ChartElsewhere, { inputs: is }: ChartElsewhere): boolean {
  return was.length === is.length && was.every((one, index) => one === is[index])
}

function isMoved(before: ChartElsewhere, after: ChartElsewhere): boolean {
  return before.release === after.release && before.namespace === after.namespace
}
