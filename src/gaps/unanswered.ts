import { gateFinding } from '../finding/gate-finding'
import type { Finding, Skipped } from '../finding/report'
import { touchedIn } from '../ledger/touched-keys'
import { lineRegion } from '../render/tools/rendering'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { type DeclarationSite, nameOfSource, placeOf, type Source } from '../sources/source'

/** A release that the head does not render with some answer of the cluster. */
export interface Unanswered {
  readonly side: RenderedSide
  /** In a few words: `lookup finds objects`. */
  readonly answer: string
  /** Whether the base renders it with the same answer, or asks nothing. */
  readonly isNew: boolean
  /** Helm's message, if it has one. */
  readonly reason?: string | undefined
  /** Whether it renders in no cluster that was tried. */
  readonly isEverywhere?: boolean
}

/**
 * Reports `source/unrendered` for releases that no longer render with an answer of the cluster: their objects there are
 * unknown. Those that did not render at the base are listed.
 */
export async function unansweredReleases(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  all: readonly Unanswered[],
): Promise<{ readonly findings: Finding[]; readonly skipped: Skipped[] }> {
  const findings = new Map<string, Finding>()
  const skipped = new Map<string, Skipped>()
  // One answer may be refused in several clusters; the last one with helm's message counts.
  for (const one of [...all].sort((a, b) => Number(a.reason !== undefined) - Number(b.reason !== undefined))) {
    const { side, answer, isNew } = one
    const { source } = side
    const at = await lineOfChange(base, head, source, changed)
    const release = nameOfSource(source)
    const key = JSON.stringify([at.path, release, answer])
    if (isNew) findings.set(key, finding(at, release, one, (await head.checkout.text(at.path)) ?? ''))
    else
      skipped.set(key, {
        path: at.path,
        reason: `${release} does not render where ${answer}, so it is judged without that answer`,
        cause: 'answer-refused',
      })
  }
  return { findings: [...findings.values()], skipped: [...skipped.values()] }
}

function finding(
  at: DeclarationSite,
  release: string,
  { answer, reason, isEverywhere }: Unanswered,
  fileText: string,
): Finding {
  const said = reason ? `Helm reports: ${reason.replace(/\.$/, '')}. ` : ''
  const advice = `${said ? 'Fix that, or write' : 'Write'} the templates so that they render with each answer to \`lookup\`, \`.Release.Revision\`, \`.Capabilities\` and random functions, or remove the condition that this change adds.`
  return gateFinding('source/unrendered', 'answer', 'error', {
    side: 'head',
    ...at,
    status: 'introduced',
    keys: [release, answer],
    fileText,
    text: isEverywhere
      ? `After this change, helm prints ${release}, but can neither install nor upgrade it in any cluster that was tried: its deployment fails. ${said}Make it render for a cluster: \`helm upgrade --install --dry-run=server\` tries it.`
      : `After this change, helm cannot render ${release} where ${answer}: its objects in such a cluster are unknown, and a condition on the cluster can remove any of them. ${said}${advice}`,
  })
}

/** The first line that a change touches of a release's chart; without one, the line that declares the release. */
async function lineOfChange(
  base: SideOfChange,
  head: SideOfChange,
  source: Source,
  changed: ReadonlySet<string>,
): Promise<DeclarationSite> {
  const path = [...changed].sort().find((file) => file.startsWith(`${placeOf(source)}/`) && head.checkout.has(file))
  if (path === undefined) return (source.kind === 'helm' && source.fetched?.at) || source.declaredAt
  const [before, after] = [
    base.checkout.has(path) ? await base.checkout.text(path) : undefined,
    await head.checkout.text(path),
  ]
  const { side, line } = touchedIn(before, after)
  return { path, region: lineRegion(side === 'head' ? line : 1) }
}
