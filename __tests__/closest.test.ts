import { expect, test } from '@jest/globals'
import { closest, oneEditFrom } from '../src/closest'

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

test.each([
  ['services', 'service'],
  ['ingresClass', 'ingressClass'],
  ['extarArgs', 'extraArgs'],
  ['service', undefined],
  ['ingress', undefined],
  ['tpc', undefined],
])('%s is one edit from %s', (given, name) => {
  expect(oneEditFrom(given, ['service', 'ingressClass', 'extraArgs', 'tcp'])).toBe(name)
})
