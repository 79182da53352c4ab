import path from 'node:path/posix'
import type { Checkout } from '../revision/checkout'
import { readChart } from '../sources/chart'
import type { Kustomization } from '../sources/kustomization'
import type { Source } from '../sources/source'

/** The head's files and sources that decide whether a source of the base is still there. */
interface Head {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly sources: readonly Source[]
}

/**
 * The sources of the base that the head declares differently or no longer, as the base declared them.
 *
 * The config and discovery only describe a deployment: a change of the description could hide its other lines behind a
 * rendering that is never installed. So each such source is also rendered with its old definition, in a separate
 * cluster, and compared with the base only. Sources of Argo CD and Flux do not need this, because their objects create
 * the deployment; but the Kubernetes version that they are rendered for is a description, too.
 */
export async function previousDefinitions(
  base: readonly Source[],
  { checkout, kustomizations, sources }: Head,
): Promise<Source[]> {
  const described = new Set(sources.map(definitionOf))
  const deployed = new Set(sources.map((source) => definitionOf(ofAnyKubernetes(source))))
  const kept: Source[] = []
  for (const source of base) {
    const isDescribed = source.origin === 'declared' || source.origin === 'discovered'
    const isDeployed = source.origin === 'named' && deployed.has(definitionOf(ofAnyKubernetes(source)))
    if (!isDescribed && !isDeployed) continue
    if (described.has(definitionOf(source))) continue
    const place = source.kind === 'helm' ? source.chart : source.root
    const isThere =
      source.kind === 'kustomize'
        ? kustomizations.has(place)
        : await canStillBeInstalled(place, source.values, checkout)
    if (!isThere) continue
    kept.push({
      ...source,
      id: `before:${source.id}`,
      baseSourceId: source.id,
      target: { cluster: `${place || '.'} as it was` },
    })
  }
  return kept
}

/** A library chart is never installed, and a release whose values file is gone can no longer be installed as before. */
async function canStillBeInstalled(
  chart: string,
  values: readonly ({ readonly path: string } | { readonly text: string })[],
  checkout: Checkout,
): Promise<boolean> {
  if (!values.every((one) => !('path' in one) || checkout.has(one.path))) return false
  if (checkout.has(path.join(chart, 'Chart.yaml'))) return !(await readChart(checkout, chart)).library
  return chart.endsWith('.tgz') && checkout.has(chart)
}

function ofAnyKubernetes(source: Source): Source {
  if (source.kind === 'kustomize') return source
  const { kubeVersion: _, ...same } = source
  return same
}

function definitionOf({ declaredAt: _, definitionFiles: __, overlaidAt: ___, ...source }: Source): string {
  return JSON.stringify({ ...source, packed: undefined })
}
