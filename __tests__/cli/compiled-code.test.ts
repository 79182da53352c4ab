import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import module from 'node:module'
import path from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { root } from '../harness'
import { temporaryFolder } from '../source/repository'

/** Node 20 keeps none. */
const isKept = 'enableCompileCache' in module

/** The output of the bundled program in a folder of its own, with only these variables. */
function explained(env: Record<string, string>, cwd = temporaryFolder()): string {
  const argv = [path.join(root, 'dist', 'cli.cjs'), 'explain', 'ingress-tls/host-covered']
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd, env, encoding: 'utf8' })
  return `${status} ${stderr}${stdout}`
}

/** The files below a folder; none where it does not exist. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

const wanted = explained({ CI: 'true' })

describe('compiled code', () => {
  test('is kept in the folder of the user', () => {
    const [home, caches] = [temporaryFolder(), temporaryFolder()]
    expect(wanted).toMatch(/^0 .*ingress-tls\/host-covered/s)
    expect(explained({ HOME: home })).toBe(wanted)
    expect(filesIn(path.join(home, '.cache/ingress-guard/code')).length > 0).toBe(isKept)
    expect(explained({ HOME: home, XDG_CACHE_HOME: caches })).toBe(wanted)
    expect(filesIn(path.join(caches, 'ingress-guard/code')).length > 0).toBe(isKept)
  })

  test('is not kept in CI, nor where a repository could write it', () => {
    const [home, checkout] = [temporaryFolder(), temporaryFolder()]
    expect(explained({ CI: 'true', HOME: home, XDG_CACHE_HOME: home })).toBe(wanted)
    expect(filesIn(home)).toEqual([])
    expect(explained({ XDG_CACHE_HOME: '.cache', HOME: '' }, checkout)).toBe(wanted)
    expect(explained({ HOME: '.' }, checkout)).toBe(wanted)
    expect(filesIn(checkout)).toEqual([])
  })

  test('of which an entry is damaged or another one changes nothing', () => {
    const home = temporaryFolder()
    explained({ HOME: home })
    const entries = filesIn(home)
    expect(entries.length > 0).toBe(isKept)
    const [first = '', ...others] = entries
    for (const entry of others) copyFileSync(first, entry)
    expect(explained({ HOME: home })).toBe(wanted)
    for (const entry of entries) writeFileSync(entry, 'no code')
    expect(explained({ HOME: home })).toBe(wanted)
    for (const entry of entries) writeFileSync(entry, '')
    expect(explained({ HOME: home })).toBe(wanted)
  })

  test('is left out where there is no place for it', () => {
    const home = temporaryFolder()
    mkdirSync(path.join(home, '.cache'))
    writeFileSync(path.join(home, '.cache/ingress-guard'), '')
    expect(explained({ HOME: home })).toBe(wanted)
    expect(explained({})).toBe(wanted)
  })
})
