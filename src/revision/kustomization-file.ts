import path from 'node:path/posix'

/** The names kustomize takes for its file, in its order. */
export const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** Whether kustomize would take a file for one of its own, from its name alone. */
export function isKustomizationFile(file: string): boolean {
  return kustomizationNames.includes(path.basename(file))
}
