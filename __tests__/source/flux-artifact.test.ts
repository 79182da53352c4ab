import { describe, expect, test } from '@jest/globals'
import { FluxArtifact } from '../../src/deployers/common/flux-artifact'
import { lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { change, role } from './probe'

describe('the files that Flux packs of a repository', () => {
  const has = (file: string, ...ignores: [string, string][]) => new FluxArtifact(undefined, new Map(ignores)).has(file)
  const root = (text: string): [string, string] => ['.sourceignore', text]

  // The results of go-git, by which Flux reads these files.
  test.each<[pattern: string, file: string, isIn: boolean]>([
    ['/*\n!/deploy/x/y.yaml', 'deploy/x/y.yaml', true],
    ['/*\n!/deploy/x/y.yaml', 'deploy/x/z.yaml', false],
    ['/*\n!/deploy', 'deploy/a/b.yaml', true],
    ['/*\n!/deploy', 'x/deploy/a.yaml', false],
    ['docs/', 'x/docs/a.md', false],
    ['docs/', 'docs', true],
    ['a/b', 'x/a/b', true],
    ['a/b', 'a/b/c', false],
    ['**/b', 'x/a/b', false],
    ['docs/*', 'docs/x/a.md', false],
    ['/docs/*.md', 'docs/x/a.md', true],
    ['a/**', 'a/x/y', false],
    ['a/**foo', 'a/xfoo', true],
    ['**foo', 'a/xfoo', false],
    ['a/**/b/c', 'a/b/x/b/c', true],
    ['a/**/b/c', 'a/x/b/c', false],
    ['*.yaml', 'x/.hidden.yaml', false],
    ['{a,b}.yaml', 'a.yaml', true],
    ['[ab].yaml', 'a.yaml', false],
    [' a.yaml', 'a.yaml', true],
    ['a.yaml  ', 'a.yaml', false],
    ['# a.yaml', 'a.yaml', true],
    ['a.yaml\n!a.yaml', 'a.yaml', true],
  ])('is by %j with %s: %s', (pattern, file, isIn) => {
    expect(has(file, root(pattern))).toBe(isIn)
  })

  test('leaves out what Flux does by default, until there is one pattern', () => {
    expect(['.github/a.yaml', 'x/.sops.yaml', 'logo.png', 'a.yaml', '.gitignore'].map((file) => has(file))).toEqual([
      false,
      false,
      false,
      true,
      false,
    ])
    const own: [string, string] = ['docs/.sourceignore', '*.md']
    expect(['.github/a.yaml', '.gitignore', 'a.md', 'docs/x/a.md'].map((file) => has(file, own))).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(has('.github/a.yaml', root('# nothing\n\n'))).toBe(false)
  })
})

describe('a file that leaves what Flux gets', () => {
  const files = {
    'flux/source.yaml': repository(),
    'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true'),
    'rbac/role.yaml': role,
    'rbac/more.yaml': role.replace('kube-controller-manager', 'more'),
  }
  const given = (field: string) => repository().replace('spec: {', `spec: {${field}, `)
  const kept = 'introduced error base/rbac/role.yaml:1 protected-rbac/object-kept'

  test.each([
    ['by a .sourceignore', { '.sourceignore': '/rbac/role.yaml\n' }],
    ['by one beside it', { 'rbac/.sourceignore': 'role.*\n' }],
    ['by `ignore` of its GitRepository', { 'flux/source.yaml': given('ignore: "/rbac/role.yaml"') }],
  ])('is removed %s', async (_, head) => {
    expect(lines(await change(files, head))).toEqual([kept])
  })

  test('is one more reason why nothing is built, where a Kustomization takes it in', async () => {
    const named = { ...files, 'rbac/kustomization.yaml': 'resources: [role.yaml]\n' }
    const report = await change(named, { '.sourceignore': '/rbac/role.yaml\n' })
    expect(report.findings.map(({ rule, text }) => [rule, text])).toContainEqual([
      'source/unrendered',
      'The objects that Kustomization flux-system/rbac deploys can no longer be rendered, so this change to them cannot be checked: Flux does not get rbac/role.yaml: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it.',
    ])
  })

  test.each([
    ['links', { 'rbac/role.yaml': { link: 'more.yaml' } }, 'it packs no symbolic links, and rbac/role.yaml is one'],
    [
      'what is no YAML',
      { '.sourceignore': '*.txt\n' },
      'a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it',
    ],
  ])('is one more reason why nothing is built: %s', async (_, head, why) => {
    const generated = 'resources: [role.yaml]\nconfigMapGenerator: [{name: a, files: [a=role.txt]}]\n'
    const named = { ...files, 'rbac/kustomization.yaml': generated, 'rbac/role.txt': '' }
    const report = await change(named, head)
    expect(report.findings.map(({ rule, text }) => [rule, text.slice(text.indexOf(': ') + 2)])).toContainEqual([
      'source/unrendered',
      `Flux does not get rbac/role.${why.includes('links') ? 'yaml' : 'txt'}: ${why}.`,
    ])
  })

  test('is said where `sparseCheckout` leaves the whole folder out', async () => {
    const report = await change(files, { 'flux/source.yaml': given('sparseCheckout: [flux]') })
    expect(report.findings.map(({ rule, text }) => [rule, text])).toContainEqual([
      'source/unrendered',
      'The objects that Kustomization flux-system/rbac deploys can no longer be rendered, so this change to them cannot be checked: Flux does not get rbac: a .sourceignore, or ignore or sparseCheckout of its GitRepository, excludes it.',
    ])
  })
})

test('each cluster packs by the GitRepository of its own folder, where all have one name', async () => {
  const cluster = (name: string) => ({
    [`clusters/${name}/flux/source.yaml`]: repository(),
    [`clusters/${name}/flux/rbac.yaml`]: kustomization(`rbac-${name}`, `./clusters/${name}/rbac`, 'prune: true'),
    [`clusters/${name}/rbac/role.yaml`]: role.replace('kube-controller-manager', name),
  })
  const packing = (name: string) => repository().replace('spec: {', `spec: {ignore: "/*\\n!/clusters/${name}", `)
  const files = { ...cluster('east'), ...cluster('west') }
  const sources = (east: string, west: string) => ({
    'clusters/east/flux/source.yaml': packing(east),
    'clusters/west/flux/source.yaml': packing(west),
  })
  expect(lines(await change(files, sources('east', 'west')))).toEqual([])
  const report = await change(files, sources('east', 'east'))
  expect(lines(report)).toEqual(['introduced error head/clusters/west/flux/rbac.yaml:1 source/unrendered'])
  expect(report.findings[0]?.text).toContain('Kustomization flux-system/rbac-west deploys can no longer be rendered')
})
