// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are Flux's, and not for JavaScript to fill in
import { describe, expect, test } from '@jest/globals'
import { foldersFor } from '../../src/deployers/flux/path-variables'
import { Checkout } from '../../src/revision/checkout'
import { readTree } from '../../src/revision/tree'
import { lines } from '../cli/guard'
import { MemoryRevision } from '../memory-revision'
import { kustomization, repository } from './flux-objects'
import { change, hostsOf, probe, role } from './probe'
import { type Files, temporaryFolder } from './repository'

async function checkoutOf(...files: string[]): Promise<Checkout> {
  const revision = new MemoryRevision('head', Object.fromEntries(files.map((file) => [file, ''])))
  return new Checkout(revision, await readTree(revision, []), temporaryFolder)
}

describe('a path with a variable that has no known value', () => {
  test('may mean each folder that matches', async () => {
    const checkout = await checkoutOf(
      'apps/prod/base/web.yaml',
      'apps/test/base/kustomization.yaml',
      'apps/test/base/deep/web.yaml',
      'apps/test/other/web.yaml',
      'apps/docs/base/README.md',
      'apps/base/web.yaml',
      'clusters/eu/eu/web.yaml',
      'clusters/eu/us/web.yaml',
      'a+b/x.yaml',
    )
    const of = (path: string) => foldersFor(path, checkout)?.folders
    expect(of('./apps/${ENVIRONMENT}/base')).toEqual(['apps/prod/base', 'apps/test/base'])
    expect(of('apps/${ENVIRONMENT:=prod}/${FOLDER}')).toEqual(['apps/prod/base'])
    expect(of('clusters/${A}/${A}')).toEqual(['clusters/eu/eu'])
    expect(of('clusters/e${A}/${B}')).toEqual(['clusters/eu/eu', 'clusters/eu/us'])
    expect(of('a+${A}')).toEqual(['a+b'])
    expect(of('${A}/../../a+${B}')).toEqual(['a+b'])
    expect(of('../a+${A}')).toEqual(['a+b'])
    expect(of('apps/prod/base')).toBeUndefined()
  })

  test('means no more than a limit', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `apps/a${index}/web.yaml`)
    const { folders = [], hasMore } = foldersFor('apps/${A}', await checkoutOf(...names)) ?? {}
    expect([folders.length, hasMore]).toEqual([100, true])
  })

  test('is not split where several variables touch', async () => {
    const checkout = await checkoutOf('clusters/prod-eu/web.yaml', `${'a'.repeat(200)}/web.yaml`)
    expect(foldersFor('clusters/${ENVIRONMENT}-${REGION}', checkout)?.folders).toEqual(['clusters/prod-eu'])
    expect(foldersFor('${A}${B}${C}', checkout)).toBeUndefined()
    expect(foldersFor('${A}${B}/${C}${D}', checkout)).toBeUndefined()
  })
})

describe('a Flux Kustomization with such a path', () => {
  const app = (folder: string, host: string): Files => ({
    [`${folder}/kustomization.yaml`]: 'resources: [web.yaml]\n',
    [`${folder}/web.yaml`]: probe('web', host),
  })
  const files: Files = {
    'flux/source.yaml': repository(),
    'flux/apps.yaml': kustomization('apps', './apps/${ENVIRONMENT}/base'),
    ...app('apps/prod/base', 'prod.example.com'),
    ...app('apps/test/base', 'test.example.com'),
  }

  test('deploys each folder, and their objects are not those of one cluster', async () => {
    expect((await hostsOf(files)).sort()).toEqual(['/web prod.example.com', '/web test.example.com'])
  })

  test('is judged at the line of the folder that a change touches', async () => {
    const report = await change(
      {
        ...files,
        'apps/test/base/kustomization.yaml': 'resources: [role.yaml]\n',
        'apps/test/base/role.yaml': role,
      },
      { 'apps/test/base/kustomization.yaml': 'resources: []\n', 'apps/test/base/role.yaml': null },
    )
    expect(lines(report)).toEqual([
      'introduced error head/apps/test/base/kustomization.yaml:1 protected-rbac/object-kept',
    ])
  })

  test('has no fault where one of the folders does not build by itself', async () => {
    const report = await change(files, { 'apps/new/base/kustomization.yaml': 'resources: [gone.yaml]\n' })
    expect(lines(report).filter((line) => line.includes('error'))).toEqual([])
  })

  test('says so where more folders match than are judged', async () => {
    const many = Array.from({ length: 101 }, (_, index) => [`many/n${index}/map.yaml`, 'kind: List\napiVersion: v1\n'])
    const report = await change(
      { ...files, 'flux/many.yaml': kustomization('many', './many/${NAME}') },
      Object.fromEntries(many),
    )
    expect(report.inspected.skipped.map(({ reason }) => reason)).toContain(
      'Kustomization flux-system/many: more than 100 folders match its path ./many/${NAME}; the rest is not judged as its own',
    )
  })
})
