import { expect, test } from '@jest/globals'
import { Budget } from '../../src/budget'
import { timingsOf } from '../../src/finding/timings'
import { timingLines, timingSentence } from '../../src/report/timing-lines'
import { checkJson, guard } from '../cli/guard'

test('long steps are measured by the given clock, those that fail as well', async () => {
  let now = 5
  const budget = new Budget(
    60,
    () => {},
    () => now,
  )
  await budget.during('rendering a', 'a.yaml', async () => {
    now += 40
  })
  const failing = budget.during('rendering b', 'b.yaml', async () => {
    now += 7
    throw new Error('it failed')
  })
  await expect(failing).rejects.toThrow('it failed')
  expect(budget.spent).toEqual([
    { doing: 'rendering a', path: 'a.yaml', milliseconds: 40 },
    { doing: 'rendering b', path: 'b.yaml', milliseconds: 7 },
  ])
})

test('renderings of one source count together, and the ten longest are listed', () => {
  const rendered = Array.from({ length: 12 }, (_, index) => ({
    doing: `rendering s${index}`,
    path: `s${index}.yaml`,
    milliseconds: index,
  }))
  const again = { doing: 'rendering s3', path: 's3.yaml', milliseconds: 100 }
  const timings = timingsOf([...rendered, again], { start: 10, read: 210.4, judged: 215, located: 400 })
  expect({ ...timings, slowest: timings.slowest.map(({ path, milliseconds }) => `${path} ${milliseconds}`) }).toEqual({
    read: 200,
    render: 166,
    judge: 5,
    locate: 185,
    slowest: [
      's3.yaml 103',
      ...[11, 10, 9, 8, 7, 6, 5, 4, 2].map((milliseconds) => `s${milliseconds}.yaml ${milliseconds}`),
    ],
  })
})

test('the lines for people name the parts, then the renderings, whose names are text', () => {
  const slowest = [{ path: 'Chart.yaml', what: 'rendering charts/\u001b[2J\nweb', milliseconds: 1234 }]
  const timings = { read: 1500, render: 1234, judge: 20, locate: 0, slowest }
  expect(timingSentence(timings)).toBe('The run took 1.52 s.')
  expect(timingLines(timings)).toEqual([
    'reading 1.50 s, rendering 1.23 s in all, judging 0.02 s, locating 0.00 s',
    'rendering charts/\\x1b[2J\\nweb: 1.23 s',
  ])
})

test('a report has timings where they are asked for, and no others', async () => {
  const folders = ['--base', './__tests__/fixtures/ingress-tls', '--head', './__tests__/fixtures/ingress-tls']
  const { timings } = await checkJson(...folders, '--timings')
  expect(timings).toEqual({ read: 0, render: 0, judge: 0, locate: 0, slowest: [] })
  expect(await checkJson(...folders)).not.toHaveProperty('timings')
  const { stderr } = await guard(['check', ...folders, '--timings'])
  expect(stderr).toBe('ingress-guard: reading 0.00 s, rendering 0.00 s in all, judging 0.00 s, locating 0.00 s\n')
})
