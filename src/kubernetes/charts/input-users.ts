import { append } from '../../append'
import { isStopped, workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { shareNamespace } from '../object/namespace'
import { inputsOf, isClass, type PodInput } from '../workload/pod-inputs'
import { releaseKinds } from './chart-release'
import { isSuspended } from './coming-release'
import { releaseInputsOf } from './release-inputs'

/** An object that needs something in a namespace, at its first mention. */
interface User {
  readonly at: Cursor
  readonly namespace: string
}

/** Where objects with Pods in the namespace of an object, or all for a class, need something; of copies, the first. */
export function usersOf(
  { kind, name }: Pick<PodInput, 'kind' | 'name'>,
  beside: Manifest,
  snapshot: Snapshot,
): Cursor[] {
  const users = userIndexes.get(snapshot) ?? usersByInput(snapshot)
  userIndexes.set(snapshot, users)
  const areBeside = ({ at, namespace }: User) =>
    namespace === '' ? shareNamespace(at.manifest, beside) : namespace === beside.ref.namespace
  return (users.get(`${kind} ${name}`) ?? []).flatMap((user) => (isClass(kind) || areBeside(user) ? [user.at] : []))
}

/** Kept, as a change may take many objects away. */
const userIndexes = new WeakMap<Snapshot, ReadonlyMap<string, readonly User[]>>()

function usersByInput(snapshot: Snapshot): Map<string, User[]> {
  const users = new Map<string, User[]>()
  const add = (needed: readonly PodInput[], namespace: string) => {
    const inputs = new Map(needed.toReversed().map(({ kind, name, at }) => [`${kind} ${name}`, at]))
    for (const [input, at] of inputs) append(users, input, { at, namespace })
  }
  const isFirst = (one: Manifest) => snapshot.get(one.ref)[0] === one
  for (const workload of workloadKinds.flatMap((kind) => snapshot.ofKind(kind)).filter(isFirst))
    if (!isStopped(workload)) add(inputsOf(workload), workload.ref.namespace)
  for (const release of releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).filter(isFirst)) {
    if (isSuspended(release)) continue
    for (const { inputs, namespace } of releaseInputsOf(release, snapshot)) add(inputs, namespace)
  }
  return users
}
