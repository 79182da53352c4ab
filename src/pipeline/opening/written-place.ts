import type { Cursor } from '../../manifest/cursor'
import { loadFile } from '../../manifest/load'
import { Manifest } from '../../manifest/manifest'
import type { Checkout } from '../../revision/checkout'
import type { DeclarationSite } from '../../sources/source'

/** The place of a value of an object in its file; for a rendered object, the place of the same key there. */
export async function writtenPlace(value: Cursor, checkout: Checkout): Promise<DeclarationSite> {
  const { origin, object, side, ref } = value.manifest
  const { path } = origin
  const text = await checkout.text(path)
  if (text === undefined || text === object.fileText) return { path, region: value.region }
  const own = loadFile({ text }).objects.find(({ ref: { kind, name } }) => kind === ref.kind && name === ref.name)
  if (!own) return { path, region: object.region }
  const written = new Manifest(own, side, { kind: 'file', path }, []).root.at(...value.path)
  return { path, region: written.exists ? written.region : own.region }
}
