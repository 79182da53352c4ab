// npm run tools -- [NAME…]: brings the binaries that tests run into .tools/bin; all of them when none is named, each
// package in a process of its own, as it takes a while to get one and to unpack it.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { bring, toolsByPackage } from './pinned-tools'

const names = process.argv.slice(2)
const self = [...process.execArgv, fileURLToPath(import.meta.url)]
if (names.length > 0) for (const name of names) console.log(bring(name))
else
  await Promise.all(
    toolsByPackage().map(async (together) => {
      const { stdout } = await promisify(execFile)(process.execPath, [...self, ...together])
      process.stdout.write(stdout)
    }),
  )
