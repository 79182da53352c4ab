// npm run new-rule -- policy/rule: writes a rule with its page and a fixture that is red until the rule works.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const [id = ''] = process.argv.slice(2)
if (!/^[a-z0-9-]+\/[a-z0-9-]+$/.test(id)) {
  console.error('Name the rule as policy/what-must-hold: npm run new-rule -- ingress-tls/hsts-set')
  process.exit(2)
}
const [policy = '', name = ''] = id.split('/')
const variable = name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

function write(file: string, text: string): void {
  if (existsSync(file)) throw new Error(`${file} is there already.`)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
  console.log(`wrote ${file}`)
}

write(
  `src/rules/${id}.ts`,
  `import { defineRule } from '../rule'

export default defineRule({
  id: '${id}',
  summary: 'Say in one sentence what holds when this rule is silent.',
  since: '1.1.0',
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
  ingressClassName: nginx # expect: ${id} "what is wrong"
`
const passing = failing.replace(/ # expect.*/, '')
write(`__tests__/fixtures/${id}/fires.yaml`, `# What is wrong here.\n${failing}`)
write(`__tests__/fixtures/${id}/silent.yaml`, `# What is right here.\n${passing}`)
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
const lines = readFileSync(index, 'utf8').split('\n')
const imports = lines.filter((line) => /^import \w+ from '\.\/.*\/.*'$/.test(line))
imports.push(`import ${variable} from './${id}'`)
const pathOf = (line: string) => line.slice(line.indexOf("'"))
imports.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
const names = imports.map((line) => line.split(' ')[1])
const rest = lines.filter((line) => !/^import \w+ from '\.\/.*\/.*'$/.test(line)).join('\n')
writeFileSync(index, `${imports.join('\n')}\n${rest.replace(/= \[[\s\S]*?\]/, `= [${names.join(', ')}]`)}`)
console.log(`added it to ${index}; now add it to the next version of policies/${policy}/ and run npm test`)
