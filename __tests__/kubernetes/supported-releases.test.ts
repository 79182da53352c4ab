import { expect, test } from '@jest/globals'
import { oldestSupported } from '../../src/kubernetes/versions/supported-releases'

test.each([
  ['2019-01-01', '1.15'],
  ['2021-08-31', '1.15'],
  ['2023-01-01', '1.19'],
  ['2026-11-29', '1.31'],
  // Later than the table knows, its newest release counts.
  ['2040-01-01', '1.34'],
])('on %s, the oldest supported release is %s', (today, release) => {
  expect(oldestSupported(today)).toBe(release)
})
