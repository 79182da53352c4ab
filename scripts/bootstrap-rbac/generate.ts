// npm run bootstrap-rbac [-- VERSION…]: writes facts/bootstrap-rbac.yaml from Kubernetes itself. Needs Go and a module
// proxy. Reads the releases that the file names, the next minor release where there is one, and, in place of another
// patch of its minor, each release that is named here. A workflow runs it every week.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse } from 'yaml'
import { type Answer, answerOf, newestPatch } from './kubernetes'
import { tableLines } from './table'

const file = 'facts/bootstrap-rbac.yaml'
const source = 'https://pkg.go.dev/k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy'

const minorOf = (version: string) => version.split('.').slice(0, 2).join('.')
const minorNumber = (version: string) => Number(version.split('.')[1])

const written = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {}
const before: string[] = written.read?.releases ?? []
const named = process.argv.slice(2)
const newest = Math.max(...[...before, ...named].map(minorNumber))
const next = await newestPatch(`1.${newest + 1}`)
const versions = new Map([...before, ...named, ...(next ? [next] : [])].map((version) => [minorOf(version), version]))

const answers = new Map<string, Answer>()
for (const [minor, version] of [...versions].sort(([a], [b]) => minorNumber(a) - minorNumber(b))) {
  process.stdout.write(`Kubernetes ${version}\n`)
  answers.set(minor, await answerOf(version))
}
const releases = [...answers.keys()].map((minor) => versions.get(minor))
const isSame = JSON.stringify(releases) === JSON.stringify(before)
const checked = isSame ? written.read.checked : new Date().toISOString().slice(0, 10)
const text = [
  '# The roles and bindings that every API server makes for itself, of each minor release that was read, with the differences between',
  '# them: `in` are the releases that have something, where not all have it; `gated` are those that have it with some feature gates',
  '# and without it with others; `sometimes` are subjects that not every cluster has. Written by npm run bootstrap-rbac from Kubernetes itself; do not edit.',
  'format: 1',
  'read:',
  `  releases: [${releases.join(', ')}]`,
  `  source: ${source}`,
  `  checked: ${checked}`,
  ...tableLines(answers),
  '',
].join('\n')
writeFileSync(file, text)
