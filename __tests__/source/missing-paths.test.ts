import { describe, expect, test } from '@jest/globals'
import { judgeChange } from './rendered'
import type { Files } from './repository'

const manifest = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\n`

const folders = ['web', 'shop', 'mail', 'llamastack']
const here: Files = Object.fromEntries(folders.map((name) => [`components/${name}/base/map.yaml`, manifest(name)]))

const apps = (...paths: string[]) =>
  `applications:\n${paths.map((path, index) => `  app${index}: {source: {path: ${path}}}\n`).join('')}`

const old = ['components/web/base', 'components/shop/base', 'components/mail/base']

/** The paths that a change adds to a file and that are not there. */
async function missing(before: string, after: string, file = 'clusters/values.yaml'): Promise<string[]> {
  const { findings } = await judgeChange({ ...here, [file]: before }, { [file]: after })
  return findings
    .filter(({ rule }) => rule === 'source/path-missing')
    .map(({ level, location, text }) => `${level} ${location.path}:${location.region.startLine} ${text}`)
}

describe('a path that a change adds to a list of paths', () => {
  test('is reported where it is not there, with the folder that is like it', async () => {
    expect(await missing(apps(...old), apps(...old, 'components/llama-stack/base'))).toEqual([
      'warning clusters/values.yaml:5 There is no components/llama-stack/base in this repository, while the 3 other paths in the same field of this file are there, so a tool that follows them all fails here, or deploys nothing. Did you mean components/llamastack/base?',
    ])
  })

  test('is reported where paths start in the folder of their file', async () => {
    const list = (...files: string[]) => `hubs:\n${files.map((one) => `  - values_files: [${one}]\n`).join('')}`
    const own = ['map.yaml', '../../shop/base/map.yaml', '../../mail/base/map.yaml']
    const [found = ''] = await missing(list(...own), list(...own, 'staging.yaml'), 'components/web/base/hubs.yaml')
    expect(found).toContain(':5 There is no components/web/base/staging.yaml in this repository')
    expect(found).toContain('Correct the path, or add what it names.')
  })

  test.each([
    ['it is there', apps(...old), apps(...old, 'components/llamastack/base')],
    ['two others are too few', apps(...old.slice(1)), apps(...old.slice(1), 'components/none/base')],
    ['another is not there', apps(...old, 'elsewhere/base'), apps(...old, 'elsewhere/base', 'components/none/base')],
    ['it was in the file before', apps(...old, 'components/none/base'), apps('components/none/base', ...old)],
    [
      'it is in another repository',
      apps(...old),
      `${apps(...old)}  other: {source: {repoURL: https://example.com/other.git, path: components/none/base}}\n`,
    ],
    ['a tool fills it in', apps(...old), apps(...old, `components/\${NAME}/base`)],
    ['it is a pattern', apps(...old), apps(...old, "'components/*/base'")],
  ])('is not reported where %s', async (_, before, after) => {
    expect(await missing(before, after)).toEqual([])
  })

  test('is reported once in a Kustomization, by kustomize', async () => {
    const listed = (...names: string[]) =>
      `resources: [${names.map((name) => `components/${name}/base/map.yaml`).join(', ')}]\n`
    const file = 'kustomization.yaml'
    const before = listed('web', 'shop', 'mail')
    const { findings } = await judgeChange(
      { ...here, [file]: before },
      { [file]: listed('web', 'shop', 'mail', 'none') },
    )
    expect(findings.filter(({ level }) => level !== 'notice').map(({ rule }) => rule)).toEqual(['source/unrendered'])
  })

  test('is not reported in files of CI', async () => {
    expect(await missing(apps(...old), apps(...old, 'components/none/base'), '.github/labeler.yml')).toEqual([])
  })
})
