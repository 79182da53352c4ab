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
 * The annotations of an object that keep its deployer from deleting it: each tool knows only its own, and Argo CD that of
 * Helm for the objects of a chart, too. Where the deployer is not known, it may be Flux or Argo CD. Sources:
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#no-prune-resources
 * https://fluxcd.io/flux/components/kustomize/kustomizations/#prune
 * https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource
 */
export function pruneGuards(manifest: Manifest): PruneGuard[] {
  const metadata = manifest.root.at('metadata')
  const guards: PruneGuard[] = []
  const { argo: isOfArgo, flux: isOfFlux, helm: isOfHelm } = readersOf(manifest)
  const options = metadata.at('annotations', argo)
  for (const option of (options.string ?? '').split(',').map((one) => one.trim())) {
    if (isOfArgo && /^(?:Prune|Delete)=(?:false|confirm)$/.test(option))
      guards.push({ mark: `${argo}: ${option}`, at: options })
  }
  for (const at of [metadata.at('annotations', flux), metadata.at('labels', flux)]) {
    if (isOfFlux && at.string === 'disabled') guards.push({ mark: `${flux}: disabled`, at })
  }
  const policy = metadata.at('annotations', helm)
  if (isOfHelm && policy.string === 'keep') guards.push({ mark: `${helm}: keep`, at: policy })
  return guards
}

/** The tools whose annotations count for an object. */
function readersOf({ origin }: Manifest): Record<'argo' | 'flux' | 'helm', boolean> {
  if (origin.kind === 'file') return { argo: true, flux: true, helm: false }
  const helm = origin.source.kind === 'helm'
  if (origin.id.startsWith('argocd:')) return { argo: true, flux: false, helm }
  if (origin.id.startsWith('flux:')) return { argo: false, flux: !helm, helm }
  return { argo: true, flux: !helm, helm }
}

/** Whether an object stays in its cluster when it is removed from its source. */
export function outlivesPrune(manifest: Manifest): boolean {
  return pruneGuards(manifest).some(({ mark }) => !mark.includes(' Delete='))
}
