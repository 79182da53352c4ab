import { expect, test } from '@jest/globals'
import { pageFor } from '../../src/cli/page'
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

test.each(rules.map(({ id }) => id))('the page of %s fits into 80 columns, but for code and URLs', (id) => {
  const lines = pageFor(rulePage(root, id)).split('\n')
  const wide = lines.filter((line) => line.length > 80 && !line.startsWith('    ') && !/^[\s(-]*https:\S+$/.test(line))
  expect(wide).toEqual([])
  expect(lines.filter((line) => /^\||\]\(/.test(line))).toEqual([])
})

test('the rules that can be explained are those that there are', () => {
  expect(ruleIds(root)).toEqual(rules.map(({ id }) => id).sort())
})
