import { describe, expect, test } from '@jest/globals'
import { checkOpened } from '../cli/guard'
import { kustomization, release, repository } from './flux-objects'
import { opened } from './in-memory'
import { kept, name } from './kustomize-objects'
import { role } from './objects'
import { object, url } from './probe'
import type { Files } from './repository'

const marks = {
  helm: '  annotations: {helm.sh/resource-policy: keep}\n',
  flux: '  annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}\n',
  argo: '  annotations: {argocd.argoproj.io/sync-options: Prune=false}\n',
}

const deployers: Readonly<Record<'flux' | 'helm' | 'argo' | 'none', Files>> = {
  flux: { 'flux/source.yaml': repository(), 'flux/rbac.yaml': kustomization('rbac', './rbac', 'prune: true') },
  helm: { 'flux/source.yaml': repository(), 'flux/web.yaml': release('', { chart: './rbac' }) },
  argo: {
    'apps/rbac.yaml': object(
      'argoproj.io/v1alpha1',
      'Application',
      'rbac',
      'argocd',
      `spec:\n  source: {repoURL: "${url}", path: rbac}\n  syncPolicy: {automated: {prune: true}}\n`,
    ),
  },
  none: {},
}

/** The rules that report a protected object as removed which has a mark. */
async function rulesFor(deployer: keyof typeof deployers, mark: keyof typeof marks) {
  const isChart = deployer === 'helm'
  const folder = isChart ? 'rbac/templates' : 'rbac'
  const files: Files = {
    ...deployers[deployer],
    ...(isChart ? { 'rbac/Chart.yaml': 'apiVersion: v2\nname: rbac\nversion: 1.0.0\n' } : {}),
    [`${folder}/role.yaml`]: role(name, marks[mark]),
    [`${folder}/other.yaml`]: role('other'),
  }
  const { findings } = await checkOpened(opened(files, { [`${folder}/role.yaml`]: null }, url))
  return findings.flatMap(({ rule, text }) => (rule === kept && text.includes('recreates it') ? [rule] : []))
}

describe('a mark keeps an object only from the deployer that knows it', () => {
  test.each<[deployer: keyof typeof deployers, mark: keyof typeof marks]>([
    ['flux', 'helm'],
    ['flux', 'argo'],
    ['helm', 'flux'],
    ['none', 'helm'],
    ['argo', 'helm'],
  ])('of %s, not the one of %s', async (deployer, mark) => {
    expect(await rulesFor(deployer, mark)).toEqual([kept])
  })

  test.each<[deployer: keyof typeof deployers, mark: keyof typeof marks]>([
    ['flux', 'flux'],
    ['helm', 'helm'],
    ['argo', 'argo'],
    ['none', 'flux'],
    ['none', 'argo'],
  ])('of %s, the one of %s', async (deployer, mark) => {
    expect(await rulesFor(deployer, mark)).toEqual([])
  })
})
