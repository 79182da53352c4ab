import path from 'node:path/posix'
import { type Generator, isGoTemplate, isOfClusters, labelOf, type SetGenerator } from '../../gitops/application-set'
import type { Element } from '../../gitops/filled-template'
import type { Manifest } from '../../manifest/manifest'
import type { GitOpsSources } from '../common/gitops-sources'
import { ownCluster, placesIn } from './possible-clusters'

/** Whether a generator merges clusters with lists that name some of them. */
export function mergesClusters(generator: Generator): boolean {
  if (generator.kind === 'merge') return generator.generators.some(isOfClusters)
  return 'generators' in generator && generator.generators.some(mergesClusters)
}

/** Whether an element is Argo CD's own cluster, which is read in place of all that no list names. */
export function isInPlaceOfAll(element: Element): boolean {
  return labelOf(element, 'name') === ownCluster.name
}

/**
 * The elements of a set whose folders the change touches, or all that have one, if it touches the set. A set that merges
 * clusters with lists often has many clusters, for each of many folders: to read all of them would take longer than
 * the rest of a run.
 */
export function touchedElements(
  manifest: Manifest,
  set: SetGenerator,
  elements: readonly Element[],
  named: GitOpsSources,
): readonly Element[] {
  const { checkout, touched } = named.repositoryIndex
  const goTemplate = isGoTemplate(manifest.root)
  const isWhole = isTouched(manifest, named)
  return elements.filter((element) => {
    const places = [...new Set(placesIn(manifest.root, set, element, goTemplate))]
    if (places.length === 0) return isWhole
    const isTouchedHere = !touched.areAll && places.some((place) => touched.has(place))
    // A folder that is gone now belonged to a cluster of the list.
    if (isTouchedHere && !isInPlaceOfAll(element)) return true
    const isThere = (place: string) => checkout.tree.at(path.join('.', place).replace(/\/$/, '')).length > 0
    return (isWhole || isTouchedHere) && places.some(isThere)
  })
}

/** Whether the change touches the object: its file, or another one that makes it what it is, such as a patch. */
function isTouched(manifest: Manifest, named: GitOpsSources): boolean {
  const { touched, writtenAs } = named.repositoryIndex
  if (touched.areAll || touched.has(manifest.origin.path)) return true
  const bringer = named.bringerOf(manifest)
  if (!bringer) return false
  const { source, definitionFiles } = bringer
  const ofChart =
    source.kind === 'helm' ? [source.chart, ...source.values.flatMap((one) => ('path' in one ? one.path : []))] : []
  const changed = [...definitionFiles, ...ofChart].filter((file) => touched.has(file))
  if (changed.length === 0) return false
  // The files of other objects in the same rendering are no part of this one.
  const others = new Set([...writtenAs.values()].map(({ origin }) => origin.path))
  return changed.some((file) => !others.has(file))
}
