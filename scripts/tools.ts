// npm run tools -- [NAME…]: brings the binaries that tests run into .tools/bin; all of them when none is named.
import { bring, toolNames } from './pinned-tools'

const names = process.argv.slice(2)
for (const name of names.length > 0 ? names : toolNames) console.log(bring(name))
