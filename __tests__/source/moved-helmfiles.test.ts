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

async function removals(from: string, to: string, after = helmfile()): Promise<string[]> {
  const { findings } = await change({ ...there, [from]: helmfile() }, { [from]: null, [to]: after })
  return findings.filter(({ location }) => location.path === from).map(({ level, rule }) => `${level} ${rule}`)
}

test('the releases of a helmfile that is renamed in its folder are not removed', async () => {
  expect(await removals('helmfile.d/10-web.yaml', 'helmfile.d/20-web.yaml')).toEqual([])
})

test.each([
  ['of the default name', 'deploy/helmfile.yaml', 'deploy/old.yaml', helmfile()],
  ['to another folder', 'helmfile.d/10-web.yaml', 'helmfile/10-web.yaml', helmfile()],
  ['to a name that helmfile does not take', 'helmfile.d/10-web.yaml', 'helmfile.d/10-web.yaml.bak', helmfile()],
  [
    'with another release of that name',
    'helmfile.d/10-web.yaml',
    'helmfile.d/20-web.yaml',
    helmfile().replace('namespace: shop', 'namespace: other'),
  ],
])('those of one that is renamed %s are', async (_, from, to, after) => {
  expect(await removals(from, to, after)).toContain('warning source/not-judged')
})

const template = (name: string) =>
  `releases:\n  - name: ${name}\n    namespace: shop\n    chart: acme/web\n    values: [{{ exec "x" (list) }}]\n`

test.each([
  ['of the default name gets its ending', 'deploy/helmfile.yaml', 'deploy/helmfile.yaml.gotmpl'],
  ['gets another name in its folder', 'helmfile.d/10-web.yaml', 'helmfile.d/20-web.yaml'],
])('a helmfile that is a template and %s is not removed', async (_, from, to) => {
  const { findings } = await change({ [from]: template('web') }, { [from]: null, [to]: template('web') })
  expect(findings.map(({ location, text }) => [location.path, text.includes('This change removes')])).toEqual([
    [to, false],
  ])
})

test.each([
  ['loses the default name', 'deploy/helmfile.yaml', 'deploy/helmfile-web.yaml', 'web'],
  ['gets another content', 'helmfile.d/10-web.yaml', 'helmfile.d/20-web.yaml', 'api'],
  ['gets another folder', 'helmfile.d/10-web.yaml', 'other/helmfile.yaml', 'web'],
])('one that %s is', async (_, from, to, name) => {
  const { findings } = await change({ [from]: template('web') }, { [from]: null, [to]: template(name) })
  expect(findings.some(({ text }) => text.includes('This change removes') || text.includes(from))).toBe(true)
})
