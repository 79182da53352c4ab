import { oneEditFrom } from '../../closest'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { roleKinds, stringsIn } from '../../kubernetes/rbac/rbac'
import { groupsWithResource, knownGroups, resourcesOfGroup } from '../../kubernetes/versions/api-groups'
import { abridged, alternatives } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Named = { role: string; resource: string; right: string }

export default defineRule({
  id: 'protected-rbac/resources-known',
  summary: 'The rules of a role name resources as the API server does.',
  since: '1.7.0',
  scope: 'manifest',
  kinds: roleKinds,
  messages: {
    cased: ({ role, resource, right }: Named) =>
      `${role} names the resource ${resource}, but no resource has capital letters in its name, so this allows nothing, and the requests of its subjects are denied. Write ${right}.`,
    mistyped: ({ role, resource, right }: Named) =>
      `${role} names the resource ${resource}, which its API groups do not have, so this allows nothing, and the requests of its subjects are denied. Write ${right}, if that is meant.`,
    foreign: ({ role, resource, group, right }: Record<'role' | 'resource' | 'group' | 'right', string>) =>
      `${role} allows ${resource} in ${group}, which has no such resource, so this allows nothing, and the requests of its subjects are denied. The resource is in the API group ${right}: write a rule for that group.`,
    nameless: ({ role, resource, lock }: { role: string; resource: string; lock: string }) =>
      `${role} allows to create ${resource} of the name ${lock} alone, but a request to create an object has no name yet, so it is denied: where ${lock} is not there yet, no replica becomes the leader. Allow create in a rule without resourceNames.`,
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#role-example
    core: ({ role, group, resources }: Record<'role' | 'group' | 'resources', string>) =>
      `${role} allows ${resources} in the API group ${group}, and no group is called so: the core group has an empty name. So this allows nothing, and the requests of its subjects are denied. Write "" in place of it.`,
    group: ({ role, group, right }: Record<'role' | 'group' | 'right', string>) =>
      `${role} names the API group ${group}, and no API group is called so, so this allows nothing, and the requests of its subjects are denied. Write ${right}.`,
    verb: ({ role, verb, advice }: Record<'role' | 'verb' | 'advice', string>) =>
      `${role} allows the verb ${verb}, and no request has such a verb, so this allows nothing, and the requests of its subjects are denied. ${advice}`,
    named: ({ role, resource, name, whole }: Record<'role' | 'resource' | 'name' | 'whole', string>) =>
      `${role} allows ${whole}, and what is behind the slash is a subresource, not the name of an object, so this allows nothing, and the requests of its subjects are denied. Write resources: [${resource}] and resourceNames: [${name}]; create needs a rule without resourceNames.`,
    joined: ({ role, written, items }: Record<'role' | 'written' | 'items', string>) =>
      `${role} names the resource "${written}", which is one text, and no resource is called so, so this allows nothing, and the requests of its subjects are denied. Write an item for each: ${items}.`,
  },
  later: { joined: '1.13.0', core: '1.8.0', foreign: '1.9.0', verb: '1.10.0', named: '1.10.0', group: '1.11.0' },
  check({ manifest, report }) {
    const role = nameOf(manifest.ref)
    const rules = [...manifest.root.at('rules').items()]
    for (const rule of rules) {
      const [groups, own] = [stringsIn(rule, 'apiGroups'), stringsIn(rule, 'resources')]
      for (const at of rule.at('apiGroups').items()) {
        const group = at.string ?? ''
        // With the right name beside it, or all of them, nothing is lacking.
        if (!coreNames.has(group) || groups.includes('') || groups.includes('*')) continue
        report(at, 'core', { role, group, resources: abridged(own) }, { keys: [group, ...own] })
      }
      for (const at of rule.at('apiGroups').items()) {
        const right = groupMeantBy(at.string ?? '')
        if (right === undefined || groups.includes(right) || groups.includes('*')) continue
        report(at, 'group', { role, group: at.string ?? '', right }, { keys: [right], fix: replaced(at, right) })
      }
      // In a group whose name is wrong, too, the resources are those of the right one.
      const meantGroups = groups.map((group) => groupMeantBy(group) ?? group)
      const names = namesIn(meantGroups, rules)
      for (const at of rule.at('resources').items()) {
        const resource = at.string ?? ''
        const [whole, kind = '', name = ''] = objectAsSubresource.exec(resource) ?? []
        if (whole && /[-.0-9]/.test(name) && resourcesOfGroup('')?.has(kind)) {
          const subresource = name.replaceAll('-', '')
          const right = `${kind}/${subresource}`
          if (!compounds.has(subresource))
            report(at, 'named', { role, resource: kind, name, whole }, { keys: [resource] })
          else if (!own.includes(right))
            report(at, 'mistyped', { role, resource, right }, { keys: [resource], fix: replaced(at, right) })
        }
        if (severalNames.test(resource)) {
          const items = resource.split(/[\s,]+/).join(', ')
          report(at, 'joined', { role, written: resource, items }, { keys: [resource] })
        }
        // Variables and templates.
        if (!/^[A-Za-z]+(?:\/[A-Za-z]+)?$/.test(resource)) continue
        const lower = resource.toLowerCase()
        const meant = lower === resource ? meantBy(resource, names) : lower
        const right =
          lower === resource && meant === undefined ? groupOfForeign(resource, meantGroups, names, rules) : undefined
        if (right !== undefined) {
          const group = meantGroups
            .map((one) => (one === '' ? 'the core API group' : `the API group ${one}`))
            .join(' and ')
          report(at, 'foreign', { role, resource, group, right }, { keys: [resource] })
        }
        // The right name beside it allows what is meant.
        if (meant === undefined || own.includes(meant)) continue
        const args = { role, resource, right: meant }
        report(at, lower === resource ? 'mistyped' : 'cased', args, { keys: [resource], fix: replaced(at, meant) })
      }
      for (const at of rule.at('verbs').items()) {
        const verb = at.string ?? ''
        const meant = verbMeantBy(verb, groups)
        if (meant === undefined || stringsIn(rule, 'verbs').some((one) => one === meant || one === '*')) continue
        const fix = meant === '' ? undefined : replaced(at, meant)
        const advice = meant === '' ? `Write one of ${alternatives(verbs)}.` : `Write ${meant}.`
        report(at, 'verb', { role, verb, advice }, { keys: [verb], fix })
      }
      const [lock] = stringsIn(rule, 'verbs').includes('create') ? stringsIn(rule, 'resourceNames').filter(isLock) : []
      for (const resource of own) {
        if (lock === undefined || !locks.has(resource)) continue
        if (rules.some((other) => createsAny(other, groups, resource))) continue
        report(rule.at('resourceNames'), 'nameless', { role, resource, lock }, { keys: [resource] })
      }
    }
  },
})

/**
 * The verbs of requests for resources. Source: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb
 */
const verbs: readonly string[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

/**
 * The verb that is meant by one that no request has; empty where that is open, and undefined for other verbs. Programs may
 * ask the API server about verbs of their own in groups of theirs, as Kubeflow Pipelines does about `readArtifact`.
 */
function verbMeantBy(verb: string, groups: readonly string[]): string | undefined {
  if (verbs.includes(verb) || isPlaceholder(verb) || verb === '') return undefined
  const letters = verb.toLowerCase().replace(/[^a-z]/g, '')
  const isOfOthers =
    /^[a-z*][a-z*:./-]*$/.test(verb) ||
    (/^[A-Za-z]+$/.test(verb) && groups.some((group) => resourcesOfGroup(group) === undefined))
  // `put`, which URLs are asked with, is one letter from `get`.
  const meant = verbs.find((one) => one === letters) ?? (letters.length < 5 ? undefined : oneEditFrom(letters, verbs))
  return meant ?? (isOfOthers ? undefined : '')
}

/** `secrets/web-tls`: no subresource of the core group has a dash, a dot or a digit. */
const objectAsSubresource = /^([a-z]+)\/([a-z0-9.-]+)$/

/** The subresources of the core group that are several words, which people write with a dash: `pods/port-forward`. */
const compounds: ReadonlySet<string> = new Set(['portforward', 'ephemeralcontainers'])

/** Names that people give to the core group, whose name is empty. */
const coreNames: ReadonlySet<string> = new Set(['core', 'core/v1', 'v1'])

/** The API group that is meant by a name that no group has: one with a version behind it, quotes, capital letters, or without its end. */
function groupMeantBy(name: string): string | undefined {
  if (coreNames.has(name) || isPlaceholder(name)) return undefined
  const [, group = ''] = /^([^/]+)\/v\d\w*$/.exec(name) ?? []
  const plain = (group || name).replace(/["'`\s,]/g, '').toLowerCase()
  const whole = [plain, ...endsOfGroups.map((end) => `${plain}.${end}`)].find(
    (one) => resourcesOfGroup(one) !== undefined,
  )
  const meant = whole ?? oneEditFrom(plain, knownGroups)
  return meant === name || meant === '' ? undefined : meant
}

/** The ends of `certificates.k8s.io` and `cert-manager.io`. */
const endsOfGroups: readonly string[] = ['k8s.io', 'io']

/** `configmaps, secrets` */
const severalNames = /^[a-z]+(?:,\s?|\s)[a-z]+(?:(?:,\s?|\s)[a-z]+)*$/

/** The resources that controllers elect a leader by. */
const locks: ReadonlySet<string> = new Set(['configmaps', 'endpoints', 'leases'])

function isLock(name: string): boolean {
  return /leader|election|lock/.test(name)
}

/** The resources that a name may be meant for. */
interface Names {
  readonly names: ReadonlySet<string>
  /** Whether they are all that there are. */
  readonly areAll: boolean
}

/** The resources of groups; of groups that are not known, those that the role names in them. */
function namesIn(groups: readonly string[], rules: readonly Cursor[]): Names {
  const known = groups.map(resourcesOfGroup)
  if (groups.length > 0 && known.every((its) => its !== undefined))
    return { names: new Set(known.flatMap((its) => [...(its ?? [])])), areAll: true }
  if (groups.some((group) => !group.includes('.'))) return { names: new Set(), areAll: false }
  const alike = rules.filter((rule) => String(stringsIn(rule, 'apiGroups')) === String(groups))
  const names = alike.flatMap((rule) => stringsIn(rule, 'resources').filter((one) => !one.includes('/')))
  return { names: new Set(names), areAll: false }
}

/** The one other group that has a resource, where no group of its rule has it and no other rule of the role names that group. */
function groupOfForeign(
  resource: string,
  groups: readonly string[],
  { names, areAll }: Names,
  rules: readonly Cursor[],
): string | undefined {
  const [name = ''] = resource.split('/')
  if (!areAll || names.has(name) || groups.includes('*')) return undefined
  const [right, ...others] = groupsWithResource(name)
  if (right === undefined || others.length > 0) return undefined
  const isAllowed = rules.some((rule) => {
    const [its, resources] = [stringsIn(rule, 'apiGroups'), stringsIn(rule, 'resources')]
    return [right, '*'].some((one) => its.includes(one)) && [resource, '*'].some((one) => resources.includes(one))
  })
  return isAllowed ? undefined : right
}

/** The resource that is meant by a name that no group of its rule has; undefined where the name is right, or may be. */
function meantBy(resource: string, { names, areAll }: Names): string | undefined {
  const [name = '', ...sub] = resource.split('/')
  // Some names exist for authorization alone: `routers/metrics` of OpenShift.
  if (names.has(name) || (!areAll && sub.length > 0)) return undefined
  const others = areAll ? [...names] : [...names].filter((one) => !isPluralOf(one, name))
  const typed = name.length < 5 ? undefined : oneEditFrom(name, others)
  const long = shortNames.get(name) ?? shortNames.get(name.replace(/s$/, ''))
  const right = others.find((one) => areAll && (one === long || isPluralOf(one, name))) ?? typed
  return right === undefined ? undefined : [right, ...sub].join('/')
}

/**
 * The short names of kubectl, which no request has: `kubectl get pvc` asks for `persistentvolumeclaims`. Source: `kubectl
 * api-resources` of Kubernetes 1.34.
 */
const shortNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cj: 'cronjobs',
    cm: 'configmaps',
    crd: 'customresourcedefinitions',
    csr: 'certificatesigningrequests',
    deploy: 'deployments',
    ds: 'daemonsets',
    ep: 'endpoints',
    ev: 'events',
    hpa: 'horizontalpodautoscalers',
    ing: 'ingresses',
    netpol: 'networkpolicies',
    no: 'nodes',
    ns: 'namespaces',
    pc: 'priorityclasses',
    pdb: 'poddisruptionbudgets',
    po: 'pods',
    pv: 'persistentvolumes',
    pvc: 'persistentvolumeclaims',
    quota: 'resourcequotas',
    rs: 'replicasets',
    sa: 'serviceaccounts',
    sc: 'storageclasses',
    sts: 'statefulsets',
    svc: 'services',
  }),
)

/** Whether one name is the plural of the other, in either way: a role may list both to be safe. */
function isPluralOf(a: string, b: string): boolean {
  const forms = (name: string) => [`${name}s`, `${name}es`, name.replace(/y$/, 'ies')]
  return (a !== b && forms(b).includes(a)) || (a !== b && forms(a).includes(b))
}

/** Whether a rule allows to create a resource of any name. */
function createsAny(rule: Cursor, groups: readonly string[], resource: string): boolean {
  const has = (field: string, ...values: readonly string[]) =>
    stringsIn(rule, field).some((one) => one === '*' || values.includes(one))
  const isLimited = stringsIn(rule, 'resourceNames').length > 0
  return !isLimited && has('verbs', 'create') && has('resources', resource) && has('apiGroups', ...groups)
}
