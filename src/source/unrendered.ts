import { type Manifest, nameOf } from '../manifest/manifest'
import { gateFinding } from '../report/gate-finding'
import type { Finding } from '../report/report'
import { described, type RenderedSide } from './side'
import { nameOfSource, type Source } from './source'
import type { Skipped } from './tree'

interface Renderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
  /** Sources that this change does not reach. */
  readonly rest: readonly RenderedSide[]
  /** Objects of the base of which it is not known whether the head has them. */
  readonly unknown: readonly Manifest[]
  readonly whole: boolean
}

/** `source/unrendered` for what could not be rendered, once for all the sources that fail in one way at one place. */
export function unrendered({ before, after, rest, unknown, whole }: Renderings): {
  findings: Finding[]
  skipped: Skipped[]
} {
  const findings: Finding[] = []
  const skipped: Skipped[] = []
  const was = new Map(before.map((side) => [side.source.id, side]))
  const missing = after.filter(({ failure }) => failure?.missing)
  if (missing.length > 0) findings.push(...withoutTool(missing, whole))
  for (const side of after) {
    const { source, failure } = side
    if (!failure || failure.missing) {
      for (const { path, reason } of side.unreadable) findings.push(unreadable(side, path, reason, whole))
      continue
    }
    const old = was.get(source.id)
    // A chart that nobody is known to install may need values that only its users have.
    if (source.known === 'discovered' && source.kind === 'helm' && (!old || old.failure)) {
      skipped.push({ path: failure.path, reason: `${nameOfSource(source)}: ${failure.reason}` })
      continue
    }
    const lost = unknown.filter(({ origin }) => origin.kind === 'rendered' && origin.id === source.id)
    const names = lost.slice(0, 3).map(({ ref }) => nameOf(ref))
    const more = lost.length > 3 ? ` and ${lost.length - 3} more` : ''
    const fate = lost.length > 0 ? ` What becomes of ${names.join(', ')}${more} is not known.` : ''
    const same = !failure.ended && old?.failure?.reason === failure.reason
    findings.push(
      gateFinding('source/unrendered', 'unrendered', 'error', {
        ...statement(source, failure.path, whole || same),
        region: failure.region,
        keys: [failure.path, failure.reason],
        text: `${upper(failure.reason)}.${fate}`,
      }),
    )
  }
  const rendered = new Set(after.filter(({ failure }) => !failure).map(({ source }) => source.id))
  for (const { source, failure } of before) {
    if (!failure || failure.missing || !rendered.has(source.id)) continue
    findings.push(
      gateFinding('source/unrendered', 'base', 'notice', {
        ...statement(source, failure.path, false),
        side: 'base',
        region: failure.region,
        keys: [failure.path],
        text: `At the base, ${lower(failure.reason)}. So what the head renders was judged as if it were new, and what it no longer renders could not be seen.`,
      }),
    )
  }
  for (const { source, failure } of rest) {
    if (failure) skipped.push({ path: failure.path, reason: `${nameOfSource(source)}: ${failure.reason}` })
  }
  return { findings, skipped }
}

function withoutTool(missing: readonly RenderedSide[], whole: boolean): Finding[] {
  const byTool = new Map<string, RenderedSide[]>()
  for (const side of missing) {
    const tool = side.failure?.missing ?? ''
    byTool.set(tool, [...(byTool.get(tool) ?? []), side])
  }
  return [...byTool].flatMap(([tool, sides]) => {
    const { source, failure } = sides[0] as RenderedSide
    if (!failure) return []
    const more = sides.length > 1 ? `, nor ${sides.length - 1} more` : ''
    return gateFinding('source/unrendered', 'tool', 'error', {
      ...statement(source, failure.path, whole),
      region: failure.region,
      keys: [tool],
      text: `${upper(nameOfSource(source))} could not be judged${more}: ${failure.reason}.`,
    })
  })
}

function unreadable({ source }: RenderedSide, path: string, reason: string, whole: boolean): Finding {
  return gateFinding('source/unrendered', 'unreadable', 'error', {
    ...statement(source, path, whole),
    region: { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
    keys: [path, reason],
    text: `What this renders to cannot be read: ${reason}.`,
  })
}

function statement(source: Source, path: string, existing: boolean) {
  const cluster = 'cluster' in source.target ? source.target.cluster : ''
  return {
    side: 'head' as const,
    path,
    status: existing ? ('existing' as const) : ('introduced' as const),
    sources: [{ ...described(source), cluster }],
  }
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
