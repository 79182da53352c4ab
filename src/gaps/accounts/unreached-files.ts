import { enumerated } from '../../listing'
import type { SideOfChange } from '../../sides/side'
import { type HelmSource, nameOfChart, namesOfValues, type Source } from '../../sources/source'
import { dataIn } from '../../sources/untyped'
import type { AccountedSide } from './accounted-side'
import { marked, saysTheSame } from './edited-lines'

/** A chart with more changed files than this is not examined. */
const most = 24

/**
 * The changed files of charts without a known release whose edits no rendering reaches, with the reason: helm comes to
 * none of the changed lines of a template, and renders the same without the changed values.
 */
export async function unreachedFiles(was: AccountedSide, is: AccountedSide): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const examined = [...is.takings.keys()].filter((file) => isExamined(file, was, is)).sort()
  for (const file of examined.slice(0, most)) {
    const [before, after] = await Promise.all([was, is].map(({ side }) => side.checkout.text(file)))
    if (before === undefined || after === undefined) continue
    const sources = { before: sourcesOf(file, was), after: sourcesOf(file, is) }
    if (await isReached(file, [before, after], sources, [was.side, is.side])) continue
    found.set(file, reasonFor(file, sources.after))
  }
  return found
}

function reasonFor(file: string, sources: readonly HelmSource[]): string {
  const charts = new Set(sources.map(nameOfChart))
  const values = new Set(sources.map((source) => namesOfValues(source).join(', ') || 'its default values'))
  const what = isValues(file) ? 'no object uses the changed values' : 'helm does not come to the changed lines'
  return `${enumerated([...charts], 3)}: with ${enumerated([...values], 4)}, ${what}`
}

function isValues(file: string): boolean {
  return file.endsWith('values.yaml')
}

/** Whether no known release takes a file that both sides have: a template of a chart, or its default values. */
function isExamined(file: string, was: AccountedSide, is: AccountedSide): boolean {
  if (!/(?:^|\/)(?:templates\/.*\.(?:ya?ml|tpl)|values\.yaml)$/.test(file) || /\/tests?\//.test(file)) return false
  const isThere = [was, is].every(({ side }) => side.checkout.has(file))
  const takings = [was, is].flatMap(({ takings: its }) => its.get(file) ?? [])
  return isThere && takings.every(({ rendered }) => isGuess(rendered.source)) && sourcesOf(file, is).length > 0
}

/** The releases that were rendered with a file. */
function sourcesOf(file: string, { takings }: AccountedSide): HelmSource[] {
  return (takings.get(file) ?? []).flatMap(({ rendered: { source, failure, partial } }) =>
    source.kind === 'helm' && !failure && partial?.manner !== 'written' ? [source] : [],
  )
}

async function isReached(
  file: string,
  [before, after]: readonly [string, string],
  sources: { readonly before: readonly HelmSource[]; readonly after: readonly HelmSource[] },
  [base, head]: readonly [SideOfChange, SideOfChange],
): Promise<boolean> {
  const isSame = async (side: SideOfChange, source: HelmSource, text: string) => {
    const [whole, other] = await Promise.all([
      side.outputWith(source, new Map()),
      side.outputWith(source, new Map([[file, text]])),
    ])
    return whole !== undefined && JSON.stringify(whole) === JSON.stringify(other)
  }
  const areSame = async (side: SideOfChange, its: readonly HelmSource[], text: string) => {
    for (const source of its) if (!(await isSame(side, source, text))) return false
    return true
  }
  if (isValues(file)) {
    const isOther = JSON.stringify(dataIn(before)) !== JSON.stringify(dataIn(after))
    return !isOther || !(await areSame(head, sources.after, before))
  }
  if (saysTheSame(before, after)) return true
  const [cut, written] = [marked(before, after), marked(after, before)]
  if (cut === undefined && written === undefined) return true
  if (written !== undefined && !(await areSame(head, sources.after, written))) return true
  return cut !== undefined && !(await areSame(base, sources.before, cut))
}

/** Whether a chart is rendered with values of its own, as no release of it is known. */
export function isGuess({ kind, origin }: Source): boolean {
  return kind === 'helm' && (origin === 'discovered' || origin === 'probed')
}
