import path from 'node:path/posix'
import type { Checkout } from '../revision/checkout'
import { readChart } from '../sources/chart'
import type { Kustomization } from '../sources/kustomization'
import type { Source } from '../sources/source'

/** What a head still has of a source, whoever else speaks of it now. */
interface Head {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  readonly sources: readonly Source[]
}

/**
 * The sources of the base that the head describes otherwise or no longer, as the base described them.
 *
 * What the config declares and what is discovered describes a deployment and does not make it: a change that describes it
 * otherwise may have its other lines judged by a rendering that nobody installs. So each is rendered the old way once more, in
 * a cluster of its own, where it is compared with the base and with nothing else. What Argo CD and Flux name needs no such
 * care, for their objects do make the deployment; but which Kubernetes it is rendered for is described as well.
 */
export async function asBefore(
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

/** A library is installed by nobody, and without its values file nobody can install a release as it was. */
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

function definitionOf({ declaredAt: _, definitionFiles: __, ...source }: Source): string {
  return JSON.stringify(source)
}
