import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { isClusterScoped } from '../../manifest/identity'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { controllersOf } from '../controllers/controller'
import { selectsLabels } from '../object/label-selector'
import { matchesPart } from '../object/object-glob'
import { runnerKinds, vitalKinds } from './vital-kinds'

/**
 * The kinds of Kyverno's policies that delete objects on a schedule, each with whether it takes those of all namespaces.
 * Sources: https://kyverno.io/docs/policy-types/cleanup-policy and https://kyverno.io/docs/policy-types/deleting-policy/
 */
const scopes: Readonly<Record<GroupKind, 'cluster' | 'namespace'>> = {
  'ClusterCleanupPolicy.kyverno.io': 'cluster',
  'CleanupPolicy.kyverno.io': 'namespace',
  'DeletingPolicy.policies.kyverno.io': 'cluster',
  'NamespacedDeletingPolicy.policies.kyverno.io': 'namespace',
}

export const cleanupPolicyKinds: readonly GroupKind[] = Object.keys(scopes)

/** A part of a policy that takes objects which are needed to serve requests. */
export interface Cleanup {
  readonly at: Cursor
  /** The objects, in words: those of a whole kind, or the ones of a snapshot. */
  readonly takes: readonly string[]
  /** A limit that no file answers, so that it may take fewer. */
  readonly unread: Cursor | undefined
}

/** One entry of what a policy matches. */
interface Entry {
  readonly at: Cursor
  readonly kinds: readonly GroupKind[]
  readonly unread: Cursor | undefined
  /** Whether it takes all objects of its kinds. */
  readonly isWhole: boolean
  /** Whether it takes an object of one of its kinds. */
  takes(manifest: Manifest): boolean
}

/** What a policy deletes of the objects that are needed to serve requests. */
export function cleanupsOf(policy: Manifest, snapshot: Snapshot): Cleanup[] {
  const condition = conditionOf(policy)
  return entriesOf(policy).flatMap((entry) => {
    const takes = entry.kinds.flatMap((kind) => takenOf(kind, entry, policy, snapshot))
    return takes.length > 0 ? [{ at: entry.at, takes, unread: condition ?? entry.unread }] : []
  })
}

/** The conditions and exclusions of a policy. */
function conditionOf({ root }: Manifest): Cursor | undefined {
  return [
    root.at('spec', 'conditions'),
    root.at('spec', 'exclude'),
    root.at('spec', 'matchConstraints', 'excludeResourceRules'),
  ].find(({ isMap, isList }) => isMap || isList)
}

/** The vital kinds that a policy names. */
export function kindsTakenBy(policy: Manifest): GroupKind[] {
  return [...new Set(entriesOf(policy).flatMap(({ kinds }) => kinds))]
}

function takenOf(kind: GroupKind, entry: Entry, policy: Manifest, snapshot: Snapshot): string[] {
  const isOfCluster = scopes[groupKindOf(policy.ref)] === 'cluster'
  const name = kind.split('.')[0] ?? ''
  const isRunner = runnerKinds.has(kind)
  if (entry.isWhole && isOfCluster) return [`every ${name}`]
  if (entry.isWhole && !isRunner) return [`every ${name} of its namespace`]
  return snapshot.ofKind(kind).flatMap((manifest) => {
    if (!isOfCluster && manifest.ref.namespace !== policy.ref.namespace) return []
    if (!entry.takes(manifest) || (isRunner && controllersOf(manifest, snapshot).length === 0)) return []
    return [nameOf(manifest.ref)]
  })
}

function entriesOf(policy: Manifest): Entry[] {
  const entries = policy.ref.group === 'kyverno.io' ? entriesOfMatch(policy) : entriesOfRules(policy)
  const isOfCluster = scopes[groupKindOf(policy.ref)] === 'cluster'
  const reaches = (kind: GroupKind) => isOfCluster || !isClusterScoped(refOf(kind))
  return entries.map((entry) => ({ ...entry, kinds: entry.kinds.filter(reaches) }))
}

/** Of an `all` with several entries, each takes no more than what all of them take together. */
function entriesOfMatch({ root }: Manifest): Entry[] {
  const match = root.at('spec', 'match')
  const all = [...match.at('all').items()]
  const any = [...match.at('any').items(), ...(all.length === 1 ? all : []), match]
  const each = any
    .map((one) => one.at('resources'))
    .filter(({ isMap }) => isMap)
    .map(entryOfFilter)
  if (all.length < 2) return each
  const [first, ...more] = all.map((one) => entryOfFilter(one.at('resources')))
  if (!first) return each
  const parts = [first, ...more]
  return [
    ...each,
    {
      at: first.at,
      kinds: first.kinds.filter((kind) => more.every(({ kinds }) => kinds.includes(kind))),
      unread: parts.flatMap(({ unread }) => unread ?? [])[0],
      isWhole: parts.every(({ isWhole }) => isWhole),
      takes: (manifest) => parts.every((part) => part.takes(manifest)),
    },
  ]
}

function entryOfFilter(at: Cursor): Entry {
  const names = globsAt(at.at('names'), at.at('name'))
  const namespaces = globsAt(at.at('namespaces'))
  const selector = at.at('selector')
  return {
    at: at.at('kinds'),
    kinds: kindsBy(
      [...at.at('kinds').items()].map(({ string }) => string ?? ''),
      ({ kind }) => kind,
    ),
    unread: [at.at('namespaceSelector'), at.at('annotations')].find(isFilled),
    isWhole: [names, namespaces].every((globs) => globs.length === 0 || globs.includes('*')) && !isFilled(selector),
    takes: ({ ref, root }) =>
      isAmong(ref.name, names) &&
      isAmong(ref.namespace, namespaces) &&
      (!isFilled(selector) || selectsLabels(selector, root.at('metadata', 'labels'))),
  }
}

function entriesOfRules({ root }: Manifest): Entry[] {
  const constraints = root.at('spec', 'matchConstraints')
  const selector = constraints.at('objectSelector')
  const unread = [constraints.at('namespaceSelector')].find(isFilled)
  return [...constraints.at('resourceRules').items()].map((rule) => {
    const [names, groups] = [globsAt(rule.at('resourceNames')), globsAt(rule.at('apiGroups'))]
    const plurals = globsAt(rule.at('resources'))
    return {
      at: rule.at('resources'),
      kinds: kindsBy(plurals, ({ plural }) => plural).filter((kind) => isAmong(refOf(kind).group, groups)),
      unread,
      isWhole: names.length === 0 && !isFilled(selector),
      takes: ({ ref, root: object }) =>
        isAmong(ref.name, names) && (!isFilled(selector) || selectsLabels(selector, object.at('metadata', 'labels'))),
    }
  })
}

/** The kinds that globs name: `Ingress`, `networking.k8s.io/v1/Ingress`, `*`; a part of an object is none. */
function kindsBy(globs: readonly string[], nameFor: (one: { kind: string; plural: string }) => string): GroupKind[] {
  const asked = globs.map((glob) => glob.split('/').at(-1) ?? '').filter((glob) => glob !== '')
  return [...vitalKinds, ...runnerKinds].flatMap(([kind, plural]) => {
    const name = nameFor({ kind: refOf(kind).kind, plural })
    return asked.some((glob) => matchesPart(glob, name)) ? [kind] : []
  })
}

function refOf(kind: GroupKind): { group: string; kind: string } {
  const dot = kind.indexOf('.')
  return dot === -1 ? { group: '', kind } : { group: kind.slice(dot + 1), kind: kind.slice(0, dot) }
}

function globsAt(...lists: readonly Cursor[]): string[] {
  return lists.flatMap((list) => [list, ...list.items()]).flatMap(({ string }) => string ?? [])
}

function isAmong(text: string, globs: readonly string[]): boolean {
  return globs.length === 0 || globs.some((glob) => matchesPart(glob, text))
}

function isFilled(at: Cursor): boolean {
  return at.isMap && [...at.entries()].length > 0
}
