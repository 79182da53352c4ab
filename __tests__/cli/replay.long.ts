import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { root } from '../harness'
import { configMap } from '../source/objects'
import { gitSettings, TestRepository, temporaryFolder } from '../source/repository'
import { covered, holed } from './changes'

/** The program as it is shipped, with what it printed and its exit status. */
function replaying(repo: string, cache: string) {
  const argv = ['replay', '--offline', '--repo', repo, '--cache', cache, '--jobs', '1']
  const child = spawn(process.execPath, [path.join(root, 'dist/cli.cjs'), ...argv], {
    env: { ...process.env, ...gitSettings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  child.stdout.on('data', (text) => {
    stdout += String(text)
  })
  return { child, ended: once(child, 'close').then(([status]) => ({ status: Number(status), stdout })) }
}

function entries(cache: string): string[] {
  const folder = path.join(cache, 'replays')
  return existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGKILL', 0],
] as const)('a replay that %s ends goes on where it was', async (signal, status) => {
  const repo = new TestRepository()
  const cache = temporaryFolder()
  repo.commit({ 'web.yaml': covered })
  repo.commit({ 'web.yaml': holed })
  for (let index = 0; index < 11; index += 1) repo.commit({ 'a.yaml': configMap(`a${index}`) })
  const first = replaying(repo.dir, cache)
  while (entries(cache).length < 2) await pause(10)
  first.child.kill(signal)
  const ended = await first.ended
  expect(ended.stdout).toBe('')
  if (signal !== 'SIGKILL') expect(ended.status).toBe(status)
  const kept = entries(cache).length
  expect(kept).toBeLessThan(12)
  const second = await replaying(repo.dir, cache).ended
  expect(second.status).toBe(0)
  expect(second.stdout).toContain('ingress-guard would have stopped 1 of 12 commits (8.3 %) of main')
  expect(second.stdout).toContain(`\n${kept} judgements of an earlier replay were used.\n`)
})
