import { readApplication } from '../../gitops/application'
import { gitOpsKind } from '../../gitops/kinds'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { generatedApplication, inflatedChart } from './chart-release'
import { isSuspended } from './coming-release'

const applications: readonly GroupKind[] = [gitOpsKind.application, generatedApplication]

/**
 * Whether the objects that a release no longer has are certainly deleted: Argo CD does so where it is asked to, and what
 * Kustomize builds is no release.
 */
export function deletesWhatIsLeft(release: Manifest): boolean {
  const kind = groupKindOf(release.ref)
  if (kind === inflatedChart || kind === gitOpsKind.applicationSet || isSuspended(release)) return false
  return !applications.includes(kind) || readApplication(release.root).prunes
}
