import type { HelmRelease } from '../../gitops/helm-release'
import { textAt } from '../../gitops/text'
import type { Manifest } from '../../manifest/manifest'
import type { PostRenderers } from '../../sources/source'
import { listOf } from '../../sources/untyped'

/** The postRenderers of a HelmRelease, if it has any. */
export function postRenderersOf(
  { postRenderers: all, postRenderStrategy }: HelmRelease,
  manifest: Manifest,
): { readonly postRenderers?: PostRenderers } {
  if (!all.at(0).exists) return {}
  const at = { path: manifest.origin.path, region: all.region }
  const [renderers, strategy] = [listOf(all.value), textAt(postRenderStrategy)]
  return { postRenderers: { deployer: 'Flux', field: 'postRenderers', renderers, strategy, at } }
}
