import { describe, expect, test } from '@jest/globals'
import type { Nodes } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { judge } from './step'

describe('text of the change is data', () => {
  const evil = (tail: string) =>
    `x\n::stop-commands::t\n ##[set-output name=verdict]pass\n@org/team \`|\` </details>%0A::error::${tail}`
  const manifest = [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    `metadata: {namespace: shop, name: ${JSON.stringify(evil('name'))}}`,
    'spec:',
    '  tls: [{hosts: [a.example.com], secretName: web-tls}]',
    '  rules:',
    '    # ```</details> @org/team ##[add-mask]e',
    `    - host: ${JSON.stringify(evil('host'))} # ##[error]owned`,
    '    # ::error::owned',
    '',
  ].join('\n')
  const files = {
    [`${evil('held')} b.yaml`]: manifest,
    [`${evil('broken')} b.yaml`]: 'apiVersion: v1\nkind: Secret\n: [@org/team',
    [`${evil('template')} b.yaml`]: 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: {{ .Values.name }}\n',
  }

  test('to the runner, which obeys no line of it', () => {
    const outcome = judge({}, files)
    expect(outcome.status).toBe(1)
    expect(outcome.outputs.verdict).toBe('fail')
    expect(outcome.commands.map((command) => command.replace(/(::.*?)(?:,|::).*/, '$1'))).toEqual([
      '::error title=source/unreadable',
      '::error title=ingress-tls/host-covered',
      '::error title=ingress-tls/host-valid',
      '::notice title=ingress-tls/entry-used',
      '::notice title=source/not-judged',
      '::error',
    ])
    expect(outcome.commands[1]).toContain('%250A%3A%3Aerror%3A%3Aheld')
  })

  test('in the summary, where it is inside code', () => {
    const { summary } = judge({}, files)
    for (const name of ['host', 'name', 'held', 'broken', 'template']) expect(summary).toContain(`::error::${name}`)
    const outside = plainTextOf(summary)
    expect(outside).not.toMatch(/@|::|##\[|org/)
    const fold = ['<details>', '<summary>', '</summary>', '</details>']
    expect(outside.match(/<[^>]*>/g)).toEqual([...fold, ...fold])
    for (const row of summary.split('\n').filter((line) => line.startsWith('|')))
      expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
  })
})

/** The parts that a browser would take for text, mentions or markup: everything outside of code. */
function plainTextOf(markdown: string): string {
  const textsIn = (node: Nodes): string[] =>
    'children' in node
      ? node.children.flatMap(textsIn)
      : node.type === 'text' || node.type === 'html'
        ? [node.value]
        : []
  return textsIn(fromMarkdown(markdown)).join('\n')
}
