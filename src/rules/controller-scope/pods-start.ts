import { isStopped, podOf, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { usersOf } from '../../kubernetes/charts/input-users'
import { releaseMaking } from '../../kubernetes/charts/objects-in-values'
import { releaseInputsOf } from '../../kubernetes/charts/release-inputs'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { mayShareNamespace, shareNamespace } from '../../kubernetes/object/namespace'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { lostSecrets } from '../../kubernetes/tls/lost-secrets'
import { possibleProducersOf, secretMakers, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import { addedScheduler, companionsOf } from '../../kubernetes/workload/placement'
import { classKinds, inputsOf, isClass, type PodInput } from '../../kubernetes/workload/pod-inputs'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule, type ReportFunction } from '../../rule/rule'

type Loss = Record<'maker' | 'input' | 'user' | 'fate', string>

/** What comes of a new Pod without an object that it needs. Sources: as for `inputsOf`. */
const fates: Readonly<Record<PodInput['kind'], string>> = {
  ConfigMap: 'Without it, the kubelet starts no container of a new Pod.',
  Secret: 'Without it, the kubelet starts no container of a new Pod.',
  PersistentVolumeClaim: 'Without it, no new Pod is scheduled.',
  ServiceAccount: 'Without it, the API server rejects new Pods.',
  'PriorityClass.scheduling.k8s.io': 'Without it, the API server rejects new Pods.',
  'RuntimeClass.node.k8s.io': 'Without it, the API server rejects new Pods.',
}

const messages = {
  removed: ({ maker, input, user, fate }: Loss) =>
    `This change removes ${maker}, and nothing else here creates the ${input}, which ${user} still needs. ${fate} Restore it, or change ${user} first, unless something outside of this repository creates it.`,
  renamed: ({ maker, input, user, fate }: Loss) =>
    `After this change, ${maker} no longer creates the ${input}, which ${user} still needs, and nothing else here does. ${fate} Name the Secret that is created now in ${user}.`,
  unrenewed: ({ maker, input, user }: Omit<Loss, 'fate'>) =>
    `After this change, ${maker} no longer renews the certificate in the ${input}, which ${user} still uses, and nothing else here renews it, so it expires. Keep the Certificate of this Secret, or name a Secret that something renews in ${user}.`,
  moved: ({ input, user, was, fate }: Omit<Loss, 'maker'> & { was: string }) =>
    `Before this change, ${user} needed the ${was}, which is here; now it needs the ${input}, which nothing here creates. ${fate} Name one that exists, or add it.`,
  unmade: ({ input, user, beside, fate }: Omit<Loss, 'maker'> & { beside: string }) =>
    `${user} runs with the ${input}, which neither its chart nor anything else here creates; its chart creates ${beside}. ${fate} Name one of these if that is meant, or add the account.`,
  classless: ({ input, user, fate }: Omit<Loss, 'maker'>) =>
    `After this change, ${user} needs the ${input}, which nothing here creates. ${fate} Name one that exists, or add it, unless something outside of this repository creates it.`,
  unscheduled: ({ scheduler, user }: Record<'scheduler' | 'user', string>) =>
    `After this change, the Pods of ${user} name the scheduler ${scheduler}, which nothing else here mentions. Unless something outside of this repository runs it, no new Pod is scheduled. Name a scheduler that runs, or none.`,
  alone: ({ labels, user }: Record<'labels' | 'user', string>) =>
    `After this change, the Pods of ${user} run only beside Pods with ${labels}, which nothing else here mentions. Unless something outside of this repository runs such Pods, no new Pod is scheduled. Correct the labels, or prefer such nodes instead of requiring them.`,
}

export default defineRule({
  id: 'controller-scope/pods-start',
  summary: 'The ConfigMaps, Secrets, claims, ServiceAccounts and classes that Pods need to start are there.',
  since: '1.20.0',
  scope: 'change',
  // Any custom resource may create what it names.
  kinds: '*',
  messages,
  later: { alone: '1.30.0', classless: '1.30.0', unmade: '1.21.0', unscheduled: '1.30.0' },
  *partners(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (workloadKinds.includes(kind)) {
      for (const { name } of inputsOf(manifest)) yield name
      if (controllersOf(manifest).length > 0) for (const { words } of askedOf(manifest)) yield* words
    }
    if (plainKinds.has(kind)) yield manifest.ref.name
    if (secretMakers.includes(kind)) for (const { name } of secretsMadeBy(manifest)) yield name
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'removed' && workloadKinds.includes(groupKindOf(change.after.ref)))
      reportUnmade(change, head, report)
    if (change.kind === 'added') return
    const kind = groupKindOf(change.before.ref)
    if (workloadKinds.includes(kind)) {
      if (change.kind !== 'changed') return
      reportMoved(change, base, head, report)
      reportClassless(change, base, head, report)
      reportUnplaced(change, head, report)
    } else if (plainKinds.has(kind) || secretMakers.includes(kind)) {
      if (change.kind === 'changed' || !outlivesPrune(change.before)) reportLost(change, head, report)
    }
  },
})

/** The kinds whose objects Pods name. The removal of a ServiceAccount is for protected-rbac/binding-resolves. */
const plainKinds: ReadonlySet<string> = new Set(['ConfigMap', 'PersistentVolumeClaim', ...classKinds])

type ReportMessage = ReportFunction<typeof messages>

/** Reports the workloads that still need what an object no longer creates. */
function reportLost(change: Exclude<Change, { kind: 'added' }>, head: Snapshot, report: ReportMessage): void {
  const { before } = change
  for (const { kind, name, at } of lostInputs(change, head)) {
    if (isPlaceholder(name)) continue
    const users = usersOf({ kind, name }, before, head)
    if (users.length === 0 || mayBeMade({ kind, name }, before, head)) continue
    for (const user of users) {
      const input = inWords(kind, name)
      const names = { maker: nameOf(before.ref), input, user: nameOf(user.manifest.ref), fate: fates[kind] }
      const isCertificate = before.ref.kind === 'Certificate'
      // cert-manager leaves the Secret of a deleted Certificate alone; see ingress-tls/secret-kept.
      const message = isCertificate ? 'unrenewed' : change.kind === 'changed' ? 'renamed' : 'removed'
      report([change.kind === 'changed' ? at : before.root, user], message, names, { keys: [name] })
    }
  }
}

/** The object or the Secrets that a change takes away, with where the names of these are. */
function lostInputs(change: Exclude<Change, { kind: 'added' }>, head: Snapshot): PodInput[] {
  const { before } = change
  const { name } = before.ref
  const kind = groupKindOf(before.ref)
  if (!isPlain(kind))
    return lostSecrets(change, head).map((secret) => ({ kind: 'Secret', name: secret.name, at: secret.at }))
  if (change.kind === 'changed' || isHere({ kind, name }, before, head)) return []
  return [{ kind, name, at: before.root.at('metadata', 'name') }]
}

function isPlain(kind: string): kind is PodInput['kind'] {
  return plainKinds.has(kind)
}

function inWords(kind: PodInput['kind'], name: string): string {
  return `${kind.split('.')[0]} ${name}`
}

/** Reports what a workload comes to need in place of something that is here, and that nothing here creates. */
function reportMoved(
  { before, after }: Extract<Change, { kind: 'changed' }>,
  base: Snapshot,
  head: Snapshot,
  report: ReportMessage,
): void {
  if (isStopped(after)) return
  const [former, is] = [inputsOf(before), inputsOf(after)]
  const seen = new Set<string>()
  for (const input of is) {
    const { kind, name, at } = input
    if (seen.has(`${kind} ${name}`) || isPlaceholder(name) || former.some((one) => isSame(one, input))) continue
    seen.add(`${kind} ${name}`)
    // In the same place: others may be there for another reason.
    const left = former.find((one) => one.kind === kind && isAt(one, input) && !is.some((other) => isSame(one, other)))
    if (!left || !isHere(left, before, base) || !isHere(left, after, head)) continue
    if (isHere(input, after, head) || usersOf(input, before, base).length > 0 || mayBeMade({ kind, name }, after, head))
      continue
    const was = inWords(kind, left.name)
    const names = { input: inWords(kind, name), user: nameOf(after.ref), was, fate: fates[kind] }
    report([at, left.at], 'moved', names, { keys: [kind, name] })
  }
}

/** Reports the class that an ingress controller comes to name where it named none, if nothing here creates it. */
function reportClassless(
  { before, after }: Extract<Change, { kind: 'changed' }>,
  base: Snapshot,
  head: Snapshot,
  report: ReportMessage,
): void {
  if (isStopped(after) || controllersOf(after, head).length === 0) return
  const former = inputsOf(before)
  for (const input of inputsOf(after).filter(({ kind }) => isClass(kind))) {
    const { kind, name, at } = input
    if (isPlaceholder(name) || former.some((one) => one.kind === kind)) continue
    // One that others use already comes from elsewhere.
    if (isHere(input, after, head) || usersOf(input, before, base).length > 0 || mayBeMade({ kind, name }, after, head))
      continue
    report(
      at,
      'classless',
      { input: inWords(kind, name), user: nameOf(after.ref), fate: fates[kind] },
      { keys: [kind] },
    )
  }
}

/** What the Pods of a workload ask of their cluster, with the words by which something that meets it is known. */
function askedOf(workload: Manifest) {
  const scheduler = addedScheduler(workload)
  const named = scheduler ? [{ message: 'unscheduled' as const, at: scheduler, words: [scheduler.string ?? ''] }] : []
  const companions = companionsOf(workload).map((at) => {
    const words = [...at.entries()].flatMap(([, { string }]) => string ?? [])
    return { message: 'alone' as const, at, words }
  })
  return [...named, ...companions]
}

/** Reports the scheduler, or the Pods beside them, that the Pods of an ingress controller come to ask for and nothing else mentions. */
function reportUnplaced(
  { before, after }: Extract<Change, { kind: 'changed' }>,
  head: Snapshot,
  report: ReportMessage,
): void {
  if (isStopped(after) || controllersOf(after, head).length === 0) return
  const former = new Set(askedOf(before).map(({ at }) => JSON.stringify(at.value)))
  const own = podOf(after).at('metadata', 'labels')
  for (const { message, at, words } of askedOf(after)) {
    if (former.has(JSON.stringify(at.value)) || words.some(isPlaceholder)) continue
    // The first of Pods that ask for their own labels is scheduled anywhere.
    const isOwn = [...at.entries()].every(([key, { string }]) => own.at(key).string === string)
    if ((message === 'alone' && isOwn) || !words.some((word) => !isMentioned(word, after, head))) continue
    const user = nameOf(after.ref)
    if (message === 'unscheduled') report(at, message, { user, scheduler: at.string ?? '' })
    else
      report(at, message, { user, labels: abridged([...at.entries()].map(([key, { string }]) => `${key}=${string}`)) })
  }
}

/** Whether another object has a name or a value. */
function isMentioned(word: string, { ref }: Manifest, head: Snapshot): boolean {
  return head.manifests.some(
    (one) => identityOf(one.ref) !== identityOf(ref) && mentionsWhole(one.object.content, word),
  )
}

/** Reports the account that a workload of a chart comes to run with, if the chart creates only others. */
function reportUnmade(change: Exclude<Change, { kind: 'removed' }>, head: Snapshot, report: ReportMessage): void {
  const { after } = change
  const { origin } = after
  if (origin.kind !== 'rendered' || origin.source.kind !== 'helm' || isStopped(after)) return
  const before = change.kind === 'changed' ? inputsOf(change.before) : []
  const input = inputsOf(after).find(({ kind }) => kind === 'ServiceAccount')
  if (!input || isPlaceholder(input.name) || before.some(({ kind }) => kind === 'ServiceAccount')) return
  const beside = head.ofKind('ServiceAccount').filter((one) => isOfOneSource(one, after) && shareNamespace(one, after))
  const isMeant = beside.some(({ ref }) => isPartOf(ref.name, input.name) || isPartOf(input.name, ref.name))
  // Another chart may create one that is called otherwise.
  if (!isMeant && !(beside.length > 0 && input.name.includes(origin.source.release))) return
  if (isHere(input, after, head) || mayBeMade(input, after, head)) return
  const names = { input: `ServiceAccount ${input.name}`, user: nameOf(after.ref), fate: fates.ServiceAccount }
  const others = abridged(beside.map(({ ref }) => nameOf(ref)))
  report([input.at, ...beside.map(({ root }) => root)], 'unmade', { ...names, beside: others }, { keys: [input.name] })
}

/** Whether a name begins or ends with another one: `shop` and `shop-backend`. */
function isPartOf(part: string, name: string): boolean {
  return name.startsWith(`${part}-`) || name.endsWith(`-${part}`)
}

function isAt(one: PodInput, other: PodInput): boolean {
  return JSON.stringify(one.at.path) === JSON.stringify(other.at.path)
}

function isSame(one: Pick<PodInput, 'kind' | 'name'>, other: Pick<PodInput, 'kind' | 'name'>): boolean {
  return one.kind === other.kind && one.name === other.name
}

/** ConfigMaps that a cluster creates in each namespace. */
const ofEachNamespace: ReadonlySet<string> = new Set(['kube-root-ca.crt', 'openshift-service-ca.crt'])

/** Whether something in a snapshot creates what the Pods of an object need. */
function isHere({ kind, name }: Pick<PodInput, 'kind' | 'name'>, beside: Manifest, snapshot: Snapshot): boolean {
  if (kind === 'Secret') return possibleProducersOf(snapshot, beside.ref.namespace, name, beside).length > 0
  if (kind === 'ConfigMap' && ofEachNamespace.has(name)) return true
  // The claims of a StatefulSet: `data-db-0` of its template `data`.
  const isOfSet = ({ ref }: Manifest) => name.replace(/-\d+$/, '').endsWith(`-${ref.name}`)
  const sets = kind === 'PersistentVolumeClaim' ? snapshot.ofKind('StatefulSet.apps').filter(isOfSet) : []
  const named = snapshot.ofKind(kind).filter((one) => one.ref.name === name)
  return [...named, ...sets].some((one) => isClass(kind) || mayShareNamespace(one, beside))
}

/**
 * Whether something may create what is not here: a custom resource that names it, or whose name its own begins with, or a
 * release that has the object in its values, in its own file or in others.
 */
function mayBeMade({ kind, name }: Pick<PodInput, 'kind' | 'name'>, beside: Manifest, head: Snapshot): boolean {
  const kinds = (kind === 'Secret' ? secretMakers : [kind]).map((one) => one.split('.')[0] ?? '')
  if (releaseMaking({ kinds, name, namespace: beside.ref.namespace }, head)) return true
  const custom = customResources.get(head) ?? head.manifests.filter(isCustom)
  customResources.set(head, custom)
  return custom.some((one) => {
    if (name.startsWith(`${one.ref.name}-`)) return true
    return mentionsWhole(one.object.content, name) && !isOnlyRead(name, one, head)
  })
}

/** Whether a release has a name only where its Pods read an object of that name. */
function isOnlyRead(name: string, release: Manifest, head: Snapshot): boolean {
  const read = releaseInputsOf(release, head)
  return read.length > 0 && read.every(({ mayMake }) => !mayMake(name))
}

/** Kept, as a change may take many objects away. */
const customResources = new WeakMap<Snapshot, readonly Manifest[]>()

function isCustom({ ref }: Manifest): boolean {
  const isKnown = [...workloadKinds, ...secretMakers].includes(groupKindOf(ref))
  return ref.group.includes('.') && !ref.group.endsWith('.k8s.io') && !isKnown
}
