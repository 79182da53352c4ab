import type { Manifest } from '../manifest/manifest'

/** The same for an object of a file and for a rendered one that may be made of it. */
export function nameIn({ ref: { group, kind, name } }: Pick<Manifest, 'ref'>): string {
  return JSON.stringify([group, kind, name])
}

/** An object of a file, also where a rendering has it with other content. */
export function keyOf({ origin, object: { region }, ref }: Manifest): string {
  return JSON.stringify([origin.path, region.startLine, region.startColumn, ref.kind, ref.name])
}
