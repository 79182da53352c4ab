import { loadFile } from '../../src/manifest/load'
import { Manifest, type Side } from '../../src/manifest/manifest'

/** The manifests of a file in the given clusters. */
export function manifestsIn(text: string, path = 'a.yaml', side: Side = 'head', clusters: readonly string[] = ['']) {
  return loadFile({ text }).objects.map((object) => new Manifest(object, side, { kind: 'file', path }, clusters))
}

/** The only manifest of a text. */
export function manifestIn(text: string): Manifest {
  const [manifest, ...more] = manifestsIn(text)
  if (!manifest || more.length > 0) throw new Error(`${more.length + (manifest ? 1 : 0)} manifests`)
  return manifest
}
