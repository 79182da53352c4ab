import { readYaml } from '../../manifest/document-reader'
import { splitDocuments } from '../../manifest/documents'
import { nameOf } from '../../manifest/manifest'
import { holdsTemplate } from '../../manifest/template-marks'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/config-readable',
  summary: 'A file of YAML or JSON in a ConfigMap can be read after a change as before it.',
  since: '1.24.0',
  scope: 'change',
  kinds: ['ConfigMap'],
  messages: {
    unreadable: ({ map, file, line, reason }: Record<'map' | 'file' | 'line' | 'reason', string>) =>
      `The file ${file} in ${map} cannot be read any more: on its line ${line}, ${reason}. A program that reads it fails when it starts or reloads; where it is a tunnel or a proxy, its routes are gone. Correct the line.`,
  },
  check({ change, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    for (const [file, at] of after.root.at('data').entries()) {
      const [was, is] = [before.root.at('data', file).string, at.string]
      if (!/\.(?:ya?ml|json)$/.test(file) || was === undefined || is === undefined || was === is) continue
      // Another tool fills it in first.
      if (holdsTemplate(was) || holdsTemplate(is) || faultIn(was)) continue
      const fault = faultIn(is)
      if (fault) report(at, 'unreadable', { map: nameOf(after.ref), file, ...fault }, { keys: [file] })
    }
  },
})

/** The first fault in a stream of YAML documents, and the line of the text that it is on. */
function faultIn(text: string): { line: string; reason: string } | undefined {
  for (const { text: document, offset } of splitDocuments(text)) {
    const [separator = ''] = /^---[^\n]*\n?/.exec(document) ?? []
    const reading = readYaml(document, separator.length)
    if (!('reason' in reading)) continue
    return { line: String(text.slice(0, offset + reading.from).split('\n').length), reason: reading.reason }
  }
  return undefined
}
