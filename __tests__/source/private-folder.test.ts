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
