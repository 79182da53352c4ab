import { type Action, actionsOf, blockWords, type Word } from '../template/template-actions'

/**
 * A template that does not refuse to be rendered, as `helm lint` has it: `required` gives a placeholder where the value is
 * missing, which rules take for unknown, and `fail` prints nothing.
 */
export function withoutRefusals(template: string): string {
  if (!template.includes('required') && !template.includes('fail')) return template
  const edits = actionsOf(template).flatMap((action) => [...editsOf(action)])
  return edits.reduceRight((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), template)
}

interface Edit {
  readonly from: number
  readonly to: number
  readonly by: string
}

function* editsOf({ words }: Action): Iterable<Edit> {
  for (const [at, { text, from, to }] of words.entries()) {
    if (text === 'fail') yield { from, to, by: 'trunc 0' }
    const message = words[at + 1]
    if (text === 'required' && message && '"`'.includes(message.text.charAt(0)))
      yield { from, to: message.to, by: `default "<${valueTested(words, at)}>"` }
  }
}

/** The path of the value that `required` tests: its last argument, or what is piped into it. */
function valueTested(words: readonly Word[], at: number): string {
  const piped = words[at - 1]?.text === '|' ? words[at - 2] : undefined
  const written = (words[at + 2] ?? piped)?.text ?? ''
  const start = written.indexOf('.Values.')
  return start === 0 || (start === 1 && written.startsWith('$')) ? written.slice(start + '.Values.'.length) : 'required'
}

/** A template, reduced to the named templates that others include. */
export function onlyDefinitions(template: string): string {
  const kept: string[] = []
  let depth = 0
  let start = -1
  for (const { from, to, words } of actionsOf(template)) {
    const word = words[0]?.text ?? ''
    if (word === 'end') {
      depth--
      if (start === -1 || depth > 0) continue
      kept.push(`${template.slice(start, to)}}}`)
      start = -1
    }
    if (!blockWords.has(word)) continue
    if (word === 'define' && start === -1) {
      start = template.lastIndexOf('{{', from)
      depth = 0
    }
    depth++
  }
  return kept.join('\n')
}
