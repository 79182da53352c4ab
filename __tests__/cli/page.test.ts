import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from '@jest/globals'
import { pageFor } from '../../src/cli/page'
import { gateRules } from '../../src/finding/gate-finding'
import { ruleIds, rulePage } from '../../src/host/package'
import { rules } from '../../src/rules/index'
import { root } from '../harness'

test('paragraphs and items are wrapped, tables become lists, links keep their text, and code stays', () => {
  const page = `# a/b

> One sentence.

| policy | since |
| --- | --- |
| a | 1.0.0 |

${'word '.repeat(30).trim()}
\`code\` goes on ([there](https://example.com/x), [here](../x.md)).

- ${'item '.repeat(20).trim()}
  and more
- two

| controller | covers |
| --- | --- |
| one \\| other | all |
| none | nothing |

\`\`\`yaml
a: b # expect: a/b "it"
\`\`\`
after
`
  expect(pageFor(page)).toBe(`# a/b

One sentence.

- policy: a
- since: 1.0.0

${'word '.repeat(16).trim()}
${'word '.repeat(14).trim()} \`code\`
goes on (there (https://example.com/x), here).

- ${'item '.repeat(15).trim()}
  ${'item '.repeat(5).trim()} and more
- two

- one | other: all
- none: nothing

    a: b # <- here
after
`)
})

const ofGate = Object.keys(gateRules).filter((id) => id.startsWith('source/'))

test.each([...rules.map(({ id }) => id), ...ofGate])(
  'the page of %s fits into 80 columns, but for code and URLs',
  (id) => {
    const lines = pageFor(rulePage(root, id)).split('\n')
    const wide = lines.filter(
      (line) => line.length > 80 && !line.startsWith('    ') && !/^[\s(-]*https:\S+$/.test(line),
    )
    expect(wide).toEqual([])
    expect(lines.filter((line) => /^\||\]\(/.test(line))).toEqual([])
  },
)

test('the rules that can be explained are those that there are', () => {
  expect(ruleIds(root)).toEqual([...rules.map(({ id }) => id), ...ofGate].sort())
})

/** `source/unreadable absent` of each finding of the gate that the code writes out. */
const messages = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => [
    ...readFileSync(path.join(root, 'src', file), 'utf8').matchAll(/gateFinding\('(source\/[a-z-]+)', '([a-z-]+)'/g),
  ])
  .map(([, rule = '', message = '']): [string, string] => [rule, message])

test.each(ofGate)('the page of %s has its summary, its messages and what to do', (id) => {
  const page = rulePage(root, id)
  expect(page).toContain(`> ${gateRules[id as keyof typeof gateRules]}`)
  expect(page.match(/^## .*$/gm)).toEqual(
    ['What it stops', 'Messages', 'Example', 'What to do', 'A wanted change'].map((title) => `## ${title}`),
  )
  expect(page).toMatch(new RegExp(`^(?:error|warning|notice) ${id} \\S+`, 'm'))
  for (const [rule, message] of messages) if (rule === id) expect(page).toContain(`\`${message}\``)
  expect(readFileSync(path.join(root, 'docs', 'rules', 'README.md'), 'utf8')).toContain(`[${id}](${id}.md)`)
})

test('the messages of the gate are found in the code', () => {
  expect(messages.length).toBeGreaterThan(30)
})
