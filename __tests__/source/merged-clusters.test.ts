import { describe, expect, test } from '@jest/globals'
import { checkOpened, lines } from '../cli/guard'
import { opened } from './in-memory'
import { role } from './objects'
import { change, object, probe, url } from './probe'
import type { Files } from './repository'

const unknown = 'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository'

/** A set of clusters that a list gives folders of their own. */
const set = (elements: string, path = '{{values.root}}/{{values.dir}}') =>
  object(
    'argoproj.io/v1alpha1',
    'ApplicationSet',
    'all',
    'argocd',
    `spec:
  generators:
    - merge:
        mergeKeys: [nameNormalized]
        generators:
          - clusters: {values: {root: apps, dir: none}}
          - list: {elements: ${elements}}
  template:
    metadata: {name: "web-{{nameNormalized}}"}
    spec:
      source: {repoURL: "${url}", path: "${path}"}
      destination: {namespace: "ns-{{nameNormalized}}", name: "{{name}}"}
`,
  )

const two = '[{nameNormalized: east, values.dir: one}, {nameNormalized: west, values.dir: two}]'
const files: Files = {
  'apps/one/kustomization.yaml': 'resources: [web.yaml]\n',
  'apps/one/web.yaml': probe('web', 'covered.example.com'),
  'apps/two/kustomization.yaml': 'resources: [web.yaml, ../../shared]\n',
  'apps/two/web.yaml': probe('web', 'covered.example.com'),
  'shared/kustomization.yaml': 'resources: [also.yaml]\n',
  'shared/also.yaml': probe('also', 'covered.example.com'),
  'set.yaml': set(two),
}

async function judged(base: Files, head: Files) {
  const report = await change({ ...files, ...base }, head)
  const { findings, inspected } = report
  return {
    lines: lines(report),
    objects: findings.map(({ object, cluster }) => `${cluster}: ${object?.namespace}/${object?.name}`),
    skipped: inspected.skipped.map(({ path, reason }) => `${path}: ${reason}`),
    changes: inspected.changes,
  }
}

describe('clusters that are merged with a list', () => {
  test('are read where the change touches the folder of one', async () => {
    const { lines, objects, skipped } = await judged({}, { 'apps/one/web.yaml': probe('web', 'one.example.com') })
    expect(lines).toEqual([
      expect.stringMatching(/^introduced error head\/apps\/one\/web.yaml:\d+ ingress-tls\/host-covered$/),
    ])
    expect(objects).toEqual(['east: ns-east/web'])
    expect(skipped).toEqual([`set.yaml: ApplicationSet argocd/all: ${unknown}`])
  })

  test('are read where the change touches what the Kustomization of one includes', async () => {
    const { objects } = await judged({}, { 'shared/also.yaml': probe('also', 'two.example.com') })
    expect(objects).toEqual(['west: ns-west/also'])
  })

  test('are listed where the change touches none of them', async () => {
    const { changes, skipped } = await judged(
      { 'other.yaml': probe('other', 'a') },
      { 'other.yaml': probe('other', 'b') },
    )
    expect(changes).toEqual({ added: 0, changed: 1, removed: 0 })
    expect(skipped).toEqual([`set.yaml: ApplicationSet argocd/all: ${unknown}`])
  })

  test('are all read where the change touches the set', async () => {
    const other = {
      'apps/bad/kustomization.yaml': 'resources: [web.yaml]\n',
      'apps/bad/web.yaml': probe('web', 'bad.example.com'),
    }
    const { objects, skipped } = await judged(other, { 'set.yaml': set(two.replace('dir: two', 'dir: bad')) })
    expect(objects).toContain('west: ns-west/web')
    expect(skipped).toEqual([`set.yaml: ApplicationSet argocd/all: ${unknown}`])
  })

  test('are read where a patch of the set changes in the Kustomization that brings it', async () => {
    const patch = (dir: string) =>
      `- {op: replace, path: /spec/generators/0/merge/generators/0/clusters/values/root, value: ${dir}}\n`
    const base: Files = {
      'argo/kustomization.yaml':
        'resources: [set.yaml]\npatches: [{path: patch.yaml, target: {kind: ApplicationSet}}]\n',
      'argo/set.yaml': set(two),
      'argo/patch.yaml': patch('apps'),
      'set.yaml': '',
      'live/one/kustomization.yaml': 'resources: [web.yaml]\n',
      'live/one/web.yaml': probe('web', 'live.example.com'),
    }
    const { objects } = await judged(base, { 'argo/patch.yaml': patch('live') })
    expect(objects).toContain('east: ns-east/web')
  })

  test('are an error where the folder of one is gone', async () => {
    const report = await change(files, { 'apps/one/kustomization.yaml': null, 'apps/one/web.yaml': null })
    expect(report.findings.map(({ rule, text }) => `${rule}: ${text}`)).toContainEqual(
      expect.stringContaining('source/unrendered: There is no folder apps/one in this repository'),
    )
  })

  test('are listed where their folder leads out of the repository', async () => {
    const { skipped } = await judged(
      { 'set.yaml': set(two, '../../{{values.dir}}') },
      { 'set.yaml': set(two, '../../../{{values.dir}}') },
    )
    expect(skipped).toEqual([`set.yaml: ApplicationSet argocd/all: ${unknown}`])
  })

  test('are 300 at most', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `{nameNormalized: c${index}, values.dir: one}`)
    const { skipped } = await judged(
      { 'set.yaml': set(`[${many.join()}]`) },
      { 'apps/one/web.yaml': probe('web', 'one.example.com') },
    )
    expect(skipped).toEqual([
      'set.yaml: ApplicationSet argocd/all: it makes more than 300 Applications; the rest is not read',
    ])
  })
})

describe('a role that leaves the folder of one of the clusters', () => {
  const binding = object(
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    'web',
    'shop',
    'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: web}\nsubjects: [{kind: User, name: ann}]\n',
  )
  const base: Files = {
    ...files,
    'apps/one/kustomization.yaml': 'resources: [role.yaml, binding.yaml]\n',
    'apps/one/role.yaml': role('web'),
    'apps/one/binding.yaml': binding,
  }
  const left: Files = { 'apps/one/kustomization.yaml': 'resources: [binding.yaml]\n', 'apps/one/role.yaml': null }
  const copyIn = (folder: string): Files => ({
    [`${folder}/kustomization.yaml`]: 'resources: [role.yaml]\n',
    [`${folder}/role.yaml`]: role('web'),
  })
  const judge = async (more: Files, added: Files = {}) => {
    const run = checkOpened(
      opened({ ...base, ...more }, { ...left, ...added }, url),
      '--policy',
      'protected-rbac@1.5.0',
    )
    return (await run).findings.map(
      ({ level, rule, text }) => `${level} ${rule} ${text.match(/A copy is in.*/)?.[0] ?? ''}`,
    )
  }

  test('is still bound', async () => {
    expect(await judge(copyIn('rbac/north'))).toEqual(['error protected-rbac/binding-resolves '])
  })

  test('may be still there, where a folder with the name of the cluster has it', async () => {
    expect(await judge(copyIn('rbac/east'))).toEqual([
      'warning protected-rbac/binding-resolves A copy is in rbac/east, which may be deployed to this cluster, too; if it is, declare `clusters: {"east": {paths: ["**/east/**"]}}` in the config.',
    ])
  })

  test('is gone, where the config declares the cluster', async () => {
    const config = 'format: 1\nclusters: {east: {paths: ["apps/one/**"]}}\n'
    expect(await judge({ ...copyIn('rbac/east'), '.github/ingress-guard.yaml': config })).toEqual([
      'error protected-rbac/binding-resolves ',
    ])
  })

  test('is gone, where only the change adds such a copy', async () => {
    expect(await judge({}, copyIn('rbac/east'))).toEqual(['error protected-rbac/binding-resolves '])
  })
})
