import { readApplication } from '../../gitops/application'
import { readFluxSource } from '../../gitops/flux-source'
import { readK3sChart } from '../../gitops/helm-chart'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import { type LoadedObject, loadFile } from '../../manifest/load'
import { groupKindOf, Manifest } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import type { SideOfChange } from '../../sides/side'
import { chartWithLocals } from '../../sources/chart'
import { generatorsIn } from '../../sources/inflated-chart'
import { urlOfFile } from '../../sources/kustomization'
import { filePlaceOf, type RemotePlace, remotePlaceOf } from '../../sources/remote-place'

/**
 * The URLs of the repositories that the objects and Kustomizations of a side name: places that its deployers ask
 * already.
 */
export async function placesNamedBy(side: SideOfChange): Promise<string[]> {
  const { discovery, checkout } = side
  const releases = [...discovery.elsewhere.values()].flatMap((read) => read().wanted()?.request.repository ?? [])
  const k3s = await checkout.mentioning([...checkout.tree.files.keys()], [k3sGroup])
  const kustomizations = [...discovery.kustomizations.values()]
  const files = new Set(kustomizations.flatMap(({ files: its }) => its.map(({ text }) => text)))
  const named = [
    ...discovery.objects.flatMap(placesIn),
    ...releases,
    ...discovery.fileDeployments.places,
    ...[...k3s].flatMap(([path, text]) => chartsOfK3s(path, text)),
    ...kustomizations.flatMap(({ charts }) => charts.map(({ repo }) => repo)),
    ...(await placesOfGenerators(side)),
    ...(await side.remotePlaces()).filter((text) => !files.has(text)).flatMap(placeOfEntry),
    ...[...files].flatMap(placeOfFile),
    ...(await placesOfDependencies(side)),
  ]
  return [...new Set(named)].filter((url) => url !== '' && !/\$\{|\{\{/.test(url))
}

function cursorOf(object: LoadedObject, path = ''): Cursor {
  return new Manifest(object, 'base', { kind: 'file', path }, []).root
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
  return loadFile({ text }, (document) => mentions(document, k3sGroup)).objects.flatMap((object) => {
    if (groupKindOf(object.ref) !== gitOpsKind.k3sChart) return []
    const { repo, chart } = readK3sChart(cursorOf(object, path))
    return [textAt(repo), textAt(chart)].filter((url) => url.includes('://'))
  })
}

/** The repositories that the charts of a side name for their dependencies. */
async function placesOfDependencies({ discovery, checkout }: SideOfChange): Promise<string[]> {
  const folders = new Set(
    discovery.sources.flatMap((source) => (source.kind === 'helm' && !source.fetched ? [source.chart] : [])),
  )
  const charts = await Promise.all([...folders].map((folder) => chartWithLocals(checkout, folder)))
  return charts.flat().flatMap(({ dependencies }) => dependencies.map(({ repository }) => repository))
}

/** The repositories of charts that plugins of Kustomizations inflate. */
async function placesOfGenerators({ discovery, checkout }: SideOfChange): Promise<string[]> {
  const files = [...discovery.kustomizations.values()].flatMap(({ plugins, leadsTo }) => (plugins ? leadsTo : []))
  const texts = await checkout.texts([...new Set(files)].filter((file) => checkout.has(file)))
  return [...texts.values()].flatMap((text) => generatorsIn(text).map((entry) => textAt(cursorOf(entry).at('repo'))))
}

/** The places that have to be trusted for a remote entry of a Kustomization. */
function placeOfEntry(entry: string): string[] {
  return trusted(remotePlaceOf(entry))
}

function placeOfFile(text: string): string[] {
  return trusted(filePlaceOf(urlOfFile(text)))
}

function trusted(place: RemotePlace | undefined): string[] {
  if (!place) return []
  return [place.kind === 'tree' ? place.repository : place.place]
}
