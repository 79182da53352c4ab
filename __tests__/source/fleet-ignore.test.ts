import { describe, expect, test } from '@jest/globals'
import { lines } from '../cli/guard'
import { change, hostsOf, probe, whole } from './probe'
import type { Files } from './repository'

describe('a file that a .fleetignore leaves out', () => {
  const files: Files = {
    'apps/fleet.yaml': 'defaultNamespace: shop\n',
    'apps/web.yaml': probe('web', 'a.example.com'),
    'apps/old/web.yaml': probe('web', 'old.example.com'),
    'apps/web-test.yaml': probe('web', 'test.example.com'),
  }

  test.each([
    ['by its name', '# no tests\n*-test.yaml\n!web.yaml\n', ['a.example.com', 'old.example.com']],
    ['by its folder', 'old\n', ['a.example.com', 'test.example.com']],
    ['with all of its folder', 'o*/*\n', ['a.example.com', 'test.example.com']],
    ['by no path', 'old/web.yaml\n/web.yaml\n', ['a.example.com', 'old.example.com', 'test.example.com']],
  ])('is not deployed: %s', async (_, ignore, expected) => {
    const hosts = await hostsOf({ ...files, 'apps/.fleetignore': ignore })
    expect(hosts.map((host) => host.split(' ')[1]).sort()).toEqual(expected)
  })

  test.each([
    ['a pattern with many stars', '# a\n*-*-*-*-*-test.yaml\n'],
    ['more than 200 patterns', Array.from({ length: 201 }, (_, index) => `x${index}`).join('\n')],
  ])('is listed with %s, which is not read', async (_, ignore) => {
    const report = await whole({ ...files, 'apps/.fleetignore': ignore })
    expect(report.inspected.skipped).toContainEqual({
      path: 'apps/.fleetignore',
      reason:
        'this pattern, or a later one, is too long or one of too many, so the files that it matches count as deployed',
    })
  })

  test('is judged where the file is no part of a bundle', async () => {
    const { 'apps/fleet.yaml': _, ...others } = files
    expect(await hostsOf({ ...others, 'apps/.fleetignore': '*' })).toHaveLength(3)
  })

  test('counts as removed where the change leaves it out', async () => {
    const role =
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: system:node}\nrules: []\n'
    const report = await change({ ...files, 'apps/role.yaml': role }, { 'apps/.fleetignore': 'role.yaml\n' })
    expect(lines(report)).toEqual([
      'introduced error base/apps/role.yaml:1 protected-rbac/object-kept',
      'introduced error head/apps/role.yaml:1 source/unrendered',
    ])
  })
})

describe('the plain files of a bundle that Fleet does not deploy as they are', () => {
  const files: Files = {
    'apps/fleet.yaml': 'defaultNamespace: shop\n',
    'apps/web.yaml': probe('web', 'a.example.com'),
  }
  const nowhere = 'targetCustomizations: [{name: all, clusterSelector: {}, doNotDeploy: true}]\n'
  const aChart: Files = {
    'apps/fleet.yaml': 'helm: {chart: ./chart, valuesFiles: [values.yaml]}\n',
    'apps/chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'apps/chart/templates/web.yaml': probe('web', '{{ .Values.host }}'),
    'apps/values.yaml': '# apiVersion: v1\nhost: b.example.com\n',
  }
  const elsewhere = 'targetCustomizations: [{clusterName: edge, doNotDeploy: true}]\n'

  test.each([
    ['to no cluster', { 'apps/fleet.yaml': nowhere }, []],
    ['beside a chart', aChart, ['b.example.com']],
    ['to all clusters but one', { 'apps/fleet.yaml': elsewhere }, ['a.example.com']],
  ])('are deployed %s', async (_, changed: Files, expected: readonly string[]) => {
    const hosts = await hostsOf({ ...files, ...changed })
    expect(hosts.map((host) => host.split(' ')[1])).toEqual(expected)
  })

  test('count as removed where the change has it deploy none of them', async () => {
    const role =
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: system:node}\nrules: []\n'
    for (const changed of [{ 'apps/fleet.yaml': nowhere }, aChart]) {
      const report = await change({ ...files, 'apps/role.yaml': role }, changed)
      expect(lines(report)).toContain('introduced error base/apps/role.yaml:1 protected-rbac/object-kept')
    }
  })
})
