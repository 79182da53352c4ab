import type { WrittenRelease } from '../../manifest/load'
import type { Manifest } from '../../manifest/manifest'
import { type ChartRelease, chartFactsNamed, versionAt } from './chart-release'
import { filesNamed, hiddenIf, ReleaseValues, type ValuesLayer } from './release-values'

/** The values of a release that a file of Fleet or helmfile declares, the first over the others. */
export function filedLayersOf(manifest: Manifest, { layers }: WrittenRelease): ValuesLayer[] {
  return layers.toReversed().flatMap((layer): ValuesLayer[] => {
    if ('keys' in layer) {
      const root = manifest.root.at(...layer.keys)
      return [{ root, ...(layer.parameters ? { parameters: true } : {}) }]
    }
    return 'file' in layer ? filesNamed(layer.file, manifest) : hiddenIf(true)
  })
}

/** Reads a release of a known chart that a file of Fleet or helmfile declares. */
export function filedReleasesOf(manifest: Manifest): ChartRelease[] {
  const { root, ref, object } = manifest
  const written = object.context?.release
  const facts = written && chartFactsNamed(written.chart, written.repository)
  if (!facts) return []
  const layers = filedLayersOf(manifest, written)
  const inline = written.layers.findLast((layer) => 'keys' in layer)
  const place = inline && 'keys' in inline ? root.at(...inline.keys) : root.at(...written.at)
  const values = new ReleaseValues(place, layers)
  const { cluster } = written
  const version = versionAt(facts, root.at(...written.version))
  return [{ facts, manifest, name: ref.name, namespace: ref.namespace, cluster, ...version, values, parts: [] }]
}
