// npm run name -- OWNER/REPO: writes the repository under which this is published wherever package.json's present one
// is named.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const [, , wanted = ''] = process.argv
if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,38}\/[A-Za-z0-9._-]{1,100}$/.test(wanted))
  throw new Error(`${JSON.stringify(wanted)} is no repository. Give OWNER/REPO: npm run name -- acme/ingress-guard`)

const { repository } = JSON.parse(readFileSync('package.json', 'utf8'))
const present: string = repository.url.match(/github\.com\/(.+?)\.git$/)?.[1]
const files = execFileSync('git', ['grep', '-lIF', '-e', present, '--', '.', ':!dist', ':!CHANGELOG.md'], {
  encoding: 'utf8',
})
for (const file of files.trim().split('\n')) {
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(present, wanted))
  console.log(`${file}: ${present} is ${wanted} now`)
}
console.log('Run npm run check, and commit what changed.')
