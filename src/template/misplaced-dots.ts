import { actionsOf, blockWords, type Word } from './template-actions'
import type { TemplateFault } from './template-fault'

/**
 * What the dot is: helm's own objects, something in the values (named as it is written), an item of a list in what the dot
 * was before, or unknown.
 */
type Dot = { readonly is: 'root' | 'unknown' } | { readonly is: 'value' | 'item'; readonly of: string }

/**
 * Fields of a dot that has none of them: `.Values.host` in a `range` over values, where the dot is one of these,
 * `.ingress.type` in a `range .ingress.paths`, and `.webhooks.labels` where it is helm's own objects.
 * https://helm.sh/docs/chart_template_guide/builtin_objects/
 *
 * @param first what the dot is where the template begins
 * @param rootReaders the named templates that need helm's own objects as their dot
 */
export function misplacedDotsIn(
  template: string,
  first: 'root' | 'unknown',
  rootReaders: ReadonlySet<string> = new Set(),
): TemplateFault[] {
  const actions = actionsOf(template)
  const faults: TemplateFault[] = []
  const blocks: { readonly outer: Dot }[] = []
  // A template may give the dot fields of its own: `set . "kind" "web"`.
  let dot: Dot = { is: actions.some(({ words }) => changesDot(words)) ? 'unknown' : first }
  for (const { words } of actions) {
    const [opener] = words
    if (opener?.text === 'end') {
      dot = blocks.pop()?.outer ?? { is: 'unknown' }
      continue
    }
    const outer: Dot = opener?.text === 'else' ? (blocks.at(-1)?.outer ?? { is: 'unknown' }) : dot
    for (const [at, word] of words.entries()) {
      // A field of an expression in parentheses: `(index .Values "a").host`.
      const isOfExpression = words[at - 1]?.text === ')' && words[at - 1]?.to === word.from
      if (!isOfExpression) faults.push(...faultOf(word, outer))
      if (outer.is === 'value') faults.push(...givenTo(words, at, outer.of, rootReaders))
    }
    // `else with` gives the dot a value of its own.
    if (opener?.text === 'else') dot = words[1]?.text === 'with' ? { is: 'unknown' } : outer
    else if (blockWords.has(opener?.text ?? '')) {
      blocks.push({ outer: dot })
      dot = dotIn(words, dot)
    }
  }
  return faults
}

/** An include whose output nothing takes is called for the fields that it sets: `$_ := include "web.setup" .`. */
function changesDot(words: readonly Word[]): boolean {
  if (words[0]?.text === '$_' && words[2]?.text === 'include') return true
  return words.some(({ text }, at) => text === 'set' && ['.', '$'].includes(words[at + 1]?.text ?? ''))
}

/** The dot in a block. */
function dotIn(words: readonly Word[], outer: Dot): Dot {
  const kind = words[0]?.text
  if (kind === 'if') return outer
  if (kind !== 'range' && kind !== 'with') return { is: 'unknown' }
  const assigned = words.findIndex(({ text }) => text === ':=')
  const [operand, ...more] = words.slice(assigned + 1 || 1)
  const isValue = more.length === 0 && /^\$?\.Values\.[\w.]+$/.test(operand?.text ?? '')
  if (isValue) return { is: 'value', of: operand?.text ?? '' }
  // What is in a value is a value, too.
  if (outer.is === 'value' && more.length === 0 && operand?.text === '.') return outer
  if (outer.is === 'value' && more.length === 0 && /^(?:\.[a-z]\w*)+$/.test(operand?.text ?? ''))
    return { is: 'value', of: operand?.text ?? '' }
  const isItem = kind === 'range' && more.length === 0 && /^\.[a-z]\w*\.\w+$/.test(operand?.text ?? '')
  return isItem ? { is: 'item', of: operand?.text ?? '' } : { is: 'unknown' }
}

function faultOf({ text, from }: Word, dot: Dot): TemplateFault[] {
  if (dot.is === 'value' && /^\.(?:Values|Release|Chart|Capabilities|Files)\.\w/.test(text))
    return [
      {
        message: 'scope',
        from,
        written: `${dot.of} ${text}`,
        text: `Helm cannot render this line, because the dot is ${dot.of}, or an item of it, up to the \`end\` of this block, and ${text} is not in that. Each release that reaches the line fails. Write $${text}.`,
      },
    ]
  const around = dot.is === 'item' ? `${dot.of.slice(0, dot.of.indexOf('.', 1))}.` : undefined
  if (dot.is === 'item' && around !== undefined && text.startsWith(around))
    return [
      {
        message: 'scope',
        from,
        written: `${dot.of} ${text}`,
        text: `Helm cannot render this line, because the dot is an item of ${dot.of} up to the \`end\` of this block, and ${text} is not in that. Each release that reaches the line fails. Assign ${text} to a variable before the block, and write the variable here.`,
      },
    ]
  if (dot.is === 'root' && /^\.[a-z]\w*\.\w/.test(text))
    return [
      {
        message: 'scope',
        from,
        written: text,
        text: `Helm cannot render this line, because ${text} is none of its objects, which are .Values, .Release, .Chart, .Capabilities, .Files and .Template. Each release that reaches the line fails. Write .Values${text}, if that is meant.`,
      },
    ]
  return []
}

/** A value that a named template gets as its dot, and that needs helm's own objects: `include "web.fullname" .`. */
function givenTo(words: readonly Word[], at: number, value: string, rootReaders: ReadonlySet<string>): TemplateFault[] {
  const [call, name, dot] = words.slice(at, at + 3)
  if (!call || !name || !dot || !['include', 'template'].includes(call.text) || dot.text !== '.') return []
  if (!rootReaders.has(name.text.slice(1, -1))) return []
  const written = `${call.text} ${name.text}`
  return [
    {
      message: 'scope',
      from: dot.from,
      written: `${value} ${written}`,
      text: `Helm cannot render this line, because the dot is ${value}, or an item of it, up to the \`end\` of this block, and the template ${name.text} reads helm's objects (.Values, .Release, .Chart) of the dot it gets. Each release that reaches the line fails. Write ${written} $.`,
    },
  ]
}
