import { createHash } from 'node:crypto'
import { valuedKinds } from '../kubernetes/charts/chart-release'
import { withoutHash } from '../kubernetes/object/generated-name'
import type { Cursor } from '../manifest/cursor'
import type { Hunks } from '../manifest/hunks'
import type { Lines } from '../manifest/lines'
import { groupKindOf, identityOf, type Manifest, nameOf, type Side } from '../manifest/manifest'
import type { ActiveRule } from '../policy/policy'
import type { Level } from '../policy/schema'
import { startOf } from '../region'
import type { Fix } from '../rule/rule'
import { excerptOf } from './excerpt'
import type { Finding, Location, Status } from './report'

/** A rule's finding before the engine adds status, primary end and exception. */
export interface RawFinding {
  readonly active: ActiveRule
  readonly message: string
  readonly text: string
  readonly level: Level
  readonly cluster: string
  readonly ends: readonly Cursor[]
  readonly keys: readonly string[]
  readonly fix?: Fix | undefined
  /** The value of a chart that decides it. */
  readonly value?: string | undefined
  /** Equal for statements that are the same although their objects have other names. */
  readonly subject?: string | undefined
}

/** Identifies a finding without its keys: the same rule and message for the same objects in the same cluster. */
export function statementOf({ active, message, cluster, ends }: RawFinding): string {
  const identities = ends.map((end) => lastingIdentityOf(end.manifest)).sort()
  return JSON.stringify([active.rule.id, message, cluster, identities])
}

/** The identity of an object without the hash of its content, which each edit changes. */
function lastingIdentityOf({ ref, origin }: Manifest): string {
  const isMade = origin.kind === 'rendered' && origin.source.kind === 'kustomize'
  if (!isMade || !['ConfigMap', 'Secret'].includes(groupKindOf(ref))) return identityOf(ref)
  return identityOf({ ...ref, name: withoutHash(ref.name) })
}

/** Equal for the same statement at any line, in any file, on any day. */
export function fingerprintOf(draft: RawFinding): string {
  const statement = JSON.stringify([statementOf(draft), [...draft.keys].sort()])
  return createHash('sha256').update(statement).digest('hex').slice(0, 32)
}

/** The facts about a change that decide where its findings are placed. */
export interface Placing {
  touched(manifest: Manifest): boolean
  /** The hunks of a changed file; undefined for an unchanged file, or one that is on one side only. */
  hunks(path: string): Hunks | undefined
  /** Whether a file is new in this change. */
  isNew(path: string): boolean
  /** Whether this change deletes a file. */
  isDeleted(path: string): boolean
  /** The edit that puts an object back that is gone. */
  restoring(removed: Manifest): Fix | undefined
}

/** Places a draft: at the first end this change wrote, else at the rule's first; the other ends are related. */
export function findingOf(draft: RawFinding, status: Status, placing: Placing): Finding {
  const primary = draft.ends.find((end) => placing.touched(end.manifest)) ?? (draft.ends[0] as Cursor)
  const others = draft.ends.filter((end) => end !== primary)
  const written = writtenAt(primary)
  const { side, origin } = written.manifest
  const deleted =
    side === 'base' && origin.kind === 'file' && placing.isDeleted(origin.path)
      ? 'this change deletes the file'
      : undefined
  const location = decidedBy(draft.value, locationOf(primary, placing, deleted))
  return {
    rule: draft.active.rule.id,
    message: draft.message,
    text: draft.text,
    level: draft.level,
    status,
    policy: draft.active.policy,
    cluster: draft.cluster,
    object: primary.manifest.ref,
    objects: draft.ends.map((end) => end.manifest.ref),
    sources: [{ ...(origin.kind === 'file' ? origin : origin.source), cluster: draft.cluster }],
    location,
    related: [
      ...others.map((end) => locationOf(end, placing, nameOf(end.manifest.ref))),
      ...removalOf(location, placing),
    ],
    keys: draft.keys,
    ...(origin.kind === 'rendered' ? { rendered: excerptOf(written.manifest.object.lines, written.region) } : {}),
    ...fixOf(draft, primary, placing),
    fingerprint: fingerprintOf(draft),
  }
}

function fixOf({ fix, ends, active: { rule } }: RawFinding, primary: Cursor, placing: Placing): Pick<Finding, 'fix'> {
  // A fix edits a file that people write, so rendered objects have none.
  if (fix && ends.every((end) => end.manifest.origin.kind === 'file')) return { fix }
  const isRemoval =
    primary.manifest.side === 'base' && primary.path.length === 0 && ['change', 'removal'].includes(rule.scope)
  const restored = isRemoval ? placing.restoring(primary.manifest) : undefined
  return restored ? { fix: restored } : {}
}

function decidedBy(value: string | undefined, location: Location): Location {
  const { rendered } = location
  return value && rendered ? { ...location, rendered: { ...rendered, value } } : location
}

/** A value of an assumed object is written somewhere else. */
function writtenAt(cursor: Cursor): Cursor {
  return cursor.manifest.assumption?.writtenAt(cursor.path) ?? cursor
}

function locationOf(end: Cursor, placing: Placing, note?: string): Location {
  const cursor = writtenAt(end)
  const { side, origin, object, ref } = cursor.manifest
  const { region } = cursor
  if (origin.kind === 'file') {
    // For a release that is not rendered, only the values were read.
    const precision = valuedKinds.includes(groupKindOf(ref)) ? 'values' : 'exact'
    return { ...place(side, origin.path, region, object.lines, placing, note), precision }
  }
  return {
    side,
    path: origin.path,
    region: startOf(1),
    precision: 'file',
    ...(note ? { note } : {}),
    rendered: {
      id: origin.id,
      template: origin.template,
      text: object.fileText,
      line: region.startLine,
      object: ref,
      keys: cursor.path,
      ...(origin.unbuilt && origin.unbuilt !== 'reduced' ? { isWritten: true as const } : {}),
    },
  }
}

function place(
  side: Side,
  path: string,
  region: Location['region'],
  lines: Lines,
  placing: Placing,
  note?: string,
): Location {
  const changed = side === 'head' && (placing.isNew(path) || placing.hunks(path)?.wrote(region.startLine) === true)
  return {
    side,
    path,
    region,
    precision: 'exact',
    ...(note ? { note } : {}),
    excerpt: excerptOf(lines, region),
    changed,
  }
}

/** For an object of the base: the line of the head that removed it, if the file is still there. */
function removalOf({ side, path, region, precision }: Location, placing: Placing): Location[] {
  const line = side === 'base' && precision !== 'file' ? placing.hunks(path)?.removalOf(region) : undefined
  if (line === undefined) return []
  return [{ side: 'head', path, region: startOf(line), precision: 'exact', note: 'removed here', changed: true }]
}

/** Findings of one rule and message whose cause is the same place are one finding with all its sources. */
export function mergeByPlace(findings: readonly Finding[]): Finding[] {
  return grouped(findings, placeOf).map((group) => {
    const [first] = group
    if (group.length === 1) return first
    const more = new Set(group.map(({ text }) => text)).size - 1
    const { fix: _, ...shown } = first
    return {
      ...shown,
      text:
        more > 0
          ? `${first.text} The same applies in ${more} more ${more === 1 ? 'case' : 'cases'} (see the related places).`
          : first.text,
      likewise: unique([...(first.likewise ?? []), ...group.slice(1).flatMap(({ object }) => object ?? [])]),
      objects: unique(group.flatMap(({ objects }) => objects)),
      sources: unique(group.flatMap(({ sources }) => sources)),
      related: unique(group.flatMap(({ related }) => related)).filter(({ side, path, region }) => {
        const { location } = first
        return side !== location.side || path !== location.path || region.startLine !== location.region.startLine
      }),
      keys: unique(group.flatMap(({ keys }) => keys)),
      ...consequencesOf(group),
      ...fixesOf(group),
    }
  })
}

/** The edits of all findings together; with a part of them the finding would stay. */
function fixesOf(group: readonly Finding[]): { fix?: Fix } {
  const edits = group.flatMap(({ fix }) => fix?.edits ?? [])
  return group.every(({ fix }) => fix) ? { fix: { edits: unique(edits) } } : {}
}

/** The statements of the findings that these lead, once for each message. */
function consequencesOf(group: FindingGroup): Pick<Finding, 'also'> {
  const all = group.flatMap(({ also = [] }) => also)
  const also = [...new Map(all.toReversed().map((one) => [`${one.rule} ${one.message}`, one])).values()].reverse()
  return also.length > 0 ? { also } : {}
}

function placeOf({
  rule,
  message,
  status,
  level,
  location,
  exception,
  expired,
  object,
  objects,
  text,
}: Finding): string {
  return JSON.stringify([
    rule,
    message,
    status,
    level,
    location.side,
    location.path,
    location.region,
    // If only the file is known, the findings may have different lines.
    location.precision === 'file' ? objects : [],
    exception ?? expired,
    // Findings of the gate without an object are about a file: two texts are two findings.
    object ? '' : text,
  ])
}

/** A change of several copies of one object is reported once; the other copies are related places. */
export function mergeCopies(findings: readonly Finding[]): Finding[] {
  return grouped(findings, ({ fingerprint }) => fingerprint).map((group) => {
    const [first, ...copies] = group
    if (copies.length === 0) return first
    return {
      ...first,
      sources: unique(group.flatMap(({ sources }) => sources)),
      related: unique([
        ...first.related,
        ...copies.flatMap(({ location, related }) => [{ ...location, note: 'and its copy' }, ...related]),
      ]),
    }
  })
}

type FindingGroup = readonly [Finding, ...Finding[]]

/** Groups findings by a common key, in the order of their first ones. */
function grouped(findings: readonly Finding[], by: (finding: Finding) => string): FindingGroup[] {
  const groups = new Map<string, [Finding, ...Finding[]]>()
  for (const finding of findings) {
    const key = by(finding)
    const group = groups.get(key)
    if (group) group.push(finding)
    else groups.set(key, [finding])
  }
  return [...groups.values()]
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
}
