import type { TemplateFault } from './template-fault'
import { type YamlEntry, yamlLinesOf } from './yaml-lines'

/** A key or an item of YAML that what comes next may belong to. */
interface Opened {
  readonly indent: number
  readonly is: 'key' | 'item'
  /** The line of a key that has a word as its value: nothing can be below it. */
  readonly closedBy?: string
}

/**
 * Keys of YAML in a template that no indentation above allows, whatever the values: a key below one that has a word as its value,
 * or a key among the items of a list that is deeper than its own key. https://yaml.org/spec/1.2.2/#8-block-style-productions
 */
export function misindentedLinesIn(template: string): TemplateFault[] {
  const faults: TemplateFault[] = []
  let open: readonly Opened[] = []
  /** What is open before each block; undefined where it is unknown what is open behind it. */
  const blocks: (readonly Opened[] | undefined)[] = []
  for (const line of yamlLinesOf(template)) {
    if (line.is === 'unknown') open = []
    else if (line.is === 'entry') {
      const text = line.dashes === 0 ? faultOf(line, open) : undefined
      if (text) faults.push({ message: 'indent', from: line.from, written: line.text, text })
      open = openedBy(line, open)
    } else if (line.word === 'else') {
      open = blocks.pop() ?? []
      blocks.push(undefined)
    } else if (line.word === 'end') {
      if (!blocks.pop()) open = []
    } else {
      const isPart = line.word === 'define' || line.word === 'block'
      blocks.push(isPart ? undefined : open)
      if (isPart) open = []
    }
  }
  return faults
}

/** What is open after an entry. */
function openedBy({ indent, dashes, keyIndent, isClosed, text }: YamlEntry, open: readonly Opened[]): Opened[] {
  // The items of a list may have the indentation of its key.
  const isAbove = (one: Opened) => one.indent < indent || (one.indent === indent && one.is === 'key' && dashes > 0)
  return [
    ...open.filter(isAbove),
    ...Array.from({ length: dashes }, (_, at) => ({ indent: indent + at * 2, is: 'item' as const })),
    ...(keyIndent === undefined
      ? []
      : [{ indent: keyIndent, is: 'key' as const, ...(isClosed && { closedBy: text }) }]),
  ]
}

/** What is wrong with the indentation of a key. */
function faultOf({ indent, text }: YamlEntry, open: readonly Opened[]): string | undefined {
  const last = open.at(-1)
  if (last?.closedBy !== undefined && last.indent < indent)
    return `The line \`${text}\` is indented below \`${last.closedBy}\`, which has a text as its value, so the YAML is broken, and no release that writes both lines can be rendered. Give both the same indentation.`
  const at = open.findLastIndex((one) => one.indent <= indent)
  const [list, item] = [open[at - 1], open[at]]
  const isAmongItems = item?.is === 'item' && item.indent === indent
  if (isAmongItems && list && list.indent < indent && list.closedBy === undefined)
    return `The line \`${text}\` is a key, with the indentation of the items of the list before it, so the YAML is broken, and no release that writes both can be rendered. Give it the indentation of the key of that list, or of the keys of an item.`
  return undefined
}
