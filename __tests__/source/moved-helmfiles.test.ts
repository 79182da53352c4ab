import { expect, test } from '@jest/globals'
import { change, chart } from './probe'
import type { Files } from './repository'

const values =
  'ingress:\n  enabled: true\n  hosts: [{host: a.example.com}]\n  tls: [{hosts: [b.example.com], secretName: b}]\n'
const helmfile = (more = '') => `releases:
  - name: web
    namespace: shop
    chart: acme/web
    values: [../config/web.yaml]
  - name: edge
    namespace: shop
    chart: ../charts/edge
    values: [{host: c.example.com}]
${more}`
const there: Files = { ...chart, 'config/web.yaml': values }

async function covered(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change({ ...there, ...base }, head)
  return findings
    .filter(({ rule }) => rule === 'ingress-tls/host-covered')
    .map(({ status, keys }) => `${status} ${keys}`)
}

test('the findings of a helmfile that is renamed are there already', async () => {
  const head = { 'clusters/one.yaml': null, 'clusters/two.yaml': `# edited\n${helmfile()}` }
  const found = await covered({ 'clusters/one.yaml': helmfile() }, head)
  expect(found.filter((one) => !one.startsWith('existing'))).toEqual([])
})

test('those of a copy are new', async () => {
  const found = await covered({ 'clusters/one.yaml': helmfile() }, { 'clusters/two.yaml': helmfile() })
  expect(found).toContain('introduced a.example.com')
})
