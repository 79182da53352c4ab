import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: all, namespace: argocd}
spec:
  source: {repoURL: https://github.com/acme/web, path: all, helm: {valueFiles: [prod.yaml]}}
  destination: {server: https://kubernetes.default.svc, namespace: web}
`
const chart = (name: string, dependencies: string) =>
  `apiVersion: v2\nname: ${name}\nversion: 1.0.0\ndependencies: [${dependencies}]\n`
const remote = (name: string, more = '') =>
  `{name: ${name}, version: 1.0.0, repository: https://charts.example.com${more}}`
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: all}\ndata: {a: "{{ .Values.own }}"}\n'

const base = (values: string): Files => ({
  'app.yaml': application,
  'all/Chart.yaml': chart(
    'all',
    `${remote('search', ', alias: index')}, {name: sub, version: 1.0.0, repository: "file://../sub"}`,
  ),
  'all/templates/map.yaml': map,
  'all/prod.yaml': values,
  'sub/Chart.yaml': chart('sub', remote('db')),
  'sub/templates/map.yaml': map.replace('name: all', 'name: sub'),
})

/** The files that are not judged because a dependency is not there, with the reasons. */
async function notJudged(before: string, after: string): Promise<string[]> {
  const { findings } = await judgeChange(base(before), { 'all/prod.yaml': after })
  return findings
    .filter(({ rule, text }) => rule === 'source/not-judged' && text.includes('without its dependenc'))
    .map(({ location, text }) => `${location.path}:${location.region.startLine} ${text}`)
}

describe('values count for a missing dependency', () => {
  test.each([
    ['below its alias', 'index: {a: 1}\n', 'index: {a: 2}\n'],
    ['below the chart that includes it', 'sub: {db: {a: 1}}\n', 'sub: {db: {a: 2}}\n'],
    ['for all charts', 'global: {a: 1}\n', 'global: {a: 2}\n'],
  ])('%s', async (_, before, after) => {
    expect(await notJudged(before, after)).toEqual([expect.stringContaining('without its dependenc')])
  })

  test.each([
    ['of the chart itself', 'own: 1\n', 'own: 2\n'],
    ['below its name, where it has an alias', 'search: {a: 1}\n', 'search: {a: 2}\n'],
    ['that are only written in another way', 'index: {a: 1}\nown: {}\n', '# All.\nindex:\n  a: 1\n\nown: { }\n'],
  ])('but not %s', async (_, before, after) => {
    expect(await notJudged(before, after)).toEqual([])
  })
})
