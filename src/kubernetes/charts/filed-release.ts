import type { Manifest } from '../../manifest/manifest'
import { type ChartRelease, chartFactsNamed, versionAt } from './chart-release'
import { filesNamed, hiddenIf, ReleaseValues, type ValuesLayer } from './release-values'

/** Reads a release that a file of Fleet or helmfile declares. */
export function filedReleasesOf(manifest: Manifest): ChartRelease[] {
  const { root, ref, object } = manifest
  const written = object.context?.release
  const facts = written && chartFactsNamed(written.chart, written.repository)
  if (!facts) return []
  const layers = written.layers.toReversed().flatMap((layer): ValuesLayer[] => {
    if ('keys' in layer) return [{ root: root.at(...layer.keys), ...(layer.parameters ? { parameters: true } : {}) }]
    return 'file' in layer ? filesNamed(layer.file, manifest) : hiddenIf(true)
  })
  const inline = written.layers.findLast((layer) => 'keys' in layer)
  const place = inline && 'keys' in inline ? root.at(...inline.keys) : root.at(...written.at)
  const values = new ReleaseValues(place, layers)
  const { cluster } = written
  const version = versionAt(facts, root.at(...written.version))
  return [{ facts, manifest, name: ref.name, namespace: ref.namespace, cluster, ...version, values, parts: [] }]
}
