import type { Finding } from '../finding/report'
import { loadFile } from '../manifest/load'
import { identityOf } from '../manifest/manifest'
import type { Gathered } from '../pipeline/opening/scope'

/**
 * Whether a finding is about an object of the base whose file still contains it at the head: another line of the change
 * removes it.
 */
export async function isLeftInPlace({ location, object, status }: Finding, { sides }: Gathered): Promise<boolean> {
  const { side, path, rendered } = location
  if (!object || rendered || side !== 'base' || status !== 'introduced' || !sides.head.checkout.has(path)) return false
  const text = await sides.head.checkout.text(path)
  const objects = text === undefined ? [] : loadFile({ text }).objects
  // The namespace may be one that an Application gives.
  const identities = [object, { ...object, namespace: '' }].map(identityOf)
  return objects.some(({ ref }) => identities.includes(identityOf(ref)))
}

/** The files that decide whether a plain file is deployed: its own, and those of the objects that take it. */
export function filesDeciding({ path }: Finding['location'], { sides }: Gathered): string[] {
  const owners = [sides.base, sides.head].flatMap((side) => side?.discovery.plain.get(path) ?? [])
  const files = owners.flatMap(({ manifest, definitionFiles }) => [manifest.origin.path, ...definitionFiles])
  return [...new Set([path, ...files])]
}
