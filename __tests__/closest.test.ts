import { expect, test } from '@jest/globals'
import { closest } from '../src/closest'

const names = ['ingress-tls/host-covered', 'ingress-tls/secret-type', 'protected-rbac/object-kept']

test.each([
  ['ingress-tls/host-covred', 'ingress-tls/host-covered'],
  ['host-coverd', 'ingress-tls/host-covered'],
  ['hots-covered', 'ingress-tls/host-covered'],
  ['object-keeps', 'protected-rbac/object-kept'],
  ['secret-typ', 'ingress-tls/secret-type'],
  ['x', undefined],
  ['', undefined],
  ['something-else', undefined],
  ['a'.repeat(100_000), undefined],
])('%s', (given, name) => {
  expect(closest(given, names)).toBe(name)
})
