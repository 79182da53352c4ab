import path from 'node:path/posix'
import type { GitOpsSources } from '../deployers/common/gitops-sources'
import type { Checkout } from '../revision/checkout'
import { manifestName } from '../revision/tree'
import { ignorableKustomization, inside, type Kustomization } from '../sources/kustomization'

/** The files that one side deploys. */
interface DeployedFiles {
  readonly gitOps: GitOpsSources
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** Files that are judged only through a rendering. */
  readonly ownership: ReadonlyMap<string, unknown>
}

/** The files that a glob of `ignore` takes and that an object, a Kustomization or a symbolic link has deployed. */
export function* ignorableIn(
  checkout: Checkout,
  { gitOps, kustomizations, ownership }: DeployedFiles,
): Iterable<string> {
  const { tree } = checkout
  yield* gitOps.ignorable
  for (const file of gitOps.plain.keys()) {
    if (!manifestName.test(file) || isInChart(file, checkout)) continue
    yield* tree.ignorableAt(file)
    const target = tree.resolved.get(file)
    if (target !== undefined && tree.entries.has(target)) yield* tree.ignorableAt(target)
  }
  for (const { folder, includes } of kustomizations.values()) {
    for (const { text } of includes) {
      const place = inside(folder, text)
      if (place === undefined) continue
      if (tree.entries.has(place)) yield* tree.ignorableAt(place)
      else yield* [ignorableKustomization(place, checkout)].filter((file) => file !== undefined)
    }
  }
  // Files that a chart or a Kustomization includes through a link are judged as rendered.
  for (const [place, links] of tree.linked) {
    const open = links.filter((link) => !ownership.has(link) && (!tree.entries.has(place) || manifestName.test(link)))
    if (open.length > 0) yield* tree.ignorableAt(place).filter((file) => !isInChart(file, checkout))
  }
}

function isInChart(file: string, checkout: Checkout): boolean {
  for (let end = file.lastIndexOf('/'); end !== -1; end = file.lastIndexOf('/', end - 1))
    if (checkout.has(path.join(file.slice(0, end), 'Chart.yaml'))) return true
  return false
}
