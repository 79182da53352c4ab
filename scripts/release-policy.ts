// npm run release-policy [-- POLICY]: makes a release of each open candidate, or of one policy's, and writes its hash
// to policies/released.json. With --candidate a candidate stays one that users may name, and does not change from then
// on.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import semver from 'semver'
import { bundledPolicies } from '../src/host/bundled'
import { openCandidates, readReleased } from './candidate'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { candidate: { type: 'boolean' } } })

const open = openCandidates().filter(({ file }) => positionals.length === 0 || positionals.includes(file.policy))
if (!values.candidate) {
  for (const { path, file } of open) {
    const version = semver.coerce(file.version)?.version
    const release = `policies/${file.policy}/${version}.yaml`
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^version: .*$/m, `version: ${version}`))
    renameSync(path, release)
    console.log(`${path} is ${release} now`)
  }
}

const stillOpen = new Set(openCandidates().map(({ path }) => path))
const released = readReleased()
for (const { path } of bundledPolicies(process.cwd())) {
  const isPublished = values.candidate && open.some((one) => one.path === path)
  if (stillOpen.has(path) && !isPublished) continue
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
  if (released[path] === undefined) console.log(`wrote the hash of ${path}; it never changes again`)
  else if (released[path] !== hash) throw new Error(`${path} was released and has changed: copy it to a new version.`)
  released[path] = hash
}
const sorted = Object.fromEntries(Object.entries(released).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync('policies/released.json', `${JSON.stringify(sorted, null, 2)}\n`)
