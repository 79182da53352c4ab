import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { bareConstraintsIn } from '../kubernetes/versions/bare-constraints'
import { misspeltApisIn } from '../kubernetes/versions/misspelt-apis'
import { regionAt } from '../render/tools/rendering'
import type { SideOfChange } from '../sides/side'
import { chartOfTemplate } from '../sources/chart'
import { calledValuesIn } from '../template/called-values'
import { gluedLinesIn } from '../template/glued-lines'
import { misformattedTextsIn } from '../template/misformatted-texts'
import { misindentedLinesIn } from '../template/misindented-lines'
import { misplacedDotsIn } from '../template/misplaced-dots'
import { misplacedFunctionsIn } from '../template/misplaced-functions'
import { rootReadersIn } from '../template/root-readers'
import { singleBracesIn } from '../template/single-braces'
import { swappedDefaultsIn } from '../template/swapped-defaults'
import type { TemplateFault } from '../template/template-fault'

/**
 * Faults that a change writes into templates of charts. No values help: a release fails or is not what is meant as soon as it
 * reaches the line, which no known values may do.
 *
 * @param known the failures that are reported already
 */
export async function templateFaults(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const charts = new Map(
    [...changed].flatMap((file) => {
      const chart = chartOf(file, head)
      return chart === undefined ? [] : [[file, chart] as const]
    }),
  )
  const files = [...charts.keys()]
  const [before, after] = await Promise.all(
    [base, head].map(({ checkout }) => checkout.texts(files.filter((file) => checkout.has(file)))),
  )
  const rootReaders = await rootReadersOf(new Set(charts.values()), head)
  return [...(after ?? [])].flatMap(([file, text]) => {
    const readers = rootReaders.get(charts.get(file) ?? '') ?? new Set()
    const old = faultsIn(file, before?.get(file) ?? '', readers).map(({ written }) => written)
    return faultsIn(file, text, readers).flatMap(({ message, written, from, text: words }) => {
      // Each of the base's explains one of the head's.
      const at = old.indexOf(written)
      if (at !== -1) old.splice(at, 1)
      const region = regionAt(text, from)
      const isKnown = known.some(
        ({ location }) => location.path === file && location.region.startLine === region.startLine,
      )
      if (at !== -1 || isKnown) return []
      return gateFinding('source/unrendered', message, 'warning', {
        side: 'head',
        path: file,
        region,
        fileText: text,
        keys: [file, written],
        status: 'introduced',
        text: words,
      })
    })
  })
}

function faultsIn(file: string, template: string, rootReaders: ReadonlySet<string>): TemplateFault[] {
  // Other templates render such a file with a dot of their choice.
  const isPart = path.basename(file).startsWith('_')
  const dots = misplacedDotsIn(template, isPart ? 'unknown' : 'root', rootReaders)
  return [
    ...bareConstraintsIn(template),
    ...calledValuesIn(template),
    ...gluedLinesIn(template),
    ...misformattedTextsIn(template),
    ...misindentedLinesIn(template),
    ...misplacedFunctionsIn(template),
    ...misspeltApisIn(template),
    ...singleBracesIn(template),
    ...swappedDefaultsIn(template),
    ...dots,
  ]
}

/** The folder of the chart that a file of YAML, or of named templates, is a template of; undefined if it is not there. */
export function chartOf(file: string, { checkout }: SideOfChange): string | undefined {
  return checkout.has(file) && /\.(?:tpl|ya?ml)$/.test(file) ? chartOfTemplate(file, checkout) : undefined
}

/** The named templates of charts that need helm's own objects as their dot, by chart. */
async function rootReadersOf(
  charts: Iterable<string>,
  { checkout }: SideOfChange,
): Promise<Map<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>()
  for (const chart of charts) {
    // Those of the charts in its `charts/` are named templates of it, too.
    const parts = checkout
      .below(chart)
      .filter((file) => path.basename(file).startsWith('_') && file.split('/').includes('templates'))
    found.set(chart, rootReadersIn((await checkout.texts(parts)).values()))
  }
  return found
}
