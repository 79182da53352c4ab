import { expect, test } from '@jest/globals'
import { progressLine } from '../../src/cli/progress-line'

/** The texts that are written for steps, and at the end. */
function written(columns: number, steps: readonly string[]): string[] {
  const texts: string[] = []
  const works: (() => void)[] = []
  const remaining = [...steps]
  const show = progressLine({ write: (text) => texts.push(text), columns }, (work) => {
    works.push(work)
    return () => works.pop()
  })
  const hide = show(() => ({ doing: remaining.shift() ?? '' }))
  for (const _ of steps) works[0]?.()
  hide()
  expect(works).toEqual([])
  return texts
}

test('the current step replaces the one before it, and is removed at the end', () => {
  expect(written(80, ['reading apps/web.yaml', 'rendering charts/web'])).toEqual([
    '\rreading apps/web.yaml …\u001b[K',
    '\rrendering charts/web …\u001b[K',
    '\r\u001b[K',
  ])
})

test('a step is cut to the line of the terminal', () => {
  expect(written(20, ['rendering charts/a-long-name'])[0]).toBe('\rrendering charts/a…\u001b[K')
  expect(written(0, ['x'.repeat(100)])[0]).toBe(`\r${'x'.repeat(78)}…\u001b[K`)
})

test('a path cannot move the cursor', () => {
  expect(written(80, ['reading a\u001b[2J\r.yaml'])[0]).toBe('\rreading a\\x1b[2J\\x0d.yaml …\u001b[K')
})
