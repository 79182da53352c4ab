import { expect, test } from '@jest/globals'
import { closest, isMistyped, oneEditFrom } from '../src/closest'

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

test.each([
  ['externel', 'external', true],
  ['gateway-intrenal', 'gateway-internal', true],
  ['intrenla', 'internal', true],
  ['internal', 'external', false],
  ['web-a', 'web-b', false],
  ['gateway-1', 'gateway-2', false],
  ['public', 'public-2', false],
  ['publik-gatewey', 'public-gateway', false],
  ['public', 'public', false],
])('%s for %s is a typing error: %s', (given, name, is) => {
  expect(isMistyped(given, name)).toBe(is)
})
