import { actionsOf, blockWords } from '../../template/template-actions'
import { Branches, type Solve, type Wish } from './branches'
import type { TemplateText } from './switches'

/** The text of a named template, between its `define` and its `end`. */
export interface NamedTemplate {
  readonly text: string
  /** The keys of the chart's values above its own, for one of a chart in its `charts/`. */
  readonly above: readonly string[]
}

/** The named templates of a chart, by name: of several with one name, the last. */
export function namedTemplatesIn(templates: readonly TemplateText[]): Map<string, NamedTemplate> {
  const found = new Map<string, NamedTemplate>()
  for (const { text, above } of templates) {
    let depth = 0
    let start: { readonly name: string; readonly from: number } | undefined
    for (const { from, to, words } of text.includes('define') ? actionsOf(text) : []) {
      const [first = '', second = ''] = words.map((word) => word.text)
      if (first === 'define' && depth === 0) start = { name: second.slice(1, -1), from: text.indexOf('}}', to) + 2 }
      if (blockWords.has(first)) depth++
      if (first !== 'end') continue
      depth = Math.max(0, depth - 1)
      if (depth > 0 || !start) continue
      found.set(start.name, { text: text.slice(start.from, text.lastIndexOf('{{', from)), above })
      start = undefined
    }
  }
  return found
}

/** A text that a template prints, and what its conditions need; undefined where nothing is known to meet them. */
export interface Printed {
  readonly text: string
  readonly wish: Wish | undefined
}

/** The longest template that is read for its texts, in characters: one that answers a question has a few lines. */
const longest = 10_000

/** The texts that a template prints as they are, without the space around them: `true` in one branch, `false` in the other. */
export function printedBy(template: string, solve: Solve): Printed[] {
  if (template.length > longest) return []
  const branches = new Branches(solve)
  const found: Printed[] = []
  let from = 0
  const note = (text: string) => {
    if (text !== '') found.push({ text, wish: branches.wish })
  }
  for (const action of actionsOf(template)) {
    note(template.slice(from, template.lastIndexOf('{{', action.from)).trim())
    const [only, ...more] = action.words.map(({ text }) => text)
    if (only !== undefined && more.length === 0) note(literal(only))
    branches.pass(action)
    from = template.indexOf('}}', action.to) + 2
  }
  note(template.slice(from).trim())
  return found
}

/** The text that an action of one word prints, if it is always the same: `{{ true }}`, `{{ "false" }}`. */
function literal(word: string): string {
  if (/^["`]/.test(word)) return word.slice(1, -1)
  return word === 'true' || word === 'false' ? word : ''
}
