import { inlineValuesOf, isOwnCluster, readApplication } from '../../gitops/application'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import { type ChartRelease, chartFactsOf, versionAt } from './chart-release'
import { filesOf, hiddenIf, layersOf, ReleaseValues, type ValuesLayer } from './release-values'

/**
 * Reads an Application, or the template of an ApplicationSet whose Applications are unknown: the template represents
 * all of them, each in a separate cluster if the destination is a placeholder.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml
 */
export function argoReleasesOf(root: Cursor): ChartRelease[] {
  const { manifest } = root
  const { name, sources, destination } = readApplication(root)
  const set = manifest.root.at('spec')
  const written = destination.cluster
  const generated = isPlaceholder(written) ? `${written} of ${JSON.stringify(set.at('generators').value)}` : written
  const cluster = isOwnCluster(written) ? '' : generated
  return sources.flatMap((source) => {
    const facts = chartFactsOf(source.chart, source.repoURL)
    if (!facts) return []
    const { helm } = source
    const inline = inlineValuesOf(source)
    const parameters: ValuesLayer = { root: helm.at('parameters'), parameters: true }
    const single = [...helm.at('fileParameters').items()].flatMap((one) => one.at('name').string ?? [])
    const layers = [parameters, ...layersOf([inline.map]), ...filesOf(helm.at('valueFiles'))]
    const values = new ReleaseValues(inline.place, [...hiddenIf(set.at('templatePatch').exists), ...layers], single)
    const into = helm.at('namespace').string ?? destination.namespace.string ?? ''
    return [
      {
        facts,
        manifest,
        name: textAt(helm.at('releaseName')) || textAt(name),
        namespace: isPlaceholder(into) ? '' : into,
        cluster,
        ...versionAt(facts, source.targetRevision),
        values,
        parts: [],
      },
    ]
  })
}
