import { append } from '../../append'
import { gateFinding } from '../../finding/gate-finding'
import type { Finding, Skipped } from '../../finding/report'
import type { RenderedSide } from '../../sides/rendered-side'
import type { RemoteEntry } from '../../sources/kustomization'
import { faultInWords, networkLine } from '../entries-not-fetched'
import { isKnown, withoutVersion } from '../known-remotes'
import { statement } from './statement'

/**
 * Lists the remote entries of Kustomizations that are not fetched. A place that the base uses already is listed; a new
 * one is an error, because its objects are unknown. Remote data files are listed: they create no objects.
 */
export function remoteParts(
  after: readonly RenderedSide[],
  knownRemotes: readonly string[] | undefined,
): { findings: Finding[]; skipped: Skipped[] } {
  const sides = new Map<string, RenderedSide[]>()
  for (const side of after) for (const entry of side.remote) append(sides, JSON.stringify(entry), side)
  const entries = byText(after.flatMap(({ remote }) => remote))
  const isNew = ({ text }: RemoteEntry) => knownRemotes !== undefined && !isKnown(text, knownRemotes)
  const findings = entries.filter(isNew).map((entry) =>
    gateFinding('source/unrendered', 'remote', 'error', {
      ...statement(sides.get(JSON.stringify(entry)) ?? [], entry.path, false),
      region: entry.region,
      keys: [entry.path, withoutVersion(entry.text)],
      text: `It uses ${entry.text}, which is not in this repository${faultInWords(entry.fault)}; copy it into this repository and name the copy${orTrust(entry)}.`,
    }),
  )
  const data = byText(after.flatMap((side) => side.data))
  return { findings, skipped: [...data, ...entries.filter((entry) => !isNew(entry))].map(notHere) }
}

/** Entries without repetitions. */
function byText(entries: readonly RemoteEntry[]): RemoteEntry[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

function notHere({ path, text, fault }: RemoteEntry): Skipped {
  const reason = `it uses ${text}, which is not in this repository${faultInWords(fault)}`
  return { path, reason, cause: 'remote-entry' }
}

function orTrust(entry: RemoteEntry): string {
  const line = entry.fault?.cause === 'place-new' ? networkLine(entry) : undefined
  return line ? `, or first merge ${line} into the config of this gate to have it fetched` : ''
}
