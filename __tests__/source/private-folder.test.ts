import { existsSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { PrivateFolder } from '../../src/revision/private-folder'

test('a private folder goes when it is removed, and when the process ends before', () => {
  const before = process.listeners('exit')
  const [removed, left] = [new PrivateFolder('ingress-guard-test-'), new PrivateFolder('ingress-guard-test-')]
  removed.remove()
  expect([existsSync(removed.path), existsSync(left.path)]).toEqual([false, true])
  const [atExit] = process.listeners('exit').filter((listener) => !before.includes(listener))
  atExit?.(0)
  expect(existsSync(left.path)).toBe(false)
  expect(process.listeners('exit')).toEqual(before)
})

test('many private folders take one place among the listeners to the end of the process', () => {
  const before = process.listenerCount('exit')
  const folders = Array.from({ length: 30 }, () => new PrivateFolder('ingress-guard-test-'))
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const one of folders) one.remove()
  expect(process.listenerCount('exit')).toBe(before)
  expect(folders.some(({ path }) => existsSync(path))).toBe(false)
})
