import { describe, expect, test } from '@jest/globals'
import { judge, type Texts } from './harness'

function role(name: string): string {
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: ${name}\nrules: []\n`
}

/** Level, place and the doubt of each finding that a change introduces. */
async function found(base: Texts, head: Texts): Promise<string[]> {
  const { findings } = await judge({ base, head }, 'protected-rbac/object-kept')
  return findings
    .filter(({ status }) => status === 'introduced')
    .map(({ level, location, text }) =>
      `${level} ${location.path} ${text.match(/A copy is in [^.]*\.yaml/)?.[0] ?? ''}`.trim(),
    )
}

const view = role('view')
const edit = role('edit')

describe('a removal is in doubt', () => {
  test('when the object leaves the files of no known cluster for a cluster’s folder in this change', async () => {
    expect(
      await found({ 'rbac.yaml': view, 'x.yaml': edit }, { 'clusters/a/rbac.yaml': view, 'x.yaml': edit }),
    ).toEqual(['warning rbac.yaml A copy is in clusters/a/rbac.yaml'])
  })

  test('when the folder was taken for a cluster and a copy stays in another', async () => {
    const twice = { 'a/rbac.yaml': view, 'a/x.yaml': edit, 'b/rbac.yaml': view, 'b/x.yaml': edit }
    const { 'a/rbac.yaml': _, ...head } = twice
    expect(await found(twice, head)).toEqual(['warning a/rbac.yaml A copy is in b/rbac.yaml'])
  })
})

describe('a removal is certain', () => {
  test('when nothing is left of the cluster’s folder it leaves', async () => {
    const head = { 'a/rbac.yaml': view, 'x.yaml': edit }
    expect(await found({ 'clusters/a/rbac.yaml': view, 'x.yaml': edit }, head)).toEqual(['error clusters/a/rbac.yaml'])
  })

  test('when the cluster’s folder it leaves is still there', async () => {
    const base = { 'clusters/a/rbac.yaml': view, 'clusters/a/x.yaml': edit }
    expect(await found(base, { 'clusters/a/x.yaml': edit, 'old/rbac.yaml': view })).toEqual([
      'error clusters/a/rbac.yaml',
    ])
  })

  test('when a copy stays in another cluster’s folder', async () => {
    const base = { 'clusters/a/rbac.yaml': view, 'clusters/b/rbac.yaml': view }
    expect(await found(base, { 'clusters/b/rbac.yaml': view })).toEqual(['error clusters/a/rbac.yaml'])
  })
})

test('copies of one object that all go are one finding, with each of their places', async () => {
  const { findings } = await judge({ base: { 'a.yaml': view, 'b.yaml': view }, head: {} }, 'protected-rbac/object-kept')
  expect(findings.map(({ level, location }) => `${level} ${location.path}`)).toEqual(['error a.yaml'])
  expect(findings[0]?.related.map(({ path, note }) => `${path} ${note}`)).toEqual(['b.yaml and its copy'])
  expect(findings[0]?.sources.map(({ path }) => path)).toEqual(['a.yaml', 'b.yaml'])
})
