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

describe('a dependency that the change removes', () => {
  const before: Files = {
    'web/Chart.yaml': chart('web', remote('search')),
    'web/values.yaml': 'search: {a: 1}\n',
    'web/templates/map.yaml': map.replace('name: all', 'name: web'),
  }
  const found = async (head: Files) => {
    const { findings } = await judgeChange(before, head)
    return findings.filter(({ rule }) => rule === 'source/not-judged').map(({ text }) => text)
  }

  test('is not to be built at the head', async () => {
    const [text, ...more] = await found({ 'web/Chart.yaml': chart('web', ''), 'web/values.yaml': '{}\n' })
    expect(more).toEqual([])
    expect(text).toContain('without its dependency search')
    expect(text).toContain(
      'This change removes the part that is not seen, so there is nothing left to correct: make sure that nothing needs it.',
    )
    expect(text).not.toContain('helm dependency build')
  })

  test('is, where it only gets another version', async () => {
    const other = chart('web', remote('search').replace('1.0.0', '2.0.0'))
    expect(await found({ 'web/Chart.yaml': other })).toEqual([expect.stringContaining('helm dependency build web')])
  })
})

describe('a template that makes nothing', () => {
  const ingress = (value: string) =>
    `{{- if ${value} }}\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {rules: [{host: a.example.com}]}\n{{- end }}\n`

  async function reasons(dependencies: string): Promise<string[]> {
    const before: Files = {
      'web/Chart.yaml': chart('web', dependencies),
      'web/values.yaml': 'search: {}\n',
      'web/templates/ingress.yaml': ingress('eq (index .Values "search" | toString) "one"'),
    }
    const { findings } = await judgeChange(before, {
      'web/templates/ingress.yaml': ingress('eq (index .Values "search" | toString) "two"'),
    })
    return findings.filter(({ rule }) => rule === 'source/not-judged').map(({ text }) => text)
  }

  test('of a chart without its dependency has that as its reason', async () => {
    expect(await reasons(remote('search'))).toEqual([
      expect.stringContaining('release default/web of web is rendered without its dependency search'),
    ])
  })

  test('of a whole chart needs a release', async () => {
    expect(await reasons('')).toEqual([expect.stringContaining('Declare its release under `helm:` in the config')])
  })
})
