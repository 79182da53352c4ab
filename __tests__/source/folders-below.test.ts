import { expect, test } from '@jest/globals'
import { kustomization, repository } from './flux-objects'
import { ingress, kustomization as kustomize } from './kustomize-objects'
import { change } from './probe'
import type { Files } from './repository'

const app = (name: string): Files => ({
  [`home/apps/${name}/ks.yaml`]: kustomization(name, `./apps/${name}/app`),
  [`home/apps/${name}/app/kustomization.yaml`]: kustomize('resources: [web.yaml]'),
  [`home/apps/${name}/app/web.yaml`]: ingress('a.example.com'),
})
const cluster = { 'home/flux/cluster.yaml': kustomization('cluster', './apps') }
const tree: Files = { ...cluster, ...app('a'), ...app('b') }
const none: Files = { 'readme.md': 'x\n' }

async function found(base: Files, head: Files): Promise<string[]> {
  const { findings } = await change(base, head)
  return findings
    .filter(({ rule, message }) => rule === 'source/path-missing' && message === 'below')
    .map(
      ({ level, status, location: { path, region }, text }) => `${status} ${level} ${path}:${region.startLine} ${text}`,
    )
}

test('a tree of Flux in a folder, with paths as if the folder were the root, is a warning', async () => {
  expect(await found(none, tree)).toEqual([
    'introduced warning home/flux/cluster.yaml:7 Kustomization flux-system/cluster takes apps of GitRepository flux-system/here, which no file here defines. This repository has no apps at its root: it and the 2 other folders that Kustomizations take of flux-system/here are below home. If flux-system/here is this repository, Flux finds none of them and deploys nothing. Write home/apps there, and the others alike, or have the GitRepository take another repository whose root is this folder.',
  ])
})

test.each<[what: string, base: Files, head: Files]>([
  ['that was there before', tree, app('c')],
  ['that has fewer folders', none, { ...cluster, ...app('a') }],
  [
    'whose GitRepository is defined as another',
    { 'home/source.yaml': repository('https://github.com/acme/other') },
    tree,
  ],
  [
    'that takes a folder which is nowhere',
    none,
    { ...tree, 'home/apps/more/ks.yaml': kustomization('more', './elsewhere') },
  ],
  ['whose folders are at the root, too', { 'apps/readme.md': 'x\n', ...none }, { ...cluster, ...app('a') }],
])('a tree of Flux %s is no finding', async (_, base, head) => {
  expect(await found(base, head)).toEqual([])
})
