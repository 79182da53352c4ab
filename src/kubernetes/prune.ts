import type { Manifest } from '../manifest/manifest'

/**
 * Whether an object stays in its cluster when what applies it no longer finds it.
 * Sources: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#no-prune-resources
 * https://fluxcd.io/flux/components/kustomize/kustomizations/#prune
 * https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource
 */
export function outlivesPrune(manifest: Manifest): boolean {
  const metadata = manifest.root.at('metadata')
  const annotation = (name: string) => metadata.at('annotations', name).string
  const flux = 'kustomize.toolkit.fluxcd.io/prune'
  return (
    /(?:^|,)\s*Prune=(?:false|confirm)\s*(?:,|$)/.test(annotation('argocd.argoproj.io/sync-options') ?? '') ||
    [annotation(flux), metadata.at('labels', flux).string].includes('disabled') ||
    annotation('helm.sh/resource-policy') === 'keep'
  )
}
