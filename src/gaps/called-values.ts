import path from 'node:path/posix'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { lineRegion } from '../render/tools/rendering'
import type { SideOfChange } from '../sides/side'
import { actionsOf, type Word } from '../template/template-actions'

/**
 * Values that a changed template of a chart calls like a function: `range $.Values "issuers"`, `.Values.host quote`. No
 * values help: helm fails as soon as a release reaches the line.
 *
 * @param known the failures that are reported already
 */
export async function calledValues(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  known: readonly Finding[],
): Promise<Finding[]> {
  const files = [...changed].filter((file) => isTemplate(file, head))
  const [before, after] = await Promise.all(
    [base, head].map(({ checkout }) => checkout.texts(files.filter((file) => checkout.has(file)))),
  )
  return [...(after ?? [])].flatMap(([file, text]) => {
    const old = callsIn(before?.get(file) ?? '').map(({ written }) => written)
    return callsIn(text).flatMap(({ value, argument, written, from }) => {
      // Each of the base's explains one of the head's.
      const at = old.indexOf(written)
      if (at !== -1) old.splice(at, 1)
      const start = text.slice(0, from).split('\n')
      const region = lineRegion(start.length, (start.at(-1)?.length ?? 0) + 1)
      const isKnown = known.some(
        ({ location }) => location.path === file && location.region.startLine === region.startLine,
      )
      if (at !== -1 || isKnown) return []
      return gateFinding('source/unrendered', 'called', 'warning', {
        side: 'head',
        path: file,
        region,
        fileText: text,
        keys: [file, written],
        status: 'introduced',
        text: `Helm cannot render this line, because ${value} is a value and no function, but ${argument} follows it as an argument. Each release that reaches the line fails. Write the function first (\`index\`, \`and\`, \`default\`), or \`|\` before ${argument}.`,
      })
    })
  })
}

/** Whether a file is a template of a chart that is there. */
function isTemplate(file: string, { checkout }: SideOfChange): boolean {
  if (!checkout.has(file)) return false
  const keys = file.split('/')
  return keys.some((key, at) => key === 'templates' && checkout.has(path.join(...keys.slice(0, at), 'Chart.yaml')))
}

interface Call {
  readonly value: string
  readonly argument: string
  readonly written: string
  readonly from: number
}

/** Words after which a value is not an argument of another function. */
const starts = new Set(['if', 'with', 'range', '(', '|', ':=', '='])
/** Words that are no argument of the value before them. */
const ends = new Set([')', '|', ',', ':=', '='])

function callsIn(template: string): Call[] {
  return actionsOf(template).flatMap(({ words }) => words.flatMap((word, at) => callAt(words, at, word)))
}

function callAt(words: readonly Word[], at: number, { text: value, from }: Word): Call[] {
  const before = words[at - 1]?.text
  const argument = words[at + 1]?.text
  if (!/^\$?\.(?:Values|Release)(?:\.\w+)*$/.test(value)) return []
  if (argument === undefined || ends.has(argument) || (before !== undefined && !starts.has(before))) return []
  const shown = argument === '(' ? 'an expression in parentheses' : argument
  return [{ value, argument: shown, written: `${value} ${argument}`, from }]
}
