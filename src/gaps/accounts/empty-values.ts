import type { Skipped } from '../../finding/report'
import type { LedgerEntry } from '../../ledger/entry'
import type { SideOfChange } from '../../sides/side'

const noValues = 'no-values'

/** Causes by which the values of a chart from elsewhere are not judged. A template of a tool can ask whether a file is there. */
const ofCharts = new Set([
  'chart-elsewhere',
  'place-new',
  'place-unreachable',
  'place-denied',
  'place-refused',
  'version-missing',
  'content-invalid',
  'content-too-large',
])

/** Accounts for the values files that have no values on either side: there is no effect to judge. */
export function withoutEmptyValues(
  entries: readonly LedgerEntry[],
  sides: readonly SideOfChange[],
): Promise<LedgerEntry[]> {
  return Promise.all(
    entries.map(async (entry) => {
      const { path, change, cause = '', reported } = entry
      if (entry.state !== 'not-judged' || reported || !ofCharts.has(cause)) return entry
      const texts = await Promise.all(
        sides.map(({ checkout }) => (checkout.has(path) ? checkout.text(path) : Promise.resolve(''))),
      )
      if (!texts.every((text) => text !== undefined && hasNoValues(text))) return entry
      return {
        path,
        change,
        state: 'not-kubernetes',
        cause: noValues,
        reason: 'it has no values, so it changes nothing',
      }
    }),
  )
}

/** The list of what was not inspected, less the files that have no values. */
export function withoutEmpty(skipped: readonly Skipped[], entries: readonly LedgerEntry[] = []): readonly Skipped[] {
  const empty = new Set(entries.flatMap(({ path, cause }) => (cause === noValues ? [path] : [])))
  return empty.size > 0 ? skipped.filter(({ path }) => !empty.has(path)) : skipped
}

/** Whether all lines of a text are empty, comments or ends of documents, in any line break of YAML 1.1. */
function hasNoValues(text: string): boolean {
  return text
    .split(/[\n\r\u0085\u2028\u2029]/)
    .map((line) => line.trim())
    .every((line) => line === '' || line === '---' || line === '...' || (line.startsWith('#') && !line.includes('{{')))
}
