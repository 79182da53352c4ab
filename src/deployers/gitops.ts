import { groupKindOf, type Manifest } from '../manifest/manifest'
import { readApplicationSet } from './application-set'
import { readApplication } from './argocd'
import { FluxObjects } from './flux'
import { GitOpsSources, type RepositoryIndex } from './gitops-sources'

/** Reads the sources that the Argo CD and Flux objects of one side deploy. */
export function readGitOps(manifests: readonly Manifest[], surroundings: RepositoryIndex): GitOpsSources {
  const named = new GitOpsSources(surroundings)
  const flux = new FluxObjects(manifests, named)
  for (const manifest of manifests) {
    switch (groupKindOf(manifest.ref)) {
      case 'Application.argoproj.io':
        readApplication(manifest, manifest.ref.name, manifest.root.at('spec').value, named)
        break
      case 'ApplicationSet.argoproj.io':
        readApplicationSet(manifest, named)
        break
    }
  }
  flux.read()
  return named
}
