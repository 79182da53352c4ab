// npm run new-rule -- policy/rule: writes a rule with its page and a fixture that is red until the rule works, and adds
// it to the candidate of its policy.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { addRule, candidateOf } from './candidate'

const [id = ''] = process.argv.slice(2)
const [policy = '', name = ''] = id.split('/')
if (!/^[a-z0-9-]+\/[a-z][a-z0-9-]*$/.test(id))
  refuse('Name the rule as policy/what-must-hold: npm run new-rule -- ingress-tls/hsts-set')
if (existsSync(`src/rules/${id}.ts`)) refuse(`The rule ${id} exists already.`)
const candidate = candidateOf(policy)
if (!candidate) refuse(`There is no policy ${policy}; the folders of policies/ are the policies.`)

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${file}`)
}

write(
  `src/rules/${id}.ts`,
  `import { defineRule } from '../../rule/rule'

export default defineRule({
  id: '${id}',
  summary: 'Say in one sentence what holds when this rule is silent.',
  since: '${candidate.version.replace(/-.*/, '')}',
  scope: 'manifest',
  kinds: ['Ingress.networking.k8s.io'],
  messages: {
    broken: ({ name }: { name: string }) => \`Say what is wrong with \${name}. Say what to do.\`,
  },
  check({ manifest, report }) {
    const at = manifest.root.at('spec', 'theFieldYouRead')
    if (at.string === 'wrong') report(at, 'broken', { name: manifest.ref.name }, { keys: [at.string] })
  },
})
`,
)

const failing = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: shop }
spec:
  ingressClassName: wrong # expect: ${id} "what is wrong"
`
const passing = failing.replace(/wrong # expect.*/, 'right')
write(`__tests__/fixtures/${id}/fires.yaml`, failing)
write(`__tests__/fixtures/${id}/silent.yaml`, passing)
write(
  `docs/rules/${id}.md`,
  `# ${id}

<!-- head -->
<!-- /head -->

## What it stops

## What it reads

## Fails

\`\`\`yaml
${failing}\`\`\`

## Passes

\`\`\`yaml
${passing}\`\`\`

## What to do

## A wanted change

## Sources
`,
)

const index = 'src/rules/index.ts'
const isImport = (line: string) => /^import \w+ from '\.\/.*\/.*'$/.test(line)
const lines = readFileSync(index, 'utf8').split('\n')
const imports = lines.filter(isImport)
const camelCase = (text: string) => text.replace(/[-/]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const isTaken = imports.some((line) => line.split(' ')[1] === camelCase(name))
imports.push(`import ${camelCase(isTaken ? id : name)} from './${id}'`)
const pathOf = (line: string) => line.slice(line.indexOf("'"))
imports.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
const names = imports.map((line) => line.split(' ')[1])
const rest = lines.filter((line) => !isImport(line)).join('\n')
writeFileSync(index, `${imports.join('\n')}\n${rest.replace(/= \[[\s\S]*?\]/, `= [${names.join(', ')}]`)}`)
console.log(`added it to ${index}`)
addRule(candidate.path, id)
console.log(`added it to ${candidate.path}`)
execFileSync('npx', ['biome', 'check', '--write', index, `src/rules/${id}.ts`], {
  stdio: ['ignore', 'ignore', 'inherit'],
})

console.log(`
Write examples that the rule has to find into __tests__/fixtures/${id}/, and the same examples into docs/rules/${id}.md.
Write the rule until \`npm test -- rules\` is green, then its page; \`npm run all\` fills in the rest.
Before a release, \`npm run release-policy\` makes a release of ${candidate.path}.`)
