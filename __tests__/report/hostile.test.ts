import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Log } from 'sarif'
import type { Report } from '../../src/finding/report'
import { toolIn } from '../../src/host/bundled'
import { annotationsOf, workflowCommands } from '../../src/report/annotations'
import { gitlabReport } from '../../src/report/gitlab'
import { junitReport } from '../../src/report/junit'
import { markdownReport } from '../../src/report/markdown'
import { sarifReport } from '../../src/report/sarif'
import { terminalReport } from '../../src/report/terminal'
import { judge, root } from '../harness'
import { role } from '../source/objects'
import { nodesIn, rowsOf, treeOf, valuesOf } from './markdown-tree'

/** Texts that an attacker might write to have them executed, each with the mark that shows it. */
const attacks = {
  command: '%0A::error::pwned',
  commandAtStart: '\n::error file=a,line=1::pwned',
  stop: '\n::stop-commands::pwned\n',
  oldCommand: '##[error]pwned',
  property: 'x,line=1::error::pwned',
  html: '</details><script>pwned</script><img src=x onerror=pwned>',
  comment: '<!-- pwned',
  team: '@org/team',
  mention: 'for @octocat',
  reference: 'org/repo#1 #1 GH-1',
  link: '[pwned](https://evil.example.com) ![x](https://evil.example.com/x.png)',
  autolink: 'https://evil.example.com www.evil.example.com',
  fence: '```\n</details>\n# pwned\n```',
  quotes: 'a`b`c`d` `e``f` (`g`)`h`.`i`',
  ticks: '`` ` ``` @org/team `',
  table: 'a | b \\| c',
  heading: '\n# pwned\n\n- pwned\n',
  emphasis: '**pwned** _pwned_ ~~pwned~~ :boom: $pwned$',
  bidi: '\u202eevil\u2066\u2069',
  unseen: 'a\u200bb\u3164c\u00a0d\u{e0041}\ufe0fe',
  terminal: '\u001b[2J\u001b]0;pwned\u0007\u009b31m',
  lone: '\ud800',
}
const all = Object.values(attacks)

/** YAML's own escapes hide hostile characters from its parser. */
const quoted = (text: string) =>
  JSON.stringify(Buffer.from(text).toString()).replace(
    /[^ -~]/gu,
    (char) => `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  )

function ingress(text: string): string {
  return [
    'apiVersion: networking.k8s.io/v1',
    'kind: Ingress',
    'metadata:',
    `  name: ${quoted(`name ${text}`)}`,
    `  namespace: ${quoted(`namespace ${text}`)}`,
    'spec:',
    '  tls:',
    `    - secretName: ${quoted(`default-token-x7k2p ${text}`)}`,
    `      hosts: [${quoted(`covered ${text}`)}]`,
    '  rules:',
    `    - host: ${quoted(text)} # ${text.replaceAll('\n', ' ').replace(/\p{C}/gu, '')}`,
    `    - host: ${quoted(`routed ${text}`)}`,
    '',
  ].join('\n')
}

/** A change whose names, hosts, files, clusters and reasons are all of one text. */
async function reportOn(text: string): Promise<Report> {
  const file = text.replaceAll('/', '∕')
  const before = { [`clusters/${file}/old.yaml`]: role(quoted(`system:${file}`)), 'broken.yaml': role('a') }
  return judge({
    base: before,
    head: {
      [`clusters/${file}/${file}.yaml`]: ingress(text),
      [`clusters/${file}/excepted.yaml`]: ingress('excepted'),
      'broken.yaml': `apiVersion: v1\nkind: ${quoted(text)}\nmetadata: [${quoted(text)}\n`,
    },
    guard: `format: 1\nexceptions:\n  - {rule: '*', object: Ingress/*/name excepted, reason: ${quoted(text)}, expires: 2027-01-01}\n`,
  })
}

const cases: [string, string][] = [
  ...Object.entries(attacks).map(([name, text]): [string, string] => [name, text]),
  ['all at once', all.join(' ')],
  ['100 kB', `${'x'.repeat(100_000)}@org/team`],
  ['100 kB of marks', '\u202e`|<@'.repeat(20_000)],
]

describe.each(cases)('%s', (_, attack) => {
  let report: Report
  beforeAll(async () => {
    report = await reportOn(attack)
  })
  /** Characters that are invisible, without line ends. */
  const unseen = /(?!\n)\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}|\u00a0/u

  test('is reported', () => {
    expect(report.findings.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(['ingress-tls/host-covered', 'protected-rbac/object-kept', 'source/unreadable']),
    )
    expect(report.config.exceptions).toHaveLength(1)
    expect(report.findings.some(({ exception }) => exception)).toBe(true)
  })

  test('Markdown stays words and code', () => {
    const markdown = markdownReport(report)
    expect(markdown).not.toMatch(unseen)
    expect(markdown.length).toBeLessThan(700_000)
    const tree = treeOf(markdown)
    const types = new Set(nodesIn(tree).map(({ type }) => type))
    const known = ['root', 'paragraph', 'strong', 'text', 'inlineCode', 'code', 'heading', 'list', 'listItem']
    expect([...types].filter((type) => ![...known, 'table', 'tableRow', 'tableCell', 'html'].includes(type))).toEqual(
      [],
    )
    const html = valuesOf(tree, 'html')
    for (const tag of html) expect(tag).toMatch(/^(?:<details><summary>[A-Z][a-z ]+: [\d,]+<\/summary>|<\/details>)$/)
    expect(html.filter((tag) => tag === '</details>')).toHaveLength(html.length / 2)
    for (const words of valuesOf(tree, 'text')) expect(words).not.toMatch(/[@#<>[\]|$~_*]|:\w+:|GH-|www|https?:/)
    for (const cells of rowsOf(tree)) expect(cells).toHaveLength(4)
    // Two headings, each with the name of a cluster or none.
    const headings = nodesIn(tree).filter(({ type }) => type === 'heading')
    expect(headings.map((heading) => ('children' in heading ? heading.children.length : 0)).sort()).toEqual([1, 3])
  })

  test('the terminal obeys nothing', () => {
    const text = terminalReport(report, (_style, words) => words)
    expect(text).not.toMatch(unseen)
    expect(text).not.toMatch(/^\s*::|##\[/m)
    expect(text.length).toBeLessThan(400_000)
  })

  test('workflow commands are ours, one a line', () => {
    const lines = workflowCommands(report).trimEnd().split('\n')
    for (const line of lines) {
      expect(line).toMatch(
        /^::(?:error|warning|notice) title=[\w/-]+,file=[^:,]+(?:,(?:line|endLine|col|endColumn)=\d+)*::[^\r\n]*$/,
      )
      expect(line).not.toMatch(unseen)
    }
    expect(lines).toHaveLength(annotationsOf(report).length)
  })

  test('JUnit XML has no tag and no entity but its own', () => {
    const xml = junitReport(report)
    expect(xml).not.toMatch(unseen)
    const rest = xml.replace(
      /<\?xml [^<>]*\?>|<\/?(?:testsuites?|testcase|failure|system-out)(?: [a-z]+="[^<>"]*")*\/?>/g,
      '',
    )
    expect(rest).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot|apos);)/)
  })

  test('an issue of GitLab is words', () => {
    for (const { description } of JSON.parse(gitlabReport(report))) expect(description).not.toMatch(unseen)
  })

  test('SARIF has neither links nor mentions', () => {
    const log = JSON.parse(sarifReport(report, toolIn(root))) as Log
    const texts: string[] = []
    JSON.stringify(log.runs[0]?.results, (key, value) => {
      // The text of a fix goes into a file unchanged.
      if (key === 'insertedContent') return undefined
      if (['text', 'justification', 'fullyQualifiedName'].includes(key) && typeof value === 'string') texts.push(value)
      if (key === 'uri') expect(value).toMatch(/^[\w%./!~*'()-]+$/)
      return value
    })
    expect(texts.length).toBeGreaterThan(3)
    for (const text of texts) {
      expect(text).not.toMatch(unseen)
      expect(text).not.toMatch(/(?<!\w)[@#]\w|\]\(|<[a-z/!]/)
      expect(text.length).toBeLessThan(40_000)
    }
  })
})

test('escaped text can be read', async () => {
  const report = await reportOn(`${attacks.bidi} ${attacks.team} ${attacks.terminal}`)
  const shown = '\\u{202e}evil\\u{2066}\\u{2069} @org/team \\x1b[2J\\x1b]0;pwned\\x07\\x9b31m'
  expect(terminalReport(report, (_, words) => words)).toContain(shown)
  expect(workflowCommands(report)).toContain(shown)
  expect(
    rowsOf(treeOf(markdownReport(report)))
      .flat()
      .join('\n'),
  ).toContain(shown)
  expect(sarifReport(report, toolIn(root))).toContain(JSON.stringify(shown.replace('@', '\\x40')).slice(1, -1))
})
