import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { root } from '../harness'

/** Makes folders in a process of its own, and removes one of them. */
const program = `
import { existsSync } from 'node:fs'
import { PrivateFolder } from './src/revision/private-folder.ts'

const before = process.listenerCount('exit')
const folders = Array.from({ length: 30 }, () => new PrivateFolder('ingress-guard-test-'))
const listeners = process.listenerCount('exit') - before
folders[0].remove()
const paths = folders.map(({ path }) => path)
console.log(JSON.stringify({ paths, left: paths.filter((path) => existsSync(path)).length, listeners }))
`

test('a private folder goes when it is removed, and when the process ends before; many take one listener', () => {
  const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  })
  const { paths, left, listeners } = JSON.parse(output)
  expect({ folders: paths.length, left, listeners }).toEqual({ folders: 30, left: 29, listeners: 1 })
  expect(paths.filter((path: string) => existsSync(path))).toEqual([])
})
