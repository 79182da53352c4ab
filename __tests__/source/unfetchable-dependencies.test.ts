import { describe, expect, test } from '@jest/globals'
import { change } from './probe'
import type { Files } from './repository'

const chart = (dependency = '', version = '1.0.0') =>
  `apiVersion: v2\nname: edge\nversion: ${version}\n${dependency && `dependencies:\n  - ${dependency}\n`}`
const library: Files = { 'library/Chart.yaml': 'apiVersion: v2\nname: library\nversion: 0.2.7\ntype: library\n' }

async function unfetchable(dependency: string, more: Files = {}, before = ''): Promise<string[]> {
  const base = { ...library, 'edge/Chart.yaml': chart(before) }
  const { findings } = await change(base, { ...more, 'edge/Chart.yaml': chart(dependency, '1.0.1') })
  return findings
    .filter(({ message }) => message === 'unfetchable')
    .map(({ level, status, location: { path, region }, text }) =>
      [status, level, `${path}:${region.startLine}`, text].join(' '),
    )
}

const stated = (name: string, why: string) => [
  `introduced error edge/Chart.yaml:5 The chart edge has the dependency ${name}, which \`helm dependency build\` cannot fetch: ${why}`,
]

describe('a dependency of a chart that helm cannot fetch', () => {
  test.each([
    [
      'a page of GitHub',
      '{name: external-dns, version: 1.19.0, repository: https://github.com/kubernetes-sigs/external-dns/}',
      stated(
        'external-dns',
        'https://github.com/kubernetes-sigs/external-dns/ is the page of a project on GitHub, where there is no index of charts. Name the repository of its charts, such as https://OWNER.github.io/external-dns.',
      ),
    ],
    [
      'no scheme',
      '{name: dask, version: 1.0.0, repository: helm.dask.org}',
      stated(
        'dask',
        'the repository helm.dask.org has no scheme. Write https://helm.dask.org, or oci:// for a registry.',
      ),
    ],
    [
      'another version than the chart in this repository has',
      '{name: library, version: 0.2.6, repository: file://../library}',
      stated('library', 'the chart in library has the version 0.2.7, and 0.2.6 is asked for. Write 0.2.7.'),
    ],
  ])('is an error: %s', async (_, dependency, expected) => {
    expect(await unfetchable(dependency)).toEqual(expected)
  })

  test.each<[what: string, dependency: string, more?: Files, before?: string]>([
    ['it is an index of charts', '{name: web, version: 1.0.0, repository: https://acme.github.io/charts}'],
    ['a release of GitHub', '{name: web, version: 1.0.0, repository: https://github.com/acme/charts/releases/latest}'],
    ['the name of a repository', '{name: web, version: 1.0.0, repository: "@acme"}'],
    ['a range that the chart is in', '{name: library, version: ~0.2.0, repository: file://../library}'],
    ['another tool fills it in', `{name: web, version: 1.0.0, repository: "\${CHARTS}"}`],
    [
      'it is vendored',
      '{name: web, version: 1.0.0, repository: charts.example.com}',
      { 'edge/charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n' },
    ],
    [
      'it was so before',
      '{name: web, version: 1.0.0, repository: charts.example.com}',
      {},
      '{name: web, version: 1.0.0, repository: charts.example.com}',
    ],
  ])('is passed over if %s', async (_, dependency, more = {}, before = '') => {
    expect(await unfetchable(dependency, more, before)).toEqual([])
  })
})
