import { append } from '../append'
import type { ReleaseElsewhere } from '../deployers/common/file-deployments'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { abridged } from '../listing'
import type { Region } from '../region'
import type { SideOfChange } from '../sides/side'
import { nameOfSource, type Source } from '../sources/source'
import { lineFor } from './entries-not-fetched'

/** The number of releases that one finding names. */
const most = 20

/** The place that shows why a release cannot be rendered. */
interface Cause {
  readonly path: string
  readonly region: Region
  readonly reason: string
  /** The reason for several releases. */
  readonly reasonOfMany: string
  /** A further sentence. */
  readonly remedy?: string
  /** Equal for what one edit solves. */
  readonly key: string
}

interface OutOfSight {
  readonly source: Source
  readonly cause: Cause
}

/**
 * Releases of Fleet and helmfile that were rendered at the base, are still declared, and cannot be rendered at the
 * head.
 */
export function releasesOutOfSight(base: SideOfChange, head: SideOfChange): Finding[] {
  const groups = new Map<string, OutOfSight[]>()
  for (const one of outOfSight(base, head)) append(groups, one.cause.key, one)
  return [...groups.values()].flatMap(findingOf)
}

/** The ids of such releases, whose objects are unknown at the head. */
export function idsOutOfSight(base: SideOfChange, head: SideOfChange): ReadonlySet<string> {
  return new Set(outOfSight(base, head).map(({ source }) => source.id))
}

function outOfSight(base: SideOfChange, head: SideOfChange): OutOfSight[] {
  const present = new Set(head.discovery.sources.map(({ id }) => id))
  const gone = base.discovery.sources.filter(({ id }) => /^(?:fleet|helmfile):/.test(id) && !present.has(id))
  return gone.flatMap((source) => {
    const cause = causeIn(head, base, source)
    return cause ? [{ source, cause }] : []
  })
}

function findingOf(group: readonly OutOfSight[]): Finding[] {
  const [first] = group
  if (!first) return []
  const { path, region, reason, reasonOfMany, remedy = '' } = first.cause
  const names = [...new Set(group.map(({ source }) => shortName(source)))]
  const files = [...new Set(group.map(({ cause }) => cause.path))]
  const isOne = names.length === 1
  const which = isOne ? `${nameOfSource(first.source)} deploys` : `${names.length} releases deploy`
  const why = isOne ? reason : reasonOfMany
  const all = isOne ? '' : ` The releases are ${abridged(names, most)}.`
  return [
    gateFinding('source/unrendered', 'out-of-sight', 'error', {
      side: 'head',
      path,
      region,
      status: 'introduced',
      keys: [...files, why],
      sources: files.map((file) => ({ kind: 'file', path: file, cluster: '' })),
      text: `The objects that ${which} can no longer be rendered, so this change to them cannot be checked: ${why}.${all}${remedy}`,
    }),
  ]
}

function shortName(source: Source): string {
  return source.kind === 'helm' ? `${source.namespace}/${source.release}` : nameOfSource(source)
}

function causeIn(head: SideOfChange, base: SideOfChange, source: Source): Cause | undefined {
  const { releases, unread } = head.discovery.fileDeployments
  const file = source.declaredAt.path
  // A helmfile that becomes a template gets another ending.
  const paths = [file, `${file}.gotmpl`]
  const name = source.kind === 'helm' ? source.release : undefined
  const remote = releases.find((one) => paths.includes(one.path) && one.name === name)
  if (remote) return causeElsewhere(remote, base)
  const before = base.discovery.fileDeployments.unread
  const known = new Set(before.map(({ reason }) => reason))
  // Its environment is gone: in the others it is rendered, as far as it was.
  const isRendered = head.discovery.sources.some(
    (one) => one.kind === 'helm' && one.release === name && paths.includes(one.declaredAt.path),
  )
  if (isRendered && before.some(({ path, names }) => path === file && names?.includes(name ?? ''))) return undefined
  const cause = unread.find(
    ({ path, release, names, reason }) =>
      paths.includes(path) &&
      (release === undefined || release === name) &&
      // A template that lists the releases that are not judged has no other.
      (!names?.length || names.includes(name ?? '')) &&
      !known.has(reason),
  )
  if (!cause) return undefined
  const { path, region, reason } = cause
  return { path, region, reason, reasonOfMany: reason, key: JSON.stringify([path, reason]) }
}

/** One repository of charts is one cause, whatever releases move to it. */
function causeElsewhere({ path, chart, repository, object: { region } }: ReleaseElsewhere, base: SideOfChange): Cause {
  const isNamed = repository !== '' && repository !== chart
  const isNew = isNamed && !base.discovery.fileDeployments.places.has(repository)
  return {
    path,
    region,
    reason: `the chart ${chart}${isNamed ? ` from ${repository}` : ''} is not in this repository`,
    reasonOfMany: isNamed
      ? `their charts from ${repository} are not in this repository`
      : `their chart ${chart} is not in this repository`,
    remedy: isNew
      ? ` To have it judged, first merge ${lineFor('charts', repository)} into the config of this gate; or keep the chart in this repository.`
      : ' To have it judged, keep the chart in this repository.',
    key: JSON.stringify(['elsewhere', isNamed ? repository : chart]),
  }
}
