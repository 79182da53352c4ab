import type { GitOpsSources } from '../deployers/common/gitops-sources'
import type { Checkout } from '../revision/checkout'
import type { Kustomization } from '../sources/kustomization'
import type { Discovery, DiscoveryInput } from './discover'

/** The reason why a file is no plain manifest. */
export interface FileOwnership {
  /** Whether something that is rendered may include the file; otherwise nothing deploys it. */
  readonly deployed: boolean
  readonly reason: string
}

/** The files of a chart; other files in its folder may be manifests that are applied. */
const partOfChart =
  /^(?:(?:Chart|requirements|values[^/]*)\.ya?ml|values\.schema\.json|(?:templates|crds|charts|ci|files|values|tests?|unittests?)\/.*)$/s

export function* chartFiles(charts: readonly string[], checkout: Checkout): Iterable<[string, FileOwnership]> {
  for (const folder of charts) {
    const start = folder === '' ? 0 : folder.length + 1
    for (const file of checkout.below(folder)) {
      if (partOfChart.test(file.slice(start)))
        yield [file, { deployed: true, reason: `a file of the Helm chart ${folder || '.'}` }]
    }
  }
}

/**
 * Files that Kustomizations name, and files in their folders that they do not name: neither are plain manifests.
 *
 * @param applied the files that are applied as they are: by a script, or by hand
 */
export function* kustomizationFiles(
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  base: Discovery | undefined,
  applied: ReadonlySet<string>,
): Iterable<[string, FileOwnership]> {
  for (const { folder } of all.values()) {
    const start = folder === '' ? 0 : folder.length + 1
    for (const file of checkout.below(folder)) {
      if (file.slice(start).includes('/') || applied.has(file)) continue
      yield [
        file,
        { deployed: false, reason: `an orphan: the Kustomization of ${folder || 'this folder'} does not list it` },
      ]
    }
  }
  // A file that leaves a Kustomization in this change is no longer deployed; it does not become a plain file.
  for (const [file, place] of filesNamedBy(base?.kustomizations.values() ?? [])) {
    if (checkout.has(file)) yield [file, { deployed: false, reason: `an orphan: ${place} no longer lists it` }]
  }
  for (const [file, place] of filesNamedBy(all.values())) {
    if (checkout.has(file)) yield [file, { deployed: true, reason: `a part of the Kustomization ${place}` }]
  }
}

/** The files that Kustomizations name, each with the Kustomization's own file; that file is named too. */
function* filesNamedBy(kustomizations: Iterable<Kustomization>): Iterable<[string, string]> {
  for (const { file, leadsTo, made } of kustomizations) {
    for (const place of made ? leadsTo : [file, ...leadsTo]) yield [place, file]
  }
}

/** Files that Flux skips, and new files behind a symbolic link that the deployer of the folder does not follow. */
export function* ignoredFiles(
  { ignoredByFlux, unfollowedLinks, plain }: GitOpsSources,
  checkout: Checkout,
  isNew: DiscoveryInput['isNew'],
): Iterable<[string, FileOwnership]> {
  for (const [file, why] of ignoredByFlux)
    if (!plain.has(file)) yield [file, { deployed: false, reason: `an orphan: ${why}` }]
  for (const [link, why] of unfollowedLinks) {
    for (const file of checkout.tree.at(checkout.tree.resolved.get(link) ?? link)) {
      if (isNew(file) && !plain.has(file)) yield [file, { deployed: false, reason: `an orphan: ${why}` }]
    }
  }
}

/** Plain files that lose the object that deployed them are no longer deployed. */
export function* undeployedPlainFiles(
  { plain }: GitOpsSources,
  checkout: Checkout,
  base: Discovery | undefined,
): Iterable<[string, FileOwnership]> {
  for (const [file, { name }] of base?.plain ?? []) {
    if (checkout.has(file) && !plain.has(file))
      yield [file, { deployed: false, reason: `an orphan: ${name} no longer deploys it` }]
  }
}
