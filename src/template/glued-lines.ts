import { type Action, actionsOf } from './template-actions'
import type { TemplateFault } from './template-fault'

/**
 * Lines of YAML that the dashes of an action join, which breaks the YAML: `{{- if .a -}}` on a line of its own between two
 * keys, and `{{- toYaml .a | indent 4 }}` below a key. https://helm.sh/docs/chart_template_guide/control_structures/
 */
export function gluedLinesIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap((action) => {
    const from = template.lastIndexOf('{{', action.from)
    const above = template[action.from - 1] === '-' ? entryAbove(template, from) : undefined
    if (above === undefined) return []
    const fault = (text: string) => ({
      message: 'glued' as const,
      from,
      written: template.slice(from, action.to),
      text,
    })
    if (isIndented(action))
      return fault(
        `The dash of \`{{-\` takes away the line break before the text that this line writes, so the text comes behind \`${above.line}\`, and the YAML is broken. Write \`nindent\` in place of \`indent\`.`,
      )
    const below = isControl(action) ? entryBelow(template, action) : undefined
    // Of two keys in blocks, one may take the place of the other.
    if (below === undefined || (above.isOptional && below !== '---')) return []
    return fault(
      `Both dashes of this action take away a line break, so \`${above.line}\` and \`${below}\` come on one line, and the YAML is broken. Remove the dash before \`}}\`.`,
    )
  })
}

/** The line above an action, and whether it is in a block that may be left out where what is below is not. */
interface Above {
  readonly line: string
  readonly isOptional: boolean
}

/** An action on a line of its own that writes nothing, and takes away the line break before it. */
const control = /^\{\{-\s*(if|with|range|end|\$)[^{}]*\}\}$/

/** The line that comes right before an action with a dash, if it is a key or an item; actions that write nothing may be between. */
function entryAbove(template: string, from: number): Above | undefined {
  let end = template.lastIndexOf('\n', from - 1)
  if (end === -1 || template.slice(end + 1, from).trim() !== '') return undefined
  let isOptional = false
  for (let lines = 0; end !== -1 && lines < most.lines; lines++) {
    const start = end === 0 ? -1 : template.lastIndexOf('\n', end - 1)
    const line = template.slice(start + 1, end).trim()
    const [, word] = control.exec(line) ?? []
    if (line !== '' && word === undefined) return isEntry(line) ? { line, isOptional } : undefined
    isOptional ||= word === 'end'
    end = start
  }
  return undefined
}

/** The line right after an action whose dash takes away the line break between them, if it is a key, an item or `---`. */
function entryBelow(template: string, { to }: Action): string | undefined {
  const [, rest] = /^\s*-\}\}[ \t]*\r?\n\s*([^\n]+)/.exec(template.slice(to, to + most.characters)) ?? []
  const line = rest?.trim() ?? ''
  return isEntry(line) || line === '---' ? line : undefined
}

/** No person writes more of these between two lines. */
const most = { lines: 100, characters: 500 }

/** Whether an action writes nothing itself, and the text before and after it may both be written. */
function isControl({ words }: Action): boolean {
  const [first, second] = words
  return ['if', 'with', 'range', 'end'].includes(first?.text ?? '') || second?.text === ':='
}

/** Whether an action writes YAML of several lines that are all indented, the first one, too. */
function isIndented({ words }: Action): boolean {
  const [pipe, name, depth] = words.slice(-3).map(({ text }) => text)
  return pipe === '|' && name === 'indent' && /^[1-9]\d*$/.test(depth ?? '') && words[0]?.text === 'toYaml'
}

/** Whether a line is a key with or without a value, or an item of a list; JSON may have all its keys on one line. */
function isEntry(line: string): boolean {
  return /^(?:- +)?["']?[\w./-]+["']?:(?:\s|$)|^- /.test(line) && !/[,{[]$/.test(line)
}
