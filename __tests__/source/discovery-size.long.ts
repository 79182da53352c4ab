// Sizes that no repository has, in full: npm run test:long. followed-limits.test.ts has the same with smaller limits.
import { expect, test } from '@jest/globals'
import { application, chart, discovered, many, variablesOf, wide } from './discovered'

test('10,000 Applications: 500 of their renderings are searched, and the others are listed', async () => {
  const files = { ...chart, 'root.yaml': many(10_000, (index) => application(`app-${index}`, 'apps')) }
  const { rendered, listed, sources } = await discovered(files, wide, () => '')
  expect([rendered.length, listed.length, sources.length]).toEqual([500, 9500, 10_000])
})

test('500 renderings that bring 20,000 objects', async () => {
  const files = { ...chart, 'root.yaml': many(500, (index) => application(`app-${index}`, 'apps')) }
  const brought = (release: string) => many(40, (index) => application(`${release}-${index}`, `gone/${index}`))
  const { rendered, notInspected } = await discovered(files, wide, brought)
  expect(rendered).toHaveLength(500)
  expect(notInspected).toHaveLength(20_000)
})

test('the values of 3,000 ConfigMaps', async () => {
  expect(await variablesOf(3000)).toMatchObject({ substitutions: { FOLDER: 'team-2999' } })
})
