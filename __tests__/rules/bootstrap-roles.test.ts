import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Snapshot } from '../../src/cluster/snapshot'
import { defaultRoles, defaultsOf } from '../../src/kubernetes/rbac/bootstrap-rbac'
import {
  allows,
  type Permission,
  type Permissions,
  permissionsOf,
  permissionText,
  singles,
  uncovered,
} from '../../src/kubernetes/rbac/rbac'
import { type Manifest, nameOf, type ObjectRef } from '../../src/manifest/manifest'
import permissionsKept from '../../src/rules/protected-rbac/permissions-kept'
import { ruleParams } from '../harness'
import { manifestIn } from '../manifest/manifests'

/** Every default role that has rules of its own, as the first and as the last known releases have it. */
const roles = defaultRoles().flatMap((ref) =>
  defaultsOf(ref)
    .filter((_, i, { length }) => !['admin', 'edit', 'view'].includes(ref.name) && (i === 0 || i === length - 1))
    .map(({ releases, always }): [string, ObjectRef, readonly Permissions[]] => [
      `${nameOf(ref)} of ${releases.join(', ')}`,
      ref,
      always,
    ]),
)

function written({ kind, namespace, name }: ObjectRef, permissions: readonly Permissions[]): Manifest {
  const rules = permissions.map(({ group, resource, name, url, verb }) =>
    url.has('')
      ? { apiGroups: [...group], resources: [...resource], resourceNames: [...name].filter(Boolean), verbs: [...verb] }
      : { nonResourceURLs: [...url], verbs: [...verb] },
  )
  const metadata = { name, ...(namespace && { namespace }) }
  return manifestIn(JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules }))
}

const params = ruleParams('protected-rbac/permissions-kept')

/** The findings of the rule for a role that differs. */
function stated(before: Manifest, after: Manifest): string[] {
  const lost: string[] = []
  const [base, head] = [new Snapshot('', [before]), new Snapshot('', [after])]
  if (permissionsKept.scope !== 'change') throw new Error('The rule is asked about changes.')
  permissionsKept.check({
    change: { kind: 'changed', cluster: '', before, after },
    base,
    head,
    params,
    report: (_, message, __, { keys = [] } = {}) => lost.push(...keys.map((key) => `${message} ${key}`)),
    skip: () => {},
    isWritten: () => true,
    isAdded: () => true,
    isUsed: () => false,
    today: '2026-11-21',
  })
  return lost
}

const boxOf = ({ resource, group, url, verb, name, namespace }: Permission) =>
  permissionsOf(
    url === ''
      ? { apiGroups: [group], resources: [resource], resourceNames: name === '' ? [] : [name], verbs: [verb] }
      : { nonResourceURLs: [url], verbs: [verb] },
    namespace,
  )

test('all of them are tried', () => {
  expect(new Set(roles.map(([, { name }]) => name)).size).toBeGreaterThan(70)
})

describe.each(roles)('%s', (_, ref, always) => {
  const before = written(ref, always)

  test('may be written otherwise', () => {
    const split = [...singles(always)].flatMap(boxOf)
    fc.assert(
      fc.property(fc.shuffledSubarray(split, { minLength: split.length }), fc.nat(), (shuffled, at) => {
        const doubled = [...shuffled, ...always.slice(at % (always.length + 1))]
        expect(stated(before, written(ref, doubled))).toEqual([])
        expect(stated(written(ref, doubled), before)).toEqual([])
      }),
      { numRuns: 3 },
    )
  })

  test('misses each permission that goes', () => {
    const all = [...singles(always)]
    for (const single of all) {
      // Small roles are written out; the rules of large ones are cut, which also cuts permissions that a wildcard gave.
      const others = all.filter((one) => one !== single)
      const left = all.length < 40 ? others.flatMap(boxOf) : uncovered(boxOf(single), always)
      const lost = allows(left, boxOf(single)) ? [] : [`lost ${permissionText(single)}`]
      const said = stated(before, written(ref, left))
      if (all.length < 40) expect(said).toEqual(lost)
      else expect(said).toEqual(expect.arrayContaining(lost))
    }
  })
})
