import { readApplication } from '../gitops/application'
import { readFluxSource } from '../gitops/flux-source'
import { readK3sChart } from '../gitops/helm-chart'
import { gitOpsKind } from '../gitops/kinds'
import { textAt } from '../gitops/text'
import { loadFile } from '../manifest/load'
import { groupKindOf, Manifest } from '../manifest/manifest'
import { mentions } from '../manifest/mentions'
import type { SideOfChange } from '../sides/side'

/**
 * The URLs of the repositories that the objects and Kustomizations of a side name: places that its deployers ask
 * already.
 */
export async function placesNamedBy(side: SideOfChange): Promise<string[]> {
  const { discovery, checkout } = side
  const releases = [...discovery.elsewhere.values()].flatMap((read) => read().wanted()?.request.repository ?? [])
  const k3s = await checkout.texts([...checkout.tree.files.keys()])
  const named = [
    ...discovery.objects.flatMap(placesIn),
    ...releases,
    ...[...k3s].flatMap(([path, text]) => chartsOfK3s(path, text)),
    ...[...discovery.kustomizations.values()].flatMap(({ charts }) => charts.map(({ repo }) => repo)),
    ...(await side.remotePlaces()).map(repositoryOf),
  ]
  return [...new Set(named)].filter((url) => url !== '' && !/\$\{|\{\{/.test(url))
}

function placesIn(manifest: Manifest): string[] {
  const { ref, root } = manifest
  if (ref.group === 'source.toolkit.fluxcd.io') return [textAt(readFluxSource(root).url)]
  const kind = groupKindOf(ref)
  if (kind !== gitOpsKind.application && kind !== gitOpsKind.applicationSet) return []
  const application = kind === gitOpsKind.application ? root : root.at('spec', 'template')
  return readApplication(application).sources.map(({ repoURL, chart }) => {
    const url = textAt(repoURL)
    // A repository of charts without a scheme is one of a registry.
    return chart.exists && url !== '' && !url.includes('://') ? `oci://${url}` : url
  })
}

const k3sGroup = 'helm.cattle.io'

function chartsOfK3s(path: string, text: string): string[] {
  if (!mentions(text, k3sGroup)) return []
  return loadFile({ text }, (document) => mentions(document, k3sGroup)).objects.flatMap((object) => {
    if (groupKindOf(object.ref) !== gitOpsKind.k3sChart) return []
    const { repo, chart } = readK3sChart(new Manifest(object, 'base', { kind: 'file', path }, []).root)
    return [textAt(repo), textAt(chart)].filter((url) => url.includes('://'))
  })
}

/** The repository of a remote entry of a Kustomization: `https://github.com/org/repo//deploy?ref=v1` has a folder and a version besides. */
function repositoryOf(entry: string): string {
  const [url = ''] = entry.split('?')
  const scheme = url.indexOf('://')
  const folder = url.indexOf('//', scheme === -1 ? 0 : scheme + '://'.length)
  return folder === -1 ? url : url.slice(0, folder)
}
