import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import type { Change } from '../manifest/change'
import { type Manifest, nameOf } from '../manifest/manifest'
import { type Region, startOf } from '../region'

/**
 * The last of duplicate keys counts, which is rarely what both authors intended.
 *
 * @param earlier objects of the base: what a template of theirs writes twice is no news in another release of it
 */
export function duplicateKeys(
  changes: readonly Change[],
  earlier: readonly Manifest[],
  whole: readonly Manifest[],
): Finding[] {
  const templates = new Set(earlier.flatMap((manifest) => keysOfTemplate(manifest)))
  const judged = [
    ...whole.map((after) => ({ after, before: undefined })),
    ...changes.flatMap((change) => {
      if (change.kind === 'removed') return []
      return [{ after: change.after, before: change.kind === 'changed' ? change.before : undefined }]
    }),
  ]
  return judged.flatMap(({ after, before }) => {
    const [first] = after.object.duplicateKeys
    if (!first) return []
    const keys = [...new Set(after.object.duplicateKeys.map(({ key }) => key))]
    const known = new Set(before?.object.duplicateKeys.map(({ key }) => key))
    const ofTemplate = keysOfTemplate(after)
    const isKnown =
      keys.every((key) => known.has(key)) || (ofTemplate.length > 0 && ofTemplate.every((key) => templates.has(key)))
    return gateFinding('source/duplicate-key', 'duplicate', 'warning', {
      side: 'head',
      path: after.origin.path,
      ...writtenAt(after, first.region),
      object: after.ref,
      keys,
      status: whole.length > 0 || isKnown ? 'existing' : 'introduced',
      text: duplicateText(nameOf(after.ref), keys),
    })
  })
}

/** The keys that the template of an object writes twice, each with the template's path in the chart that has it. */
function keysOfTemplate({ origin, object }: Manifest): string[] {
  if (origin.kind === 'file' || origin.template === '') return []
  const path = origin.template.split('/charts/').at(-1)
  return object.duplicateKeys.map(({ key }) => JSON.stringify([path, key]))
}

/** The statement on keys that an object has twice. */
export function duplicateText(
  object: string,
  keys: readonly string[],
  outcome = 'only the last one takes effect',
): string {
  const shown = `${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ` and ${keys.length - 5} more` : ''}`
  return `${object} has ${keys.length > 1 ? 'keys' : 'the key'} ${shown} more than once in one map, and ${outcome}. Merge them, or add the missing --- between two documents.`
}

/** The line on which an object is written, or rendered. */
function writtenAt({ origin, object, ref }: Manifest, region: Region) {
  if (origin.kind === 'file') return { region, fileText: object.lines }
  const { id, template, source } = origin
  return {
    region: startOf(1),
    sources: [{ ...source, cluster: '' }],
    rendered: { id, template, text: object.fileText, line: region.startLine, object: ref, keys: [] },
  }
}
