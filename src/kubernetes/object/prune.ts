import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'

const argo = 'argocd.argoproj.io/sync-options'
const flux = 'kustomize.toolkit.fluxcd.io/prune'
const helm = 'helm.sh/resource-policy'

/** A mark that keeps an object in its cluster when it is gone from its source, and its place. */
export interface PruneGuard {
  readonly mark: string
  readonly at: Cursor
}

/**
 * The annotations of an object that keep a tool from deleting it. Sources:
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#no-prune-resources
 * https://fluxcd.io/flux/components/kustomize/kustomizations/#prune
 * https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource
 */
export function pruneGuards(manifest: Manifest): PruneGuard[] {
  const metadata = manifest.root.at('metadata')
  const guards: PruneGuard[] = []
  const options = metadata.at('annotations', argo)
  for (const option of (options.string ?? '').split(',').map((one) => one.trim())) {
    if (/^(?:Prune|Delete)=(?:false|confirm)$/.test(option)) guards.push({ mark: `${argo}: ${option}`, at: options })
  }
  for (const at of [metadata.at('annotations', flux), metadata.at('labels', flux)]) {
    if (at.string === 'disabled') guards.push({ mark: `${flux}: disabled`, at })
  }
  const policy = metadata.at('annotations', helm)
  if (policy.string === 'keep') guards.push({ mark: `${helm}: keep`, at: policy })
  return guards
}

/** Whether an object stays in its cluster when it is removed from its source. */
export function outlivesPrune(manifest: Manifest): boolean {
  return pruneGuards(manifest).some(({ mark }) => !mark.includes(' Delete='))
}
