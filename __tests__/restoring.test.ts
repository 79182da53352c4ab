import { describe, expect, test } from '@jest/globals'
import type { Finding } from '../src/finding/report'
import { applied } from './applied'
import { judge, type Texts } from './harness'

const item = (kind: string, name: string) =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\nrules: []\n`
const role = item('ClusterRole', 'view')
const one = item('ClusterRole', 'one')
const two = item('ClusterRole', 'two')
const listOf = (...items: string[]) =>
  `apiVersion: v1\nkind: List\nitems:\n${items.map((text) => `  - ${text.trimEnd().replaceAll('\n', '\n    ')}\n`).join('')}`

async function introduced(base: Texts, head: Texts): Promise<Finding[]> {
  const { findings } = await judge({ base, head }, 'protected-rbac/object-kept')
  return findings.filter(({ status }) => status === 'introduced')
}

describe('a removed object is put back', () => {
  test.each<[string, string, string | undefined, string]>([
    ['with its file', `# why\n${role}# end`, undefined, `# why\n${role}# end`],
    ['with its document of a file that is deleted', `${one}---\n${role}`, undefined, `---\n${role}`],
    ['with its item of a file that is deleted', listOf(one, role), undefined, `---\n${role}`],
    ['between two documents', `${one}---\n${role}---\n${two}`, `${one}---\n${two}`, `${one}---\n${role}---\n${two}`],
    ['before a document', `${role}---\n${two}`, two, `${role}---\n${two}`],
    ['before a separator', `---\n${role}---\n${two}`, `---\n${two}`, `${role}---\n${two}`],
    ['behind a document', `${one}---\n${role}`, one, `${one}---\n${role}`],
    ['behind a line that does not end', `${one}---\n${role}`, one.trimEnd(), `${one}---\n${role}`],
    ['into a file that is emptied', role, '', role],
    ['beside what took its place', role, role.replace('view', 'other'), `${role}---\n${role.replace('view', 'other')}`],
    ['between two items', listOf(one, role, two), listOf(one, two), listOf(one, role, two)],
    ['before an item', listOf(role, two), listOf(two), listOf(role, two)],
    ['behind an item', listOf(one, role), listOf(one), listOf(one, role)],
    [
      'as lines that end as Windows does',
      `${one}---\n${role}`.replaceAll('\n', '\r\n'),
      one.replaceAll('\n', '\r\n'),
      '',
    ],
  ])('%s', async (_, base, now, expected) => {
    const head: Texts = { 'notes.yaml': two, ...(now === undefined ? {} : { 'r.yaml': now }) }
    const [finding] = await introduced({ 'notes.yaml': two, 'r.yaml': base }, head)
    if (!finding?.fix) throw new Error('There is no fix.')
    const after = applied(head, finding.fix)
    if (expected) expect(after['r.yaml']).toBe(expected)
    expect(await introduced({ 'notes.yaml': two, 'r.yaml': base }, after)).toEqual([])
  })

  test('not where it was JSON, nor where its list is gone', async () => {
    const json = (...items: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
    const view = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'view' } }
    const findings = [
      ...(await introduced({ 'r.json': json(view), 'notes.yaml': two }, { 'r.json': json(), 'notes.yaml': two })),
      ...(await introduced({ 'r.yaml': listOf(role) }, { 'r.yaml': one })),
    ]
    expect(findings.map(({ fix }) => fix)).toEqual([undefined, undefined])
  })
})
