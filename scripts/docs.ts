// Fills the generated parts of the docs, between `<!-- name -->` and `<!-- /name -->`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { rcompare } from 'semver'
import { parse } from 'yaml'
import { program } from '../src/cli/program'
import { gateRules } from '../src/finding/gate-finding'
import { bundledPolicies } from '../src/host/bundled'
import { ruleIds } from '../src/host/package'
import type { Policy } from '../src/policy/policy'
import type { ReportJson } from '../src/report/report-schema'
import type { Rule } from '../src/rule/rule'
import { fixableMessages } from '../src/rules/fixes'
import { rules } from '../src/rules/index'
import { glossary } from './glossary'
import { summaryPicture } from './summary-picture'
import { versionMatrix } from './version-matrix'

const root = process.cwd()
const policies = bundledPolicies(root)

function fill(file: string, name: string, content: string): void {
  const text = readFileSync(file, 'utf8')
  const marks = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`)
  if (!marks.test(text)) throw new Error(`${file} has no <!-- ${name} --> … <!-- /${name} -->.`)
  writeFileSync(
    file,
    text.replace(marks, (_, open: string, close: string) => `${open}${content}\n${close}`),
  )
}

/** The newest version of its policy that has a rule. */
function policyOf({ id }: Rule): Policy {
  const having = policies.filter(({ file }) => id in file.rules)
  const [policy] = having.sort((a, b) => rcompare(a.file.version, b.file.version))
  if (!policy) throw new Error(`No policy has the rule ${id}.`)
  return policy
}

const scopes = {
  manifest: 'one object',
  snapshot: 'the objects of a cluster together',
  change: 'both sides of a change',
  removal: 'what a change takes away, and what is left',
}

function headOf(rule: Rule): string {
  const { file } = policyOf(rule)
  const { level = 'error', levels = {} } = file.rules[rule.id] ?? {}
  const kinds =
    rule.kinds === '*'
      ? 'every kind'
      : [...new Set([...rule.kinds, ...(rule.reads ?? [])])].map((kind) => `\`${kind}\``).join(', ')
  const messages = Object.keys(rule.messages)
    .filter((message) => !(message in (rule.until ?? {})))
    .map((message) => `\`${message}\` ${levels[message] ?? level}`)
  const fixable = fixableMessages[rule.id] ?? []
  const params = Object.entries((rule.params?.properties ?? {}) as Record<string, { description?: string }>)
  return [
    `\n> ${rule.summary}\n`,
    '| policy | since | reads | kinds | messages |',
    '| --- | --- | --- | --- | --- |',
    `| ${file.policy} | ${rule.since} | ${scopes[rule.scope]} | ${kinds} | ${messages.join(', ')} |`,
    ...(fixable.length > 0
      ? [`\nWith a [fix](../../fixes.md): ${fixable.map((name) => `\`${name}\``).join(', ')}.`]
      : []),
    ...(params.length > 0 ? ['\n| param | meaning |', '| --- | --- |'] : []),
    ...params.map(([name, { description }]) => `| \`${name}\` | ${description} |`),
    '',
  ].join('\n')
}

for (const rule of rules) fill(path.join('docs', 'rules', `${rule.id}.md`), 'head', headOf(rule))

const ofGate = Object.entries(gateRules).filter(([id]) => ruleIds(root).includes(id))
for (const [id, summary] of ofGate) fill(path.join('docs', 'rules', `${id}.md`), 'head', `\n> ${summary}\n`)

/** The output of the command line for arguments. */
async function printed(...argv: string[]): Promise<string> {
  let text = ''
  const sink = { write: (part: string) => (text += part) }
  await program(argv, { stdout: sink, stderr: sink, root })
  return text
}

/** The part of a text between two patterns, the first one included. */
function between(text: string, from: RegExp, to: RegExp): string {
  const start = text.search(from)
  const length = text.slice(start).search(to)
  if (start === -1 || length === -1) throw new Error(`The demo does not print ${from} … ${to}.`)
  return text.slice(start, start + length).trimEnd()
}

writeFileSync('docs/version-matrix.md', versionMatrix())

const demo = await printed('demo')
fill('docs/command-line.md', 'demo', `\n\`\`\`text\n${between(demo, /^=== 001/m, /^If this change/m)}\n\`\`\`\n`)

const outage = { base: 'incidents/001/base', head: 'incidents/001/head' }
const judged: ReportJson = JSON.parse(
  await printed('check', '--base', outage.base, '--head', outage.head, '--format', 'json', '--today', '2026-01-01'),
)
const changedFile = 'teams/orders/ingress.yaml'
const [before = '', after = ''] = [outage.base, outage.head].map((side) =>
  readFileSync(path.join(side, changedFile), 'utf8'),
)
const patch = createTwoFilesPatch(changedFile, changedFile, before, after, '', '', { context: 2 })
const stopped = judged.findings.map(
  ({ level, rule, location, text }) =>
    `**${level}** [\`${rule}\`](docs/rules/${rule}.md) at line ${location.region.startLine}\\\n${text}`,
)
fill(
  'README.md',
  'outage',
  `
<table>
<tr><th>The change</th><th>What the check says</th></tr>
<tr><td>

\`\`\`diff
${patch.split('\n').slice(4).join('\n').trimEnd()}
\`\`\`

</td><td>

${stopped.join('\n\n')}

</td></tr>
</table>
`,
)
mkdirSync('docs/images', { recursive: true })
writeFileSync(
  'docs/images/job-summary.svg',
  summaryPicture(`ingress-guard found ${judged.findings.length} errors and blocks this change.`, judged.findings),
)

const rows = rules.map((rule) => `| [${rule.id}](${rule.id}.md) | ${rule.since} | ${rule.summary} |`)
fill(
  'docs/rules/README.md',
  'rules',
  `\n| rule | policy version | ensures |\n| --- | --- | --- |\n${rows.join('\n')}\n`,
)

const gateRows = ofGate
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([id, summary]) => `| [${id}](${id}.md) | ${summary} |`)
fill('docs/rules/README.md', 'gate-rules', `\n| rule | ensures |\n| --- | --- |\n${gateRows.join('\n')}\n`)

const action = parse(readFileSync('action.yml', 'utf8')) as Record<
  'inputs' | 'outputs',
  Record<string, { description: string }>
>
const table = (title: string, entries: Record<string, { description: string }>) =>
  [
    `\n| ${title} | |`,
    '| --- | --- |',
    ...Object.entries(entries).map(([name, { description }]) => `| \`${name}\` | ${description} |`),
  ].join('\n')
fill('docs/action.md', 'action', `${table('input', action.inputs)}\n${table('output', action.outputs)}\n`)

fill('docs/command-line.md', 'init', `\n\`\`\`text\n${(await printed('init', '--help')).trimEnd()}\n\`\`\`\n`)
fill('docs/command-line.md', 'check', `\n\`\`\`text\n${(await printed('check', '--help')).trimEnd()}\n\`\`\`\n`)
fill('docs/replay.md', 'replay', `\n\`\`\`text\n${(await printed('replay', '--help')).trimEnd()}\n\`\`\`\n`)
fill('docs/glossary.md', 'types', `\n${glossary()}\n`)
