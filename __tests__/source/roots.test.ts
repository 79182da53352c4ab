import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { kustomization, repository } from './flux-objects'
import { ingress, kustomization as kustomize, name } from './kustomize-objects'
import { role } from './objects'
import { change, object, url } from './probe'
import type { Files } from './repository'

const broken = kustomize('resources: [gone.yaml]')
const notBuilt = (report: Awaited<ReturnType<typeof change>>) =>
  report.inspected.skipped.filter(({ reason }) => reason.includes('which no Argo CD or Flux object deploys'))

/** Flux deploys `apps`, and says so. */
const flux: Files = {
  'clusters/prod/source.yaml': repository(),
  'clusters/prod/apps.yaml': kustomization('apps', './apps'),
  'apps/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'apps/web.yaml': ingress('web.example.com'),
}

const argo: Files = {
  'argocd/apps.yaml': object(
    'argoproj.io/v1alpha1',
    'Application',
    'apps',
    'argocd',
    `spec:\n  source: {repoURL: "${url}", path: apps}\n`,
  ),
  'apps/kustomization.yaml': kustomize('resources: [web.yaml]'),
  'apps/web.yaml': ingress('web.example.com'),
}

describe('a Kustomization that nothing deploys', () => {
  const old: Files = { 'old/kustomization.yaml': broken, 'old/notes.yaml': 'a: 1\n' }

  test('and that did not build at the base is listed, whatever it does not build for now', async () => {
    const other = kustomize('resources: [gone.yaml, more.yaml]')
    const report = await change(old, { 'old/kustomization.yaml': `# An archive.\n${other}` })
    expect(lines(report)).toEqual([])
    expect(notBuilt(report)).toMatchObject([
      { path: 'old/kustomization.yaml', reason: expect.stringContaining('the Kustomization old, which no Argo CD') },
    ])
  })

  test('and that did build at the base is an error', async () => {
    const base = { ...flux, 'old/kustomization.yaml': kustomize('resources: [web.yaml]'), 'old/web.yaml': ingress('b.example.com') }
    const report = await change(base, { 'old/kustomization.yaml': broken })
    expect(lines(report)).toContain('introduced error head/old/kustomization.yaml:3 source/unrendered')
  })

  test('and that is new is an error where no object names the folders that are deployed', async () => {
    expect(lines(await change({ 'notes.txt': 'x' }, old))).toEqual([
      'introduced error head/old/kustomization.yaml:3 source/unrendered',
    ])
  })

  test.each([
    ['Flux', flux],
    ['Argo CD', argo],
  ])('and that is new is listed where objects of %s name the folders that are deployed', async (_, base) => {
    const report = await change(base, old)
    expect(lines(report)).toEqual([])
    expect(notBuilt(report)).toHaveLength(1)
  })

  test('and that is new is an error where only the change names folders', async () => {
    expect(lines(await change({ 'notes.txt': 'x' }, { ...flux, ...old }))).toEqual([
      'introduced error head/old/kustomization.yaml:3 source/unrendered',
    ])
  })

  test('hides no manifest that was judged', async () => {
    const base = { ...flux, 'old/kustomization.yaml': broken, 'plain/role.yaml': role(name) }
    const report = await change(base, { 'old/kustomization.yaml': kustomize('resources: [gone.yaml, ../plain/role.yaml]') })
    expect(lines(report)).toEqual(['introduced error head/plain/role.yaml:1 source/unreadable'])
  })
})
