import { describe, expect, test } from '@jest/globals'
import { ingress, kept, kustomization, name, shared, uncovered } from './kustomize-objects'
import { role } from './objects'
import { judgeChange, places, relatedPlaces } from './rendered'

describe('an object that leaves a Kustomization is removed, though its file stays', () => {
  test('a file dropped from resources:', async () => {
    const report = await judgeChange(shared, {
      'base/kustomization.yaml': kustomization('resources:', '  - binding.yaml', '  - ingress.yaml'),
    })
    expect(places(report)).toEqual([`base/base/kustomization.yaml:4 exact ${kept}`])
    expect(relatedPlaces(report, kept)).toEqual([
      'head/base/kustomization.yaml:3 exact removed here',
      'base/base/role.yaml:1 exact rendered from here',
    ])
    expect(report.findings[0]?.sources).toEqual([
      { kind: 'kustomize', path: 'overlays/prod', cluster: 'overlays/prod' },
      { kind: 'kustomize', path: 'overlays/test', cluster: 'overlays/test' },
    ])
  })

  test('a part dropped from an overlay', async () => {
    const report = await judgeChange(
      {
        ...shared,
        'rbac/kustomization.yaml': kustomization('resources: [view.yaml]'),
        'rbac/view.yaml': role('system:discovery'),
        'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base', '  - ../../rbac'),
      },
      { 'overlays/prod/kustomization.yaml': kustomization('resources:', '  - ../../base') },
    )
    expect(places(report)).toEqual([`base/overlays/prod/kustomization.yaml:5 exact ${kept}`])
  })

  test('a part dropped from its only includer is no root of its own', async () => {
    const report = await judgeChange(
      {
        'rbac/kustomization.yaml': kustomization('resources: [view.yaml]'),
        'rbac/view.yaml': role('system:discovery'),
        'app/kustomization.yaml': kustomization('resources: [../rbac, web.yaml]'),
        'app/web.yaml': ingress('a.example.com'),
      },
      { 'app/kustomization.yaml': kustomization('resources: [web.yaml]') },
    )
    expect(places(report)).toEqual([`head/app/kustomization.yaml:3 exact ${kept}`])
  })

  test('a file in a folder of its own does not become a plain one', async () => {
    const report = await judgeChange(
      {
        'app/kustomization.yaml': kustomization('resources:', '  - rbac/view.yaml', '  - web.yaml'),
        'app/rbac/view.yaml': role('system:discovery'),
        'app/web.yaml': ingress('a.example.com'),
      },
      { 'app/kustomization.yaml': kustomization('resources:', '  - web.yaml') },
    )
    expect(places(report)).toEqual([`base/app/kustomization.yaml:4 exact ${kept}`])
    expect(report.inspected.skipped).toEqual([
      { path: 'app/rbac/view.yaml', reason: 'an orphan: app/kustomization.yaml no longer lists it' },
    ])
  })

  test('the file itself', async () => {
    const report = await judgeChange(shared, {
      'base/role.yaml': null,
      'base/kustomization.yaml': kustomization('resources:', '  - binding.yaml', '  - ingress.yaml'),
    })
    expect(places(report)).toEqual([`base/base/kustomization.yaml:4 exact ${kept}`])
  })

  test('by $patch: delete', async () => {
    const report = await judgeChange(shared, {
      'overlays/prod/kustomization.yaml': kustomization(
        'resources:',
        '  - ../../base',
        'patches:',
        '  - path: gone.yaml',
      ),
      'overlays/prod/gone.yaml': `${role(name)}$patch: delete\n`,
    })
    expect(places(report)).toEqual([`head/overlays/prod/gone.yaml:5 exact ${kept}`])
  })
})

describe('a finding on a field that a Kustomization changes is at the line that changes it', () => {
  test('a patch that drops a TLS host', async () => {
    const report = await judgeChange(
      {
        ...shared,
        'overlays/prod/kustomization.yaml': kustomization(
          'resources:',
          '  - ../../base',
          'patches:',
          '  - target: {kind: Ingress, name: web}',
          '    patch: |-',
          '      - op: replace',
          '        path: /spec/tls/0/hosts',
          '        value: [a.example.com, b.example.com]',
        ),
      },
      {
        'overlays/prod/kustomization.yaml': kustomization(
          'resources:',
          '  - ../../base',
          'patches:',
          '  - target: {kind: Ingress, name: web}',
          '    patch: |-',
          '      - op: replace',
          '        path: /spec/tls/0/hosts',
          '        value: [a.example.com]',
        ),
      },
    )
    expect(places(report)).toEqual([`head/overlays/prod/kustomization.yaml:10 exact ${uncovered}`])
    expect(relatedPlaces(report, uncovered)).toEqual(['head/base/ingress.yaml:13 exact rendered from here'])
  })

  test('of a file that comes as a whole, the line that says it', async () => {
    const base = { 'app/kustomization.yaml': kustomization('resources: [role.yaml]'), 'app/role.yaml': role('web') }
    const report = await judgeChange(base, {
      'app/kustomization.yaml': kustomization('resources: [role.yaml, web.yaml]'),
      'app/web.yaml': ingress('a.example.com', 'b.example.com').replace('[a.example.com, ', '['),
    })
    expect(places(report)).toEqual([`head/app/web.yaml:11 exact ${uncovered}`])
    expect(relatedPlaces(report, uncovered)).toEqual([])
  })

  test('a patch file', async () => {
    const patch = (...hosts: string[]) =>
      `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: shop}\nspec:\n  tls:\n    - hosts: [${hosts}]\n      secretName: web-tls\n`
    const base = {
      ...shared,
      'overlays/prod/kustomization.yaml': kustomization(
        'resources:',
        '  - ../../base',
        'patches:',
        '  - path: tls.yaml',
      ),
      'overlays/prod/tls.yaml': patch('a.example.com', 'b.example.com'),
    }
    const report = await judgeChange(base, { 'overlays/prod/tls.yaml': patch('a.example.com') })
    expect(places(report)).toEqual([`head/overlays/prod/tls.yaml:6 exact ${uncovered}`])
  })

  test('the base of two overlays, once', async () => {
    const report = await judgeChange(shared, {
      'base/ingress.yaml': ingress('a.example.com', 'b.example.com').replace(
        '[a.example.com, b.example.com]',
        '[a.example.com]',
      ),
    })
    expect(places(report)).toEqual([`head/base/ingress.yaml:8 exact ${uncovered}`])
    expect(report.findings[0]?.sources).toHaveLength(2)
  })

  test('a component that is taken in', async () => {
    const report = await judgeChange(
      {
        ...shared,
        'components/plain/kustomization.yaml':
          'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches:\n  - target: {kind: Ingress}\n    patch: |-\n      - op: remove\n        path: /spec/tls\n      - op: add\n        path: /spec/tls\n        value: [{hosts: [a.example.com], secretName: x}]\n',
      },
      {
        'overlays/prod/kustomization.yaml': kustomization(
          'resources:',
          '  - ../../base',
          'components:',
          '  - ../../components/plain',
        ),
      },
    )
    expect(places(report)).toEqual([`head/overlays/prod/kustomization.yaml:6 exact ${uncovered}`])
  })
})
