import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import { isOwnCluster } from '../object/argo-cluster'
import { type ChartRelease, chartFactsOf, versionAt } from './chart-release'
import { filesOf, hiddenIf, layersOf, ReleaseValues, type ValuesLayer } from './release-values'

/**
 * Reads an Application, or the template of an ApplicationSet whose Applications are unknown: the template represents
 * all of them, each in a separate cluster if the destination is a placeholder.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/application.yaml
 */
export function argoReleasesOf(application: Cursor): ChartRelease[] {
  const { manifest } = application
  const spec = application.at('spec')
  const destination = spec.at('destination')
  const written = destination.at('name').string || destination.at('server').string || ''
  const set = manifest.root.at('spec')
  const generated = isPlaceholder(written) ? `${written} of ${JSON.stringify(set.at('generators').value)}` : written
  const cluster = isOwnCluster(written) ? '' : generated
  return [spec.at('source'), ...spec.at('sources').items()].flatMap((source) => {
    const facts = chartFactsOf(source.at('chart'), source.at('repoURL'))
    if (!facts) return []
    const helm = source.at('helm')
    const object = helm.at('valuesObject')
    // The object takes the place of the text: https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
    const inline = object.exists ? object : helm.at('values').nested
    const parameters: ValuesLayer = { root: helm.at('parameters'), parameters: true }
    const single = [...helm.at('fileParameters').items()].flatMap((one) => one.at('name').string ?? [])
    const layers = [parameters, ...layersOf([inline]), ...filesOf(helm.at('valueFiles'))]
    const place = object.exists ? object : helm.at('values')
    const values = new ReleaseValues(place, [...hiddenIf(set.at('templatePatch').exists), ...layers], single)
    const name = helm.at('releaseName').string ?? application.at('metadata', 'name').string ?? ''
    const into = helm.at('namespace').string ?? destination.at('namespace').string ?? ''
    const namespace = isPlaceholder(into) ? '' : into
    const version = versionAt(facts, source.at('targetRevision'))
    return [{ facts, manifest, name, namespace, cluster, ...version, values, parts: [] }]
  })
}
