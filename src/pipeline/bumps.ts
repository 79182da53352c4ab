import path from 'node:path/posix'
import { parseDocument } from 'yaml'
import { type Bump, sortBumps } from '../finding/bump'
import { type BroughtRow, broughtBy } from '../kubernetes/versions/brought'
import { shortened } from '../listing'
import { Manifest, type Side } from '../manifest/manifest'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import type { HelmSource } from '../sources/source'
import type { Sides } from './opening/open-sides'
import { pairsOf } from './opening/read-in-part'
import type { ChangedRenderings } from './render-changed'

/** A person reads no more; the rest is counted. */
const most = { rows: 100, words: 12, letters: 240 }

/** The changes that new versions of charts bring to their releases, each once for all clusters. */
export async function bumpsIn(
  { base, head }: Sides,
  { before, after }: Pick<ChangedRenderings, 'before' | 'after'>,
): Promise<Bump[]> {
  if (!base) return []
  const found = await Promise.all(
    pairsOf(before, after).map(async (pair) => {
      const [was, is] = [pair.before && releaseOf(pair.before), pair.after && releaseOf(pair.after)]
      if (!was || !is || !pair.before || !pair.after) return []
      const [from, to] = await Promise.all([versionOf(was, base), versionOf(is, head)])
      return from !== to && from !== '' && to !== '' ? [bumpOf(is, { from, to }, pair.before, pair.after)] : []
    }),
  )
  return sortBumps(found.flat())
}

/** The release of a side that is rendered whole, as a cluster is assumed to answer. */
function releaseOf({ source, failure, partial }: RenderedSide): HelmSource | undefined {
  const isWhole = failure === undefined && partial === undefined && source.origin !== 'probed'
  return isWhole && source.kind === 'helm' && !source.id.startsWith('answered:') ? source : undefined
}

async function versionOf({ chart, fetched }: HelmSource, { checkout }: SideOfChange): Promise<string> {
  if (fetched) return fetched.version
  const text = await checkout.text(path.join(chart, 'Chart.yaml'))
  const version = text === undefined ? undefined : parseDocument(text, { logLevel: 'silent' }).get('version')
  return version === undefined || version === null ? '' : String(version)
}

function bumpOf(
  { chart, fetched, release, namespace, declaredAt }: HelmSource,
  versions: Pick<Bump, 'from' | 'to'>,
  before: RenderedSide,
  after: RenderedSide,
): Bump {
  const rows = broughtBy(manifestsIn(before, 'base'), manifestsIn(after, 'head'))
  return {
    chart: fetched?.chart ?? chart,
    ...(fetched ? { repository: fetched.repository } : {}),
    release,
    namespace,
    ...versions,
    path: fetched?.at.path ?? declaredAt.path,
    rows: rows.slice(0, most.rows).map(readable),
    more: Math.max(0, rows.length - most.rows),
  }
}

function manifestsIn({ objects }: RenderedSide, side: Side): Manifest[] {
  return objects.map(({ object, origin }) => new Manifest(object, side, origin, []))
}

function readable({ goes, comes, ...row }: BroughtRow): BroughtRow {
  const cut = (words: readonly string[]) =>
    shortened(words, most.words).map((one) => (one.length > most.letters ? `${one.slice(0, most.letters)}…` : one))
  return { ...row, goes: cut(goes), comes: cut(comes) }
}
