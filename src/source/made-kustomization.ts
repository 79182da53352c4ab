import path from 'node:path/posix'
import type { Manifest } from '../manifest/manifest'
import type { Kustomization } from './kustomization'
import type { Surroundings } from './named'
import { firstLine } from './render/rendering'

/**
 * The Kustomization that Flux makes of a folder that has none: of all manifests below it, and of the folders that have
 * one, whole. https://fluxcd.io/flux/components/kustomize/kustomizations/#generate-kustomizationyaml
 *
 * @param manifest the object that has it made
 */
export function madeIn(place: string, manifest: Manifest, { checkout, kustomizations }: Surroundings): Kustomization {
  const start = place === '' ? 0 : place.length + 1
  const members = new Set<string>()
  for (const file of checkout.below(place)) {
    const above = foldersBetween(place, file)
    const own = above.find((folder) => kustomizations.has(folder))
    // A chart's templates are no manifests; who keeps charts below such a folder has Flux's source leave them out.
    const chart = above.some((folder) => checkout.has(path.join(folder, 'Chart.yaml')))
    if (own !== undefined) members.add(own)
    else if (!chart && /\.ya?ml$/.test(file) && checkout.tree.files.has(file)) members.add(file)
  }
  const leadsTo = [...members].sort()
  return {
    folder: place,
    file: manifest.origin.path,
    made: true,
    faults: [],
    data: [],
    pluginPlaces: [],
    plugins: false,
    onlyTakesIn: true,
    component: false,
    includes: leadsTo.map((member) => ({ text: member.slice(start), region: firstLine })),
    leadsTo,
    charts: [],
    namespace: '',
  }
}

/** The folders above a file and below (or at) another folder, the upper first, without that one itself. */
function foldersBetween(start: string, file: string): string[] {
  const found: string[] = []
  for (let end = file.indexOf('/', start === '' ? 0 : start.length + 1); end !== -1; end = file.indexOf('/', end + 1))
    found.push(file.slice(0, end))
  return found
}
