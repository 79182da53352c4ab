import { expect, test } from '@jest/globals'
import { Budget, type Overrun } from '../src/budget'

const forever = () => new Promise<never>(() => {})
const overrunOf = (budget: Budget, work: () => Promise<unknown>) =>
  budget.within<unknown>(work, (overrun: Overrun) => overrun)

test('work that ends in its time gives what it gives', async () => {
  expect(await overrunOf(new Budget(60), async () => 'done')).toBe('done')
  await expect(
    overrunOf(new Budget(60), async () => {
      throw new Error('its own')
    }),
  ).rejects.toThrow('its own')
})

test('a step that waits for ever is ended and named', async () => {
  const budget = new Budget(0.0001)
  const overrun = await overrunOf(budget, async () => {
    budget.doing('reading a.yaml', 'a.yaml')
    return forever()
  }).catch(String)
  expect(overrun).toMatchObject({ minutes: 0.0001 })
  expect(budget.signal.aborted).toBe(true)
  expect(budget.secondsLeft).toBe(0)
})

test('of what goes on at once, what began first is named, not what was done beside it', async () => {
  const budget = new Budget()
  const overrun = await overrunOf(budget, async () => {
    await budget.during('rendering done', 'done', async () => {})
    void budget.during('rendering one', 'one', forever)
    void budget.during('rendering two', 'two', forever)
    budget.doing('reading a.yaml', 'a.yaml')
    budget.exhaust()
    return forever()
  })
  expect(overrun).toEqual({ doing: 'rendering one', path: 'one', minutes: Number.POSITIVE_INFINITY })
})

test('a step is shown again only when it differs, and what goes on at once keeps steps of its own', async () => {
  const shown: string[] = []
  const budget = new Budget(60, ({ doing, path }) => shown.push(`${doing} ${path}`))
  for (const path of ['a.yaml', 'a.yaml', 'b.yaml', 'a.yaml']) budget.doing('checking', path)
  await Promise.all([1, 2].map(() => budget.during('rendering', 'one', async () => {})))
  expect(shown).toEqual(['checking a.yaml', 'checking b.yaml', 'checking a.yaml', 'rendering one'])
  expect(budget.spent.map(({ doing, path }) => `${doing} ${path}`)).toEqual(['rendering one', 'rendering one'])
})

test('nothing more is begun afterwards, and what fails for that is not heard', async () => {
  const budget = new Budget()
  const begun: string[] = []
  const overrun = await overrunOf(budget, async () => {
    budget.doing('reading a.yaml', 'a.yaml')
    budget.exhaust()
    budget.doing('reading b.yaml', 'b.yaml')
    begun.push('b.yaml')
  })
  expect(overrun).toMatchObject({ doing: 'reading a.yaml', path: 'a.yaml' })
  expect(begun).toEqual([])
  const ended = new Budget()
  const inItsWords = overrunOf(ended, async () => {
    ended.exhaust()
    throw new Error('git was ended')
  })
  expect(await inItsWords).toMatchObject({ doing: 'starting' })
})

test('a watch that was not looked at for long is looked at before the next step', async () => {
  const budget = new Budget(1e-9)
  // No timer has had its turn yet.
  expect(() => budget.doing('reading a.yaml')).toThrow()
  expect(await overrunOf(budget, forever).catch(() => 'ended')).toBeDefined()
})
