import type { Finding } from '../finding/report'
import type { Gathered } from '../pipeline/opening/scope'
import { closureOf, inside, type Kustomization } from '../sources/kustomization'
import type { KustomizeSource, Source } from '../sources/source'
import { type Cause, type ChangedFile, causeAtLine } from './cause'

/**
 * The entry of a Kustomization that the change adds which brings in the object of a finding. If the change edits nothing
 * else that the object is made of, and the Kustomization changes nothing in what it includes, no trial is needed to know
 * it.
 *
 * @param writtenIn the file that the object comes from
 * @param files the changed files that the object may be made of
 */
export function entryThatBrings(
  finding: Finding,
  writtenIn: string,
  files: readonly ChangedFile[],
  { base, head }: Gathered['sides'],
): Cause | undefined {
  const { sources, kustomizations } = head.discovery
  const ids = new Set([finding.location, ...finding.related].flatMap(({ rendered }) => rendered?.id ?? []))
  const built = sources.filter(({ id }) => ids.has(id))
  const [root, ...otherRoots] = new Set(built.map((source) => (isNew(source, base) ? source.root : undefined)))
  const own = otherRoots.length === 0 ? kustomizations.get(root ?? '') : undefined
  const file = files.find(({ path }) => path === own?.file)
  if (!own?.onlyTakesIn || !file || file.before !== undefined) return undefined
  const defining = built.flatMap(({ declaredAt, definitionFiles = [] }) => [declaredAt.path, ...definitionFiles])
  if (files.some(({ path, before }) => before !== undefined && !defining.includes(path))) return undefined
  const [entry, ...more] =
    own.includes.length === 1
      ? own.includes
      : own.includes.filter(({ text }) => brings(text, writtenIn, own, kustomizations))
  return entry && more.length === 0 ? causeAtLine(file, entry.region.startLine) : undefined
}

/** Whether a Kustomization is built in no place of the base, and what declares it lays nothing over it. */
function isNew(source: Source, base: Gathered['sides']['base']): source is KustomizeSource {
  if (source.kind !== 'kustomize' || source.overlay !== undefined || (source.components ?? []).length > 0) return false
  return !base?.discovery.sources.some(({ id }) => id === (source.baseSourceId ?? source.id))
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
