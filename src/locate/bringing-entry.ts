import type { Finding } from '../finding/report'
import type { SideOfChange } from '../sides/side'
import { closureOf, inside, type Kustomization } from '../sources/kustomization'
import type { Cause, ChangedFile } from './cause'
import { linesOf } from './edits'

/**
 * The entry of a new Kustomization that brings in the object of a finding. If the change touches nothing else that the
 * object is made of, and the Kustomization changes nothing in what it includes, no trial is needed to know it.
 *
 * @param writtenIn the file that the object comes from
 * @param files the changed files that the object may be made of
 */
export function entryThatBrings(
  finding: Finding,
  writtenIn: string,
  files: readonly ChangedFile[],
  { discovery: { sources, kustomizations } }: SideOfChange,
): Cause | undefined {
  const [file, ...others] = files
  const places = [finding.location, ...finding.related]
  const ids = new Set(places.map(({ side, rendered }) => (side === 'head' ? rendered?.id : undefined)))
  const source = ids.size === 1 ? sources.find(({ id }) => ids.has(id)) : undefined
  if (!file || others.length > 0 || file.before !== undefined || source?.kind !== 'kustomize') return undefined
  const own = kustomizations.get(source.root)
  if (own?.file !== file.path || !own.onlyTakesIn || source.declaredAt.path !== file.path) return undefined
  const [entry, ...more] = own.includes.filter(({ text }) => brings(text, writtenIn, own, kustomizations))
  const lines = file.text?.edits.flatMap(linesOf) ?? []
  const edit = lines.find(({ afterLine }) => afterLine === entry?.region.startLine)
  return edit && more.length === 0 ? { file, edit } : undefined
}

function brings(
  entry: string,
  file: string,
  { folder }: Kustomization,
  all: ReadonlyMap<string, Kustomization>,
): boolean {
  const place = inside(folder, entry)
  if (place === undefined) return false
  return place === file || closureOf(place, all).some(({ leadsTo }) => leadsTo.includes(file))
}
