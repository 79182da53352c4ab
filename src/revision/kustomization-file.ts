import path from 'node:path/posix'

/** The names kustomize takes for its file, in its order. */
export const kustomizationNames = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** Whether kustomize reads a file as a Kustomization because of its name. */
export function isKustomizationFile(file: string): boolean {
  return kustomizationNames.includes(path.basename(file))
}
