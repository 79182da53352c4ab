import type { SideOfChange } from '../sides/side'

/**
 * Tells which new files nothing applies: a Kustomization that both sides have lists files beside it, such as the `ks.yaml` of
 * other apps, and neither that one nor another lists the new one.
 */
export function unappliedFiles(base: SideOfChange, head: SideOfChange): (file: string) => boolean {
  const { kustomizations, plain } = head.discovery
  const applied = new Set([...kustomizations.values()].flatMap(({ leadsTo }) => leadsTo))
  const listed = [...base.discovery.kustomizations.values()].flatMap(({ folder, leadsTo, made }) => {
    const isKept = !made && kustomizations.has(folder) && !kustomizations.get(folder)?.made
    return isKept ? leadsTo.filter((place) => applied.has(place)).map((place) => ({ folder, place })) : []
  })
  return (file) =>
    !base.checkout.has(file) &&
    !applied.has(file) &&
    !plain.has(file) &&
    listed.some(({ folder, place }) => file.startsWith(`${folder}/`) && areAlike(place, file))
}

/** Whether two paths differ in one part. */
function areAlike(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')]
  return parts.length === others.length && parts.filter((part, index) => part !== others[index]).length === 1
}
