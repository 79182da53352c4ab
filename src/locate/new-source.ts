import type { Finding, Location } from '../finding/report'
import type { Gathered } from '../pipeline/opening/scope'
import { closureOf, inside, type Kustomization } from '../sources/kustomization'
import type { KustomizeSource, Source } from '../sources/source'
import type { Cause, ChangedFile } from './cause'
import { linesOf } from './edits'

/**
 * The line that brings the object of a finding in a Kustomization that the change adds: the object's own, if its file is
 * new too, or else the entry that includes it. If the change edits nothing else that the object is made of, no trial is
 * needed to know it.
 *
 * @param written the place that the object comes from
 * @param files the changed files that the object may be made of
 */
export function causeInNewSource(
  finding: Finding,
  written: Location,
  files: readonly ChangedFile[],
  { base, head }: Gathered['sides'],
): Cause | undefined {
  const { sources, kustomizations } = head.discovery
  const ids = new Set([finding.location, ...finding.related].flatMap(({ rendered }) => rendered?.id ?? []))
  const built = sources.filter(({ id }) => ids.has(id))
  const [root, ...otherRoots] = new Set(built.map((source) => (isNew(source, base) ? source.root : undefined)))
  const own = otherRoots.length === 0 ? kustomizations.get(root ?? '') : undefined
  const file = files.find(({ path }) => path === own?.file)
  if (!own || !file || file.before !== undefined) return undefined
  const defining = built.flatMap(({ declaredAt, definitionFiles = [] }) => [declaredAt.path, ...definitionFiles])
  if (files.some(({ path, before }) => before !== undefined && !defining.includes(path))) return undefined
  const holder = files.find(({ path }) => path === written.path)
  if (holder && holder !== file) return lineOf(holder, written.region.startLine)
  // What it changes in the objects that it includes may be the cause.
  if (!own.onlyTakesIn) return undefined
  const [entry, ...more] =
    own.includes.length === 1
      ? own.includes
      : own.includes.filter(({ text }) => brings(text, written.path, own, kustomizations))
  return entry && more.length === 0 ? lineOf(file, entry.region.startLine) : undefined
}

function lineOf(file: ChangedFile, line: number): Cause | undefined {
  const edit = file.text?.edits.flatMap(linesOf).find(({ afterLine }) => afterLine === line)
  return edit && { file, edit }
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
