import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  allows,
  inNamespace,
  type Permission,
  type Permissions,
  type PolicyRule,
  permissionsIn,
  permissionsOf,
  permissionText,
  singles,
  uncovered,
} from '../../src/kubernetes/rbac/rbac'
import { manifestIn } from '../manifest/manifests'

const allowed = (rules: readonly PolicyRule[]) => rules.flatMap((rule) => permissionsOf(rule))
const words = (permissions: readonly Permissions[]) => [...singles(permissions)].map(permissionText).sort()

/** Rules in a line each: verbs, group, resources, names; or verbs and URLs. */
function rules(...lines: readonly string[]): PolicyRule[] {
  const list = (text = '') => text.split(',').filter((part) => part !== '')
  return lines.map((line) => {
    const [verbs, target, resources, names] = line.split(' ')
    if (target?.startsWith('/') || !resources) return { verbs: list(verbs), nonResourceURLs: list(target) }
    return { verbs: list(verbs), apiGroups: list(target), resources: list(resources), resourceNames: list(names) }
  })
}

const grid = ['delete one,two builds,deployments', 'update one,two builds,deployments']
const cells = ['delete', 'update'].flatMap((verb) =>
  ['one', 'two'].flatMap((group) => ['builds', 'deployments'].map((resource) => `${verb} ${group} ${resource}`)),
)

// The cases of the API server's own test of the comparison, in our words:
// https://github.com/kubernetes/component-helpers/blob/master/auth/rbac/validation/policy_comparator_test.go
describe('permissions that rules cover', () => {
  test.each<[what: string, owner: string[], servant: string[], lost: string[]]>([
    ['the same', ['get v1 builds'], ['get v1 builds'], []],
    ['a subresource of every resource', ['get v1 */scale'], ['get v1 foo/scale'], []],
    ['one rule by several', cells, grid, []],
    ['several rules by one', grid, cells, []],
    [
      'one verb of one resource is missing',
      ['delete,update v1 builds,deployments', 'delete v1 pods'],
      ['delete,update v1 builds,deployments,pods'],
      ['update pods.v1'],
    ],
    ['groups by every group', ['get * roles'], ['get one,two roles'], []],
    ['every group by no list of them', ['get one roles'], ['get * roles'], ['get roles.*']],
    ['every group by itself', ['get * roles'], ['get * roles'], []],
    ['verbs by every verb', ['* v1 roles'], ['watch,list v1 roles'], []],
    [
      'every verb by no list of them',
      ['get,list,watch,create,update,delete,exec v1 roles'],
      ['* v1 roles'],
      ['* roles.v1'],
    ],
    ['every verb by itself', ['* v1 roles'], ['* v1 roles'], []],
    ['a resource by every resource', ['get v1 *'], ['get v1 group:deployments'], []],
    ['every resource by no list of them', ['get v1 roles,group:deployments'], ['get v1 *'], ['get *.v1']],
    ['every resource by itself', ['get v1 *'], ['get v1 *'], []],
    ['names by any name', ['get v1 pods'], ['get v1 pods foo,bar'], []],
    ['any name by no list of them', ['get v1 pods foo,bar'], ['get v1 pods'], ['get pods.v1']],
    ['the same URL', ['* /apis'], ['* /apis'], []],
    ['URLs by every URL', ['* *'], ['* /apis,/apis/v1,/'], []],
    ['a path above a prefix', ['* /apis/*'], ['get /apis,/apis/v1'], ['get /apis']],
    ['a path that begins like a prefix', ['* /apis/*'], ['get /apis/v1/foo,/apis/v1'], []],
    ['a resource by a subresource of it', ['get v1 pods/log'], ['get v1 pods'], ['get pods.v1']],
    ['a subresource by its resource', ['get v1 pods'], ['get v1 pods/log'], ['get pods.v1 --subresource=log']],
    ['a subresource by what is no wildcard', ['get v1 pods/*'], ['get v1 pods/log'], ['get pods.v1 --subresource=log']],
    ['a subresource by every resource', ['get v1 *'], ['get v1 pods/log,*/scale'], []],
    ['a name by an object that is named *', ['get v1 pods *'], ['get v1 pods web'], ['get pods.v1/web']],
    ['parts that no single rule has together', ['get v1 pods', 'list v1 jobs'], ['list v1 pods'], ['list pods.v1']],
  ])('%s', (_, owner, servant, lost) => {
    const [owned, wanted] = [allowed(rules(...owner)), allowed(rules(...servant))]
    expect(words(uncovered(owned, wanted))).toEqual(lost)
    expect(allows(owned, wanted)).toBe(lost.length === 0)
  })

  test('a rule with resources and URLs is two', () => {
    const both = { verbs: ['get'], apiGroups: ['v1'], resources: ['builds'], nonResourceURLs: ['/apis'] }
    expect(allows(allowed([both]), allowed([both]))).toBe(true)
    expect(words(uncovered(allowed(rules('get v1 builds')), allowed([both])))).toEqual(['get /apis'])
  })

  test.each<[owned: string, url: string, covered: boolean]>([
    ['*', '', true],
    ['*', '/', true],
    ['*', '/api', true],
    ['/*', '', false],
    ['/*', '/', true],
    ['/*', '/foo', true],
    ['/api', '/api', true],
    ['/apis', '/api', false],
    ['/api/v1', '/api', false],
    ['/api/v1', '/api/v1', true],
    ['/api/*', '/api/v1', true],
    ['/api/*', '/api', false],
    ['/api/*/*', '/api/v1', false],
    ['/*/v1/*', '/api/v1', false],
  ])('URL %s for %j: %s', (owned, url, covered) => {
    const rules = [owned, url].map((one) => allowed([{ verbs: ['get'], nonResourceURLs: [one] }]))
    expect(allows(rules[0] ?? [], rules[1] ?? [])).toBe(covered)
  })
})

describe('an empty text that is written', () => {
  const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] }
  test.each<[string, PolicyRule, PolicyRule, boolean]>([
    ['is not every name', { ...secrets, resourceNames: [''] }, secrets, false],
    ['covers no name', { ...secrets, resourceNames: [''] }, { ...secrets, resourceNames: ['a'] }, false],
    ['covers itself', { ...secrets, resourceNames: ['', 'a'] }, { ...secrets, resourceNames: [''] }, true],
    ['is covered by every name', secrets, { ...secrets, resourceNames: [''] }, true],
    ['is no URL', { verbs: ['get'], nonResourceURLs: [''] }, { ...secrets, resources: [''] }, false],
    ['is no resource', { ...secrets, resources: [''] }, { verbs: ['get'], nonResourceURLs: [''] }, false],
  ])('%s', (_, owner, servant, isCovered) => {
    expect(allows(allowed([owner]), allowed([servant]))).toBe(isCovered)
  })
})

describe('properties', () => {
  const some = (...values: string[]) => fc.subarray(values, { minLength: 1 })
  const rule: fc.Arbitrary<PolicyRule> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        verbs: some('get', 'list', 'update', '*'),
        apiGroups: some('', 'apps', '*'),
        resources: some('pods', 'pods/log', 'jobs', 'jobs/scale', '*/scale', '*', 'pods/*'),
        resourceNames: fc.subarray(['web', 'db', '*']),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        verbs: some('get', 'post', '*'),
        nonResourceURLs: some('/healthz', '/healthz/*', '/api', '/api/*', '*'),
      }),
    },
  )
  const role = fc.array(rule, { maxLength: 5 }).map(allowed)

  /** One single permission by another, as the API server asks it. */
  function allowsSingle(owned: Permission, wanted: Permission): boolean {
    const sub = wanted.resource.split('/')[1]
    if (owned.url !== '' || wanted.url !== '') {
      return (
        owned.url !== '' &&
        wanted.url !== '' &&
        (owned.url === wanted.url || (owned.url.endsWith('*') && wanted.url.startsWith(owned.url.slice(0, -1)))) &&
        ['*', wanted.verb].includes(owned.verb)
      )
    }
    return (
      ['*', wanted.verb].includes(owned.verb) &&
      ['*', wanted.group].includes(owned.group) &&
      ['*', wanted.resource, ...(sub ? [`*/${sub}`] : [])].includes(owned.resource) &&
      ['', wanted.name].includes(owned.name)
    )
  }

  test('permissions that are cut out as a whole are those found one by one', () => {
    fc.assert(
      fc.property(role, role, (owner, servant) => {
        const owned = [...singles(owner)]
        const lost = [...singles(servant)].filter((single) => !owned.some((one) => allowsSingle(one, single)))
        expect(words(uncovered(owner, servant))).toEqual(lost.map(permissionText).sort())
      }),
    )
  })

  test('a role covers itself, in any order, and each of its parts', () => {
    fc.assert(
      fc.property(role, role, fc.infiniteStream(fc.nat()), (one, other, order) => {
        const union = [...one, ...other]
        const shuffled = union
          .map((permissions) => [order.next().value, permissions] as const)
          .sort(([a], [b]) => a - b)
          .map(([, permissions]) => permissions)
        expect(allows(union, shuffled) && allows(shuffled, union)).toBe(true)
        expect(allows(union, one) && allows(union, other)).toBe(true)
        expect(words(uncovered(shuffled, one))).toEqual(words(uncovered(union, one)))
      }),
    )
  })

  test('a role that covers another one covers all that it covers', () => {
    fc.assert(
      fc.property(role, role, role, (one, two, three) => {
        const [a, b, c] = [[...one, ...two, ...three], [...two, ...three], three]
        expect(allows(a, b) && allows(b, c) && allows(a, c)).toBe(true)
        if (allows(one, two) && allows(two, three)) expect(allows(one, three)).toBe(true)
      }),
    )
  })

  test('a permission that goes is noticed, unless another one allows it', () => {
    const single = ({ resource, group, url, verb, name }: Permission) =>
      permissionsOf(
        url === ''
          ? { verbs: [verb], apiGroups: [group], resources: [resource], resourceNames: name === '' ? [] : [name] }
          : { verbs: [verb], nonResourceURLs: [url] },
      )
    fc.assert(
      fc.property(role, fc.nat(), (whole, index) => {
        const all = [...singles(whole)]
        const gone = all[index % all.length]
        if (!gone) return
        const left = all.filter((one) => one !== gone)
        const lost = words(uncovered(left.flatMap(single), whole))
        expect(lost).toEqual(left.some((one) => allowsSingle(one, gone)) ? [] : [permissionText(gone)])
      }),
    )
  })

  test('a permission in all namespaces holds in one, and not the other way', () => {
    fc.assert(
      fc.property(role, (whole) => {
        const inShop = inNamespace(whole, 'shop')
        expect(allows(whole, inShop)).toBe(true)
        if (inShop.length > 0) expect(allows(inShop, whole) || allows(inNamespace(whole, 'other'), inShop)).toBe(false)
      }),
    )
  })
})

// 16 million million permissions: written out, they would never end.
test('long rules are compared without writing out what they allow', () => {
  const list = (name: string) => Array.from({ length: 2000 }, (_, index) => `${name}${index}`)
  const rule = { verbs: list('v'), apiGroups: list('g'), resources: list('r'), resourceNames: list('n') }
  const less = { ...rule, verbs: rule.verbs.slice(1), resources: rule.resources.slice(1) }
  const [first] = singles(uncovered(allowed([less]), allowed([rule])))
  expect(first && permissionText(first)).toBe('v0 r0.g0/n0')
})

test('the words are those of kubectl auth can-i, in the namespace of a Role', () => {
  const role = manifestIn(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r, namespace: kube-system}
rules:
  - {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [kcm], verbs: [update]}
  - {apiGroups: [""], resources: [pods/log], verbs: [get]}
  - {apiGroups: ["*"], resources: ["*"], verbs: ["*"]}
`)
  expect(words(permissionsIn(role.root.at('rules')))).toEqual([
    '* *.* -n kube-system',
    'get pods --subresource=log -n kube-system',
    'update leases.coordination.k8s.io/kcm -n kube-system',
  ])
})
