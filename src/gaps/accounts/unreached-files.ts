import path from 'node:path/posix'
import type { Account } from '../../ledger/entry'
import { abridged, enumerated } from '../../listing'
import type { SideOfChange } from '../../sides/side'
import { nameOfLack } from '../../sources/lack'
import { type HelmSource, isRenamed, nameOfChart, namesOfValues, type Source } from '../../sources/source'
import { dataIn } from '../../sources/untyped'
import type { AccountedSide } from './accounted-side'
import { marked, markIn, saysTheSame } from './edited-lines'

/** The number of renderings of a run that look for changed lines. */
const most = 80

/**
 * The changed files of charts without a known release whose edits no rendering reaches, with the reason: helm comes to
 * none of the changed lines of a template, and renders the same without the changed values.
 */
export async function unreachedFiles(was: AccountedSide, is: AccountedSide): Promise<ReadonlyMap<string, Account>> {
  const examined = [...is.takings.keys()].filter((file) => isExamined(file, was, is)).sort()
  const texts = await Promise.all(
    examined.map(async (file) => {
      const [before, after] = await Promise.all([was, is].map(({ side }) => side.checkout.text(file)))
      return { file, before: before ?? '', after: after ?? '' }
    }),
  )
  const search = new Search()
  const written: Marks = new Map()
  const cut: Marks = new Map()
  const found = new Set<string>()
  for (const { file, before, after } of texts) {
    if (isValues(file)) {
      const isOther = JSON.stringify(set(dataIn(before))) !== JSON.stringify(set(dataIn(after)))
      if (isOther && !(await search.uses(file, before, sourcesOf(file, is), is.side))) found.add(file)
    } else if (!saysTheSame(before, after)) {
      const [old, now] = [marked(before, after, file), marked(after, before, file)]
      if (old !== undefined) cut.set(file, old)
      if (now !== undefined) written.set(file, now)
      if (old !== undefined || now !== undefined) found.add(file)
    }
  }
  for (const [marks, side] of [
    [written, is],
    [cut, was],
  ] as const) {
    for (const file of marks.keys()) if (!found.has(file)) marks.delete(file)
    for (const file of await search.reached(marks, side)) found.delete(file)
  }
  return new Map([...found].map((file) => [file, withoutDependency(file, is) ?? notReached(file, sourcesOf(file, is))]))
}

/** The texts of templates with marks, by their files. */
type Marks = Map<string, string>

/** Renders charts with other texts to see what they change, within a bound; beyond it, all counts as reached. */
class Search {
  private left = most

  /** Whether a release is other than with the former values. */
  async uses(file: string, values: string, sources: readonly HelmSource[], side: SideOfChange): Promise<boolean> {
    for (const source of sources) if (!(await this.isSame(source, new Map([[file, values]]), side))) return true
    return false
  }

  /** Finds the files with a mark that helm comes to, and removes them from the marks. */
  async reached(marks: Marks, accounted: AccountedSide): Promise<string[]> {
    const found: string[] = []
    const reach = (file: string) => {
      marks.delete(file)
      found.push(file)
    }
    const sources = new Set([...marks.keys()].flatMap((file) => sourcesOf(file, accounted)))
    for (const source of sources) {
      for (;;) {
        const own = [...marks].filter(([file]) => sourcesOf(file, accounted).includes(source))
        if (own.length === 0) break
        const failure = await this.failureOf(source, new Map(own), accounted.side)
        if (failure === undefined) break
        const at = own.filter(([file]) => failure.includes(markIn(file)))
        for (const [file] of at.length > 0 ? at : own) reach(file)
      }
    }
    return found
  }

  /** Helm's message; another output counts as one that names no mark. */
  private async failureOf(
    source: HelmSource,
    texts: ReadonlyMap<string, string>,
    side: SideOfChange,
  ): Promise<string | undefined> {
    if (this.left-- <= 0) return ''
    const [whole, other] = [await side.outputWith(source, new Map()), await side.outputWith(source, texts)]
    if ('failure' in other) return other.failure.reason
    return 'pieces' in whole && JSON.stringify(whole.pieces) === JSON.stringify(other.pieces) ? undefined : ''
  }

  private async isSame(source: HelmSource, texts: ReadonlyMap<string, string>, side: SideOfChange): Promise<boolean> {
    return (await this.failureOf(source, texts, side)) === undefined
  }
}

/** The account where templates were left out that include what a missing dependency defines: they may use the values. */
function withoutDependency(file: string, { takings }: AccountedSide): Account | undefined {
  const parts = (takings.get(file) ?? []).flatMap(({ rendered: { source, partial } }) =>
    source.kind === 'helm' && partial ? [{ source, lacks: partial.lacks }] : [],
  )
  const { source, lacks } = parts.find((one) => one.lacks.some(({ what }) => what === 'template')) ?? {}
  if (!source || !lacks?.some(({ what }) => what === 'dependency')) return undefined
  return {
    state: 'not-judged',
    cause: 'dependency-not-vendored',
    reason: `${nameOfChart(source)} was read without ${abridged(lacks.map(nameOfLack))}, and in what is left, ${idle(file)}`,
    remedy: `To have it judged, run \`helm dependency build ${source.chart || '.'}\` and commit the result.`,
  }
}

function idle(file: string): string {
  return isValues(file) ? 'no object uses the changed values' : 'the changed lines write nothing'
}

function notReached(file: string, sources: readonly HelmSource[]): Account {
  const charts = new Set(sources.map(nameOfChart))
  const known = sources.filter(({ supposed }) => supposed === undefined)
  const values = new Set(known.map((source) => namesOfValues(source).join(', ') || 'its default values'))
  // These lists are generated, and the shortest says enough.
  const supposed = [...new Set(sources.flatMap((one) => one.supposed ?? []))].sort((a, b) => a.length - b.length)
  for (const one of supposed.slice(0, 1)) values.add(one)
  if (supposed.length > 1) values.add(`${supposed.length - 1} more sets of supposed values`)
  const reason = `${enumerated([...charts], 3)}: with ${enumerated([...values], 4)}, ${idle(file)}`
  return { state: 'not-judged', cause: 'not-reached', reason }
}

function isValues(file: string): boolean {
  return path.basename(file) === 'values.yaml'
}

/** Values without those that say no more than a missing one. */
function set(values: unknown): unknown {
  if (Array.isArray(values)) return values.length > 0 ? values : undefined
  if (typeof values !== 'object' || values === null) return values || undefined
  const entries = Object.entries(values).flatMap(([key, value]) => {
    const its = set(value)
    return its === undefined ? [] : [[key, its] as const]
  })
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

/** Whether no known release takes a file that both sides have: a template of a chart, or its default values. */
function isExamined(file: string, was: AccountedSide, is: AccountedSide): boolean {
  if (!isValues(file) && !isTemplate(file) && !isNamedTemplates(file)) return false
  const isThere = [was, is].every(({ side }) => side.checkout.has(file))
  const takings = [was, is].flatMap(({ takings: its }) => its.get(file) ?? [])
  return isThere && takings.every(({ rendered }) => isGuess(rendered.source)) && sourcesOf(file, is).length > 0
}

function isNamedTemplates(file: string): boolean {
  return /(?:^|\/)templates\//.test(file) && file.endsWith('.tpl')
}

/** Whether a file of a chart creates objects by itself. */
export function isTemplate(file: string): boolean {
  const isMade = /(?:^|\/)[^_/][^/]*\.(?:ya?ml|json|tpl)$/.test(file)
  return isMade && /(?:^|\/)templates\//.test(file) && !/(?:^|\/)tests?\//.test(file)
}

/** The releases that were rendered with a file. */
function sourcesOf(file: string, { takings }: AccountedSide): HelmSource[] {
  return (takings.get(file) ?? []).flatMap(({ rendered: { source, failure, partial } }) =>
    source.kind === 'helm' && !isRenamed(source) && !failure && partial?.manner !== 'written' ? [source] : [],
  )
}

/** Whether a chart is rendered with values of its own, as no release of it is known. */
export function isGuess({ kind, origin }: Source): boolean {
  return kind === 'helm' && (origin === 'discovered' || origin === 'probed')
}
