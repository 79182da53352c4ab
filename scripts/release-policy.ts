// Writes the hash of each new policy version to policies/released.json. A version that stands there never changes.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { bundledPolicies } from '../src/source/bundled'

const file = 'policies/released.json'
const released = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
for (const { path } of bundledPolicies(process.cwd())) {
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (released[path] === undefined) console.log(`released ${path}`)
  else if (released[path] !== hash) throw new Error(`${path} was released and has changed: copy it to a new version.`)
  released[path] = hash
}
const sorted = Object.fromEntries(Object.entries(released).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
