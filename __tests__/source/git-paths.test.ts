import { writeFileSync } from 'node:fs'
import { describe, expect, test } from '@jest/globals'
import { checkJson, lines } from '../cli/guard'
import { configMap, ingress, role, stream } from './objects'
import { TestRepository } from './repository'

const protectedRole = role('system:kube-controller-manager')
const holed = (host: string) => ingress('web', ['a.example.com'], ['a.example.com', host])

describe('file names', () => {
  const names = [
    'with space.yaml',
    'line\nfeed.yaml',
    '"quoted".yaml',
    "it's.yaml",
    'tab\t.yaml',
    'straße-日本.yaml',
    '-dash.yaml',
    'back\\slash.yaml',
    'a:b.yaml',
  ]

  test.each(names)('%j in commits and in the working tree', async (name) => {
    const repo = new TestRepository()
    repo.commit({ [name]: protectedRole })
    repo.commit({ [name]: configMap('a') })
    const expected = [`introduced error base/${name}:1 protected-rbac/object-kept`]
    expect(lines(await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD'))).toEqual(expected)
    repo.git('reset', '--quiet', '--soft', 'HEAD~1')
    expect(lines(await checkJson('--repo', repo.dir, '--base', 'HEAD'))).toEqual(expected)
  })

  test.each([
    ['tracked', true],
    ['untracked', false],
  ])('that are not UTF-8 are read and written out (%s)', async (_, tracked) => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    const raw = Buffer.concat([Buffer.from(`${repo.dir}/caf`), Buffer.from([0xe9]), Buffer.from('.yaml')])
    writeFileSync(raw, holed('b.example.com'))
    if (tracked) repo.commit()
    const argv = tracked ? ['--base', 'HEAD~1', '--head', 'HEAD'] : ['--base', 'HEAD']
    expect(lines(await checkJson('--repo', repo.dir, ...argv))).toEqual([
      'introduced error head/caf\\xe9.yaml:12 ingress-tls/host-covered',
    ])
  })
})

describe('symbolic links', () => {
  test.each([
    ['to a file', { link: 'base/rbac.yaml' }, 'links/rbac.yaml'],
    ['to a folder', { link: 'base' }, 'links'],
  ])('%s: parsed once, at its real path', async (_, target, name) => {
    const repo = new TestRepository()
    const link = name.includes('/') ? { link: `../${target.link}` } : target
    repo.commit({ 'base/rbac.yaml': stream(configMap('a'), protectedRole), [name]: link })
    repo.commit({ 'base/rbac.yaml': configMap('a') })
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    expect(lines(report)).toEqual(['introduced error base/base/rbac.yaml:8 protected-rbac/object-kept'])
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 1 })
  })

  test('belong also to the cluster of the link', async () => {
    const repo = new TestRepository()
    repo.commit({
      'base/rbac.yaml': protectedRole,
      'clusters/prod/namespace.yaml': configMap('prod'),
      'clusters/prod/base': { link: '../../base' },
    })
    repo.commit({ 'clusters/prod/base': null, 'base/rbac.yaml': `${protectedRole}# edited\n` })
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    expect(report.findings.map(({ rule, cluster }) => [rule, cluster])).toEqual([
      ['protected-rbac/object-kept', 'clusters/prod'],
    ])
  })

  test('a link that goes away takes its cluster’s objects with it, though no file changed', async () => {
    const repo = new TestRepository()
    repo.commit({
      'base/rbac.yaml': protectedRole,
      'clusters/prod/namespace.yaml': configMap('prod'),
      'clusters/prod/base': { link: '../../base' },
    })
    repo.commit({ 'clusters/prod/base': null })
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    expect(report.findings.map(({ rule, cluster }) => [rule, cluster])).toEqual([
      ['protected-rbac/object-kept', 'clusters/prod'],
    ])
  })

  const outOfIt = 'a symbolic link out of the repository, which is not followed'
  test.each([
    ['out of the repository', '../../outside/x.yaml', outOfIt],
    ['absolute', '/etc/hostname', outOfIt],
    ['that loops', 'loop.yaml', 'a symbolic link that leads back to itself'],
    ['broken', 'nothing.yaml', 'a symbolic link to a path that does not exist'],
  ])('%s are listed and not followed', async (_, link, reason) => {
    const repo = new TestRepository()
    repo.commit({ 'a.yaml': configMap('a') })
    repo.commit({ 'loop.yaml': { link } })
    for (const argv of [['--base', 'HEAD~1', '--head', 'HEAD'], ['--base', 'HEAD~1'], ['--all']]) {
      const report = await checkJson('--repo', repo.dir, ...argv)
      expect(report.inspected.skipped).toEqual([{ path: 'loop.yaml', reason }])
      expect(report.status).toBe(0)
    }
  })

  test.each([
    ['a folder', 'rbac', 'rbac/rbac.yaml'],
    ['a file', 'rbac.yaml', 'rbac.yaml'],
  ])('in the place of %s, out of the repository: its objects are unknown', async (_, link, file) => {
    const repo = new TestRepository()
    repo.commit({ [file]: protectedRole })
    repo.commit({ [link]: { link: '/srv/outside' } })
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~1', '--head', 'HEAD')
    expect(lines(report)).toEqual([`introduced error head/${file}:1 source/unreadable`])
    expect(report.findings[0]?.text).toBe(
      `This file cannot be read: ${link} is now ${outOfIt}. It is unknown whether this change keeps ClusterRole system:kube-controller-manager. Fix it, or list the file under \`ignore:\` in the config if it is not a manifest.`,
    )
  })

  test('a folder moved and linked from its old place is no change', async () => {
    const repo = new TestRepository()
    repo.commit({ 'old/rbac.yaml': protectedRole })
    repo.commit({ old: null, 'new/rbac.yaml': protectedRole })
    repo.commit({ old: { link: 'new' } })
    const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~2', '--head', 'HEAD')
    expect(lines(report)).toEqual([])
    expect(report.inspected.changes).toEqual({ added: 0, changed: 0, removed: 0 })
  })
})

test('a submodule is listed as another repository', async () => {
  const inner = new TestRepository()
  inner.commit({ 'rbac.yaml': protectedRole })
  const repo = new TestRepository()
  repo.commit({ 'a.yaml': configMap('a') })
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `file://${inner.dir}`, 'inner')
  repo.commit()
  for (const argv of [
    ['--base', 'HEAD~1', '--head', 'HEAD'],
    ['--base', 'HEAD~1'],
  ]) {
    const report = await checkJson('--repo', repo.dir, ...argv)
    expect(report.inspected.skipped).toEqual([{ path: 'inner', reason: 'a submodule, which is another repository' }])
    expect(lines(report)).toEqual([])
  }
})

test('a folder of manifests replaced by a submodule: its objects are not kept', async () => {
  const inner = new TestRepository()
  inner.commit({ 'rbac.yaml': protectedRole })
  const repo = new TestRepository()
  repo.commit({ 'inner/rbac.yaml': protectedRole })
  repo.commit({ inner: null })
  repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `file://${inner.dir}`, 'inner')
  repo.commit()
  const report = await checkJson('--repo', repo.dir, '--base', 'HEAD~2', '--head', 'HEAD')
  expect(report.status).toBe(1)
})
