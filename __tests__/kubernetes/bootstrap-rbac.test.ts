import { expect, test } from '@jest/globals'
import { parseVersion } from '../../src/cluster/version'
import {
  commonDefaults,
  defaultRoles,
  defaultsAt,
  defaultsOf,
  hasDefaults,
  isInEveryRelease,
} from '../../src/kubernetes/rbac/bootstrap-rbac'
import { type Permissions, permissionText, singles, uncovered } from '../../src/kubernetes/rbac/rbac'

function role(name: string) {
  return { group: 'rbac.authorization.k8s.io', kind: 'ClusterRole', namespace: '', name }
}

const texts = (permissions: readonly Permissions[] = []) => [...singles(permissions)].map(permissionText).sort()
const aggregator = role('system:controller:clusterrole-aggregation-controller')
const aggregates = ['escalate', 'get', 'list', 'patch', 'update', 'watch'].map(
  (verb) => `${verb} clusterroles.rbac.authorization.k8s.io`,
)

test.each([
  ['1.19.16', false],
  ['1.20', true],
  ['v1.35.1-eks-a737599', true],
  ['1.37.0', true],
  ['1.99.0', false],
  ['2.30', false],
  ['latest', false],
])('the defaults of %s are known: %s', (version, isKnown) => {
  expect(hasDefaults(version)).toBe(isKnown)
  expect(defaultsAt(aggregator, version) !== undefined).toBe(isKnown)
})

test('every minor release has a table from 1.20 on, and none is left out', () => {
  const releases = defaultsOf(role('cluster-admin')).flatMap((form) => form.releases)
  const minors = releases.map((release) => parseVersion(release)?.minor)
  expect(minors).toEqual(releases.map((_, i) => 20 + i))
  expect(releases.length).toBeGreaterThan(17)
})

test('a role is as its release has it', () => {
  expect(texts(defaultsAt(aggregator, '1.35.0')?.always)).toEqual(aggregates)
  const protection = role('system:controller:pvc-protection-controller')
  const added = uncovered(defaultsAt(protection, '1.35')?.always ?? [], defaultsAt(protection, '1.36')?.always ?? [])
  expect(texts(added)).toEqual(['update persistentvolumeclaims --subresource=status'])
  expect(uncovered(commonDefaults(protection), defaultsAt(protection, '1.35')?.always ?? [])).toEqual([])
})

test('a role of some releases is none of the others', () => {
  const podgroups = role('system:controller:podgroup-protection-controller')
  expect(defaultsAt(podgroups, '1.35')).toBeUndefined()
  expect([isInEveryRelease(podgroups), isInEveryRelease(aggregator)]).toEqual([false, true])
  // Its feature gate may be off.
  expect(texts(commonDefaults(podgroups))).toEqual([])
  expect(texts(defaultsAt(podgroups, '1.36')?.gated)).toContain('update podgroups.scheduling.k8s.io')
})

test('an aggregated role has what its parts have', () => {
  const [first, ...others] = defaultsOf(role('edit'))
  expect(others.length).toBeGreaterThan(3)
  expect(first?.gathers).toEqual(['rbac.authorization.k8s.io/aggregate-to-edit'])
  expect(texts(first?.always)).toEqual(expect.arrayContaining(['create deployments.apps', 'list pods']))
  expect(texts(first?.always)).not.toContain('create rolebindings.rbac.authorization.k8s.io')
})

test('a permission of all releases is one of each release', () => {
  for (const ref of defaultRoles()) {
    const common = commonDefaults(ref)
    for (const { always } of defaultsOf(ref)) expect(texts(uncovered(always, common))).toEqual([])
  }
})
