import type { Finding } from '../../finding/report'
import type { Witness } from '../../ledger/entry'
import type { Files } from '../../revision/files'
import { objectsAccount } from './judged-as'
import { isOfPatch } from './patched-elsewhere'

/** The plain files of both sides that differ, as they were read. */
interface PlainFiles {
  readonly before: Files
  readonly after: Files
}

/** Files at which a finding states already that they could not be read or rendered. */
export function reported(findings: readonly Finding[]): Witness {
  const places = new Map(
    findings
      .filter(({ rule, level, status }) => isOfGaps(rule) && level !== 'notice' && status === 'introduced')
      // A template that asks for no API of any cluster renders all the same.
      .filter(({ message }) => message !== 'api')
      .sort((a, b) => Number(isOfPatch(b)) - Number(isOfPatch(a)))
      .flatMap((finding) => filesOf(finding).map((file) => [file, finding])),
  )
  return (file) => {
    const finding = places.get(file)
    if (!finding) return undefined
    if (isOfPatch(finding))
      return { state: 'judged', reason: 'the removals of this patch from an object from elsewhere are judged' }
    const reason = finding.text.replace(/(?<=\S)\.\s.*$|\.$/s, '')
    return { state: 'not-judged', cause: finding.message, reason: lower(reason), reported: true }
  }
}

/** The file of a finding, and the others that it is about. */
function filesOf({ location, sources }: Finding): string[] {
  return [location.path, ...sources.flatMap((one) => (one.kind === 'file' ? one.path : []))]
}

/** Whether a rule reports unread or unrendered files. */
export function isOfGaps(rule: string): boolean {
  return rule === 'source/unreadable' || rule === 'source/unrendered'
}

/** Plain files that cannot be read, or that another tool than the helm of a chart in this repository fills in. */
export function unreadable({ before, after }: PlainFiles, rendered: ReadonlySet<string>): Witness {
  return (file) => {
    const now = after.loaded.get(file) ?? (after.missing.has(file) ? undefined : before.loaded.get(file))
    const missing = after.missing.get(file) ?? (now ? undefined : before.missing.get(file))
    if (missing !== undefined) return { state: 'not-judged', cause: 'unreadable', reason: missing }
    if (!now?.kubernetes) return undefined
    // Files that were as unreadable before are not caused by this change.
    const old = before.loaded.get(file)
    const known = new Set(
      now === old ? [] : [...(old?.templates ?? []), ...(old?.unreadable ?? []).map(({ content }) => content)],
    )
    const first = now.unreadable.find(({ content }) => !known.has(content))
    if (first) return { state: 'not-judged', cause: 'unreadable', reason: first.reason }
    if (rendered.has(file) || now.templates.every((content) => known.has(content))) return undefined
    return { state: 'not-judged', cause: 'template', reason: 'it is a template, which another tool fills in' }
  }
}

/** Plain files with objects. */
export function plainObjects({ before, after }: PlainFiles): Witness {
  return (file) => objectsAccount([before, after].flatMap(({ loaded }) => loaded.get(file)?.objects ?? []))
}

/** A sentence as a part of another one. */
export function lower(text: string): string {
  return /^[A-Z][a-z]/.test(text) && !/^\w+ \S+\/\S/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
