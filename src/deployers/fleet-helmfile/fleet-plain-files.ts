import path from 'node:path/posix'
import { kustomizationNames } from '../../revision/kustomization-file'
import type { FileDeployments } from '../common/file-deployments'
import { fleetFile } from './fleet'

/**
 * Takes the manifests of bundles that Fleet does not deploy as plain YAML: to no cluster, or a chart in their place. Source:
 * https://github.com/rancher/fleet, internal/bundlereader/style.go (IsRawYAML)
 */
export async function passByPlain(deployments: FileDeployments): Promise<void> {
  const { checkout } = deployments.surroundings
  for (const { folder, values, reason } of deployments.withoutPlain) {
    const files = plainFilesOf(folder, deployments).filter((file) => !values.includes(file))
    for (const file of (await checkout.mentioning(files, ['apiVersion'])).keys()) deployments.ignored.set(file, reason)
  }
}

/** The plain YAML of a bundle, without folders that are bundles, charts or Kustomizations of their own. */
export function plainFilesOf(folder: string, { surroundings: { checkout }, ignored }: FileDeployments): string[] {
  const isApart = (below: string) =>
    [...kustomizationNames, 'Chart.yaml', 'fleet.yaml', 'fleet.yml'].some((name) =>
      checkout.has(path.join(below, name)),
    )
  return checkout.below(folder).filter((file) => {
    const parts = file.slice(folder === '' ? 0 : folder.length + 1).split('/')
    if (!isPlainManifest(file) || ignored.has(file) || parts.some((name) => name.startsWith('.'))) return false
    if (['overlays', 'templates'].includes(parts.length > 1 ? (parts[0] ?? '') : '')) return false
    return !parts.slice(0, -1).some((_, end) => isApart(path.join(folder, ...parts.slice(0, end + 1))))
  })
}

/** Whether a file of a bundle may be a manifest by its name. */
export function isPlainManifest(file: string): boolean {
  return /\.(?:ya?ml|json)$/.test(file) && !fleetFile.test(file)
}
