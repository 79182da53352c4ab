import { describe, expect, test } from '@jest/globals'
import type { Report } from '../../src/finding/report'
import { jsonReport } from '../../src/report/json'
import { terminalReport } from '../../src/report/terminal'
import { type Case, caseOf, judge, readFolder, root } from '../harness'

const tls = (hosts: string, secret = 'shop-tls') => `    - {hosts: [${hosts}], secretName: ${secret}}\n`
const routes = (...hosts: string[]) => hosts.map((host) => `    - host: ${host}\n`).join('')

/** An Ingress that routes two hosts: each on a line of its own, from line 10 on. */
function shop(entry: string, name = 'shop', hosts = ['a.example.com', 'b.example.com']): string {
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ${name}
  namespace: shop
spec:
  tls:
${entry}  rules:
${routes(...hosts)}  defaultBackend: {service: {name: web, port: {number: 80}}}
`
}

const both = shop(tls('a.example.com, b.example.com'))
const one = shop(tls('a.example.com'))
const lost = { base: { 'shop.yaml': both }, head: { 'shop.yaml': one } }

function exception(rule: string, more = ''): string {
  return `format: 1\nexceptions:\n  - {rule: ${rule}, object: Ingress/shop/shop, reason: moved to the load balancer, expires: 2026-12-31}\n${more}`
}

/** `error host-covered web.yaml:11 + tls-kept`, or `(error …)` where an exception covers it. */
function stated({ findings }: Report): string[] {
  return findings
    .filter(({ status, policy }) => status !== 'resolved' && policy)
    .map(({ rule, level, location, also = [], exception }) => {
      const name = (id: string) => id.split('/')[1]
      const others = also.map(({ rule: other }) => ` + ${name(other)}`).join('')
      const line = `${level} ${name(rule)} ${location.path}:${location.region.startLine}${others}`
      return exception ? `(${line})` : line
    })
}

const merged = 'error host-covered shop.yaml:11 + tls-kept'

test('a host that loses its TLS entry is one finding, with the words of both rules in every report', async () => {
  const report = await judge(lost)
  expect(stated(report)).toEqual([merged])
  const [finding] = jsonReport(report).findings
  const words = 'This change removes TLS from b.example.com, which is still routed.'
  expect(finding?.also).toEqual([
    expect.objectContaining({ rule: 'ingress-tls/tls-kept', level: 'error', text: expect.stringContaining(words) }),
  ])
  const plain = (_: unknown, text: string) => text
  expect(terminalReport(report, plain)).toContain(`\n  Also ingress-tls/tls-kept: ${words}`)
  expect(terminalReport(report, plain).match(/- rule: .*/g)).toEqual(['- rule: ingress-tls/host-covered'])
})

test('the finding has the fingerprint that its rule alone gives it', async () => {
  const [alone] = (await judge(lost, 'ingress-tls/host-covered')).findings
  const [other] = (await judge(lost, 'ingress-tls/tls-kept')).findings
  const [finding] = (await judge(lost)).findings
  expect(finding?.fingerprint).toBe(alone?.fingerprint)
  expect(finding?.also?.map(({ fingerprint }) => fingerprint)).toEqual([other?.fingerprint])
})

describe('an exception', () => {
  test.each(['ingress-tls/host-covered', 'ingress-tls/tls-kept', 'ingress-tls/*'])(
    'from %s covers the finding',
    async (rule) => {
      const report = await judge({ ...lost, guard: exception(rule) })
      expect(stated(report)).toEqual([`(${merged})`])
      expect(report.verdict).toBe('pass')
    },
  )

  test.each([
    ['another rule', exception('ingress-tls/host-unique')],
    ['another object', exception('ingress-tls/tls-kept').replace('shop/shop', 'shop/other')],
    ['a day before', exception('ingress-tls/tls-kept').replace('2026-12-31', '2026-11-20')],
  ])('from %s does not', async (_, guard) => {
    const report = await judge({ ...lost, guard })
    expect(stated(report)).toEqual([merged])
    expect(report.verdict).toBe('fail')
  })

  test('from a rule that states less covers its own statement only', async () => {
    const notice = 'policies:\n  - use: ingress-tls@^1\n    rules: {ingress-tls/tls-kept: {level: warning}}\n'
    const report = await judge({ ...lost, guard: exception('ingress-tls/tls-kept', notice) })
    expect(stated(report).sort()).toEqual(['(warning tls-kept shop.yaml:11)', 'error host-covered shop.yaml:11'])
    expect(report.verdict).toBe('fail')
  })
})

test('of several levels the worst leads', async () => {
  const guard =
    'format: 1\npolicies:\n  - use: ingress-tls@^1\n    rules: {ingress-tls/host-covered: {level: notice}}\n'
  expect(stated(await judge({ ...lost, guard }))).toEqual(['error tls-kept shop.yaml:11 + host-covered'])
})

test('hosts and objects are causes of their own', async () => {
  const none = { base: { 'shop.yaml': both }, head: { 'shop.yaml': shop(tls('c.example.com')) } }
  expect(stated(await judge(none)).filter((line) => line.startsWith('error'))).toEqual([
    'error host-covered shop.yaml:10 + tls-kept',
    'error host-covered shop.yaml:11 + tls-kept',
  ])
  const named = (name: string, entry: string) => shop(entry, name, [`a.${name}.example.com`, `b.${name}.example.com`])
  const two = (entry: (name: string) => string): Record<string, string> => ({
    'one.yaml': named('one', entry('one')),
    'two.yaml': named('two', entry('two')),
  })
  const report = await judge({
    base: two((name) => tls(`a.${name}.example.com, b.${name}.example.com`)),
    head: two((name) => tls(`a.${name}.example.com`)),
  })
  expect(stated(report)).toEqual([
    'error host-covered one.yaml:11 + tls-kept',
    'error host-covered two.yaml:11 + tls-kept',
  ])
})

test('a Secret that is named as a host is not that host', async () => {
  const entry = tls('a.example.com', 'b.example.com')
  const opaque =
    'apiVersion: v1\nkind: Secret\nmetadata: {name: b.example.com, namespace: shop}\ntype: Opaque\nstringData: {other: x}\n'
  const report = await judge({ head: { 'shop.yaml': shop(entry), 'secret.yaml': opaque } })
  expect(stated(report)).toContain('error host-covered shop.yaml:11')
  expect(stated(report)).toContain('error secret-type shop.yaml:8')
})

describe('the crash of outage 001', () => {
  const outage = (guard: string): Case => ({ ...caseOf(readFolder(`${root}/incidents/001`)).input, guard })
  /** As the outage's own config has it. */
  const clusters = "clusters: {test: {paths: ['**'], kubernetes: '1.19'}}\n"
  const covering = (rule: string) => exception(rule, clusters).replace('shop/shop', 'orders/orders')
  const crash = 'error controller-crash teams/orders/ingress.yaml:21'

  test('leads what causes it, and points at its lines', async () => {
    const report = await judge(outage(`format: 1\n${clusters}`))
    expect(stated(report)).toEqual([`${crash} + host-covered + secret-type`])
    expect(report.findings[0]?.related.map(({ path, region }) => `${path}:${region.startLine}`)).toEqual([
      'teams/orders/ingress.yaml:12',
      'ingress-nginx/controller.yaml:32',
    ])
  })

  test('is covered by an exception of its own, and by none that was granted for less', async () => {
    const own = await judge(outage(covering('ingress-tls/controller-crash')))
    expect(stated(own)).toEqual([`(${crash} + host-covered + secret-type)`])
    expect(own.verdict).toBe('pass')
    const less = await judge(outage(covering('ingress-tls/host-covered')))
    expect(stated(less).sort()).toEqual(['(error host-covered teams/orders/ingress.yaml:21)', `${crash} + secret-type`])
    expect(less.verdict).toBe('fail')
  })
})
