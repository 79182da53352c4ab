import { oneEditFrom } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { differByOnePart } from '../../kubernetes/object/like-names'
import { mayShareNamespace } from '../../kubernetes/object/namespace'
import { shownKeys } from '../../kubernetes/tls/declared-secret'
import { type Credential, credentialsOf, issuerKinds } from '../../kubernetes/tls/issuer-credentials'
import { producerKinds, secretMakers, secretsMadeBy } from '../../kubernetes/tls/tls-producer'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isWhole, namesWhole } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type Names = Record<'issuer' | 'secret' | 'maker', string>

export default defineRule({
  id: 'ingress-tls/credentials-provided',
  summary: 'An issuer reads its credentials from a Secret and a key that something creates.',
  since: '1.8.0',
  scope: 'change',
  kinds: [...issuerKinds, ...secretMakers],
  reads: [...producerKinds.filter((kind) => !secretMakers.includes(kind)), ...releaseKinds],
  subjects: [{ kinds: issuerKinds }],
  direct: true,
  messages: {
    misnamed: ({ issuer, secret, maker, made }: Names & { made: string }) =>
      `${issuer} reads its credentials from the Secret ${secret}, which nothing here creates; ${maker} creates ${made}. So cert-manager can neither issue nor renew its certificates. Name ${made} here, or have ${maker} create ${secret}.`,
    keyMissing: ({ issuer, secret, maker, key, keys }: Names & { key: string; keys: string }) =>
      `${issuer} reads its credentials from the key ${key} of the Secret ${secret}, but ${maker} creates it with ${keys} only. So cert-manager can neither issue nor renew its certificates. Name a key that the Secret has, or add this one.`,
    replaced: ({ issuer, secret, maker, made }: Names & { made: string }) =>
      `This change has ${issuer} read its credentials from the Secret ${secret}, which nothing here creates, in place of ${made}, which ${maker} still creates. Unless ${secret} comes from elsewhere, cert-manager can neither issue nor renew its certificates. Name ${made} here, or add ${secret}.`,
  },
  later: { replaced: '1.26.0' },
  putBack: { misnamed: 'changed', keyMissing: 'changed', replaced: 'changed' },
  names: {
    *of({ change, base, head }) {
      for (const { credential } of misread(change, base, head)) yield credential.secret
    },
    isUsedIn: isKnownIn,
  },
  *partners(manifest) {
    for (const { name } of secretsMadeBy(manifest)) yield name
    for (const { secret, keys } of credentialsOf(manifest)) {
      yield secret
      yield* keys
      yield* tellingParts(secret)
    }
  },
  check({ change, base, head, isUsed, report, skip }) {
    for (const { issuer, credential, fault } of misread(change, base, head)) {
      const { secret, at, keyAt } = credential
      const names = { issuer: nameOf(issuer.ref), secret, maker: nameOf(fault.maker.ref) }
      if (fault.by === 'keyMissing') {
        const { key, keys, keysAt } = fault
        report([keyAt, keysAt], 'keyMissing', { ...names, key, keys: keys.join(', ') }, { keys: [secret, key] })
        continue
      }
      if (isUsed(secret) || isMentioned(secret, fault.maker, head)) continue
      const release = releaseMentioning(secret, head)
      if (release) {
        skip(at, `${nameOf(release.ref)} mentions the Secret ${secret}, and may create it`)
        continue
      }
      const fix = at.string === secret ? replaced(at, fault.made) : undefined
      report([at, fault.at], fault.by, { ...names, made: fault.made }, { keys: [secret], fix })
    }
  },
})

type Fault =
  | { readonly by: 'misnamed' | 'replaced'; readonly maker: Manifest; readonly made: string; readonly at: Cursor }
  | {
      readonly by: 'keyMissing'
      readonly maker: Manifest
      readonly key: string
      readonly keys: readonly string[]
      readonly keysAt: Cursor
    }

interface Misread {
  readonly issuer: Manifest
  readonly credential: Credential
  readonly fault: Fault
}

/** The credentials that a change has issuers read from a Secret or a key that nothing creates. */
function misread(change: Change, base: Snapshot, head: Snapshot): Misread[] {
  const found = new Map<string, Misread>()
  for (const issuer of issuersFor(change, head)) {
    for (const credential of credentialsOf(issuer)) {
      const id = JSON.stringify([nameOf(issuer.ref), credential.secret, credential.keys])
      if (isPlaceholder(credential.secret) || found.has(id)) continue
      const fault = faultOf(credential, head) ?? replacedIn(change, issuer, credential, head)
      if (fault && !isOld(credential, fault, base)) found.set(id, { issuer, credential, fault })
    }
  }
  return [...found.values()]
}

/** The issuer that a change writes, or those that read a Secret which it takes the maker from, or changes. */
function issuersFor(change: Change, head: Snapshot): readonly Manifest[] {
  if (change.kind !== 'removed' && issuerKinds.includes(groupKindOf(change.after.ref))) return [change.after]
  if (change.kind === 'added' || issuerKinds.includes(groupKindOf(change.before.ref))) return []
  const before = new Set(secretsMadeBy(change.before).map(({ name }) => name))
  return issuersIn(head).filter((issuer) => credentialsOf(issuer).some(({ secret }) => before.has(secret)))
}

function issuersIn(snapshot: Snapshot): readonly Manifest[] {
  return issuerKinds.flatMap((kind) => snapshot.ofKind(kind))
}

/** Whether an issuer read the same before the change, and it had no maker either: then it comes from elsewhere. */
function isOld({ secret, keys }: Credential, { by }: Fault, base: Snapshot): boolean {
  return issuersIn(base)
    .flatMap(credentialsOf)
    .filter((one) => one.secret === secret && (by !== 'keyMissing' || one.keys.join() === keys.join()))
    .some((one) => (by === 'keyMissing' ? faultOf(one, base) !== undefined : makersOf(secret, base).length === 0))
}

/** The Secret that a field of an issuer named before the change, where something still creates it for no issuer. */
function replacedIn(change: Change, issuer: Manifest, credential: Credential, head: Snapshot): Fault | undefined {
  if (change.kind !== 'changed' || change.after !== issuer || makersOf(credential.secret, head).length > 0)
    return undefined
  const path = String(credential.at.path)
  const before = credentialsOf(change.before).find(({ at }) => String(at.path) === path)?.secret
  if (!before || before === credential.secret || isPlaceholder(before) || isReadIn(head, before)) return undefined
  const makers = makersOf(before, head)
  const [one] = makers
  if (!one || !makers.every(({ maker }) => isReadBy(issuer, maker, head) && holds(maker, credential))) return undefined
  return { by: 'replaced', maker: one.maker, made: one.name, at: one.at }
}

function isReadIn(snapshot: Snapshot, secret: string): boolean {
  return issuersIn(snapshot).some((issuer) => credentialsOf(issuer).some((one) => one.secret === secret))
}

interface Made {
  readonly maker: Manifest
  readonly name: string
  readonly at: Cursor
}

function allMade(snapshot: Snapshot): readonly Made[] {
  const before = known.get(snapshot)
  if (before) return before
  const made = producerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap((maker) => secretsMadeBy(maker).map(({ name, at }) => ({ maker, name, at })))
  known.set(snapshot, made)
  return made
}

const known = new WeakMap<Snapshot, readonly Made[]>()

/** The makers of a Secret in any namespace: tools copy Secrets, and the namespace of a cluster's Secrets is a flag. */
function makersOf(secret: string, snapshot: Snapshot): readonly Made[] {
  return allMade(snapshot).filter(({ name }) => name === secret)
}

function faultOf(credential: Credential, head: Snapshot): Fault | undefined {
  const { secret, at } = credential
  const makers = makersOf(secret, head)
  if (makers.length > 0) return lackingKey(credential, makers, head)
  const near = allMade(head).filter(
    (one) => !isPlaceholder(one.name) && isReadBy(at.manifest, one.maker, head) && holds(one.maker, credential),
  )
  const names = new Set(near.map(({ name }) => name))
  const alike = [...names].filter((name) => isAlike(secret, name, near, head))
  const [meant] = alike
  const one = alike.length === 1 ? near.find(({ name }) => name === meant) : undefined
  return one && { by: 'misnamed', maker: one.maker, made: one.name, at: one.at }
}

/** The key that all makers of a Secret lack, if all show theirs and all are where the issuer reads it. */
function lackingKey({ keys, at }: Credential, makers: readonly Made[], head: Snapshot): Fault | undefined {
  const read = makers.map(({ maker }) => ({ maker, shown: shownKeys(maker) }))
  if (makers.some(({ maker }) => !isReadBy(at.manifest, maker, head))) return undefined
  const key = keys.find((one) => !isPlaceholder(one) && read.every(({ shown }) => shown && !shown.keys.includes(one)))
  const [first] = read
  if (!key || !first?.shown || first.shown.keys.length === 0) return undefined
  // Several makers fill in one Secret together.
  if (new Set(makers.map(({ maker }) => nameOf(maker.ref))).size > 1) return undefined
  return { by: 'keyMissing', maker: first.maker, key, keys: first.shown.keys, keysAt: first.shown.keysAt }
}

/** Whether a Secret has the keys of a credential, as far as its maker shows them. */
function holds(maker: Manifest, { keys }: Credential): boolean {
  const shown = shownKeys(maker)
  return !shown || keys.every((key) => shown.keys.includes(key))
}

/**
 * Whether an issuer would read the Secret of a maker: an Issuer reads its own namespace, a ClusterIssuer the one of the
 * flag `--cluster-resource-namespace`, by default that of cert-manager. Source: cert-manager, pkg/controller/helper.go
 * (ResourceNamespace). Where no cluster is known, the two have to be written near each other.
 */
function isReadBy(issuer: Manifest, maker: Manifest, { cluster }: Snapshot): boolean {
  if (cluster === '' && !areNear(folderOf(issuer), folderOf(maker))) return false
  if (issuer.ref.kind === 'Issuer') return mayShareNamespace(issuer, maker)
  const { namespace } = maker.ref
  // OpenShift installs its operators there.
  return namespace === '' || namespace.includes('cert-manager') || namespace === 'openshift-operators'
}

/** Whether two folders are the same, or at most two folders below one that is not the repository itself. */
function areNear(one: string, other: string): boolean {
  const above = [one, parentOf(one), parentOf(parentOf(one))].filter((folder) => folder !== '')
  return above.some((folder) => [other, parentOf(other), parentOf(parentOf(other))].includes(folder))
}

function folderOf({ origin: { path } }: Manifest): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}

function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
}

/**
 * Names that differ in their separators or in one letter that is no digit; or in one part, where the Secret shows the
 * key and no issuer reads it.
 */
function isAlike(secret: string, made: string, near: readonly Made[], head: Snapshot): boolean {
  const plain = (name: string) => name.replaceAll(/[._-]/g, '')
  const undigited = (name: string) => name.replaceAll(/\d/g, '')
  if (undigited(secret) === undigited(made)) return false
  if (plain(secret) === plain(made)) return true
  if (isReadIn(head, made)) return false
  if (oneEditFrom(secret, [made]) !== undefined) return true
  return (
    differByOnePart(secret, made) && near.some(({ name, maker }) => name === made && shownKeys(maker) !== undefined)
  )
}

/** The parts of a Secret's name that a close one is likely to have, too. */
function tellingParts(secret: string): string[] {
  return secret.split(/[._-]/).filter((part) => part.length > 4 && !common.includes(part))
}

const common = ['secret', 'secrets', 'token', 'credential', 'credentials', 'issuer', 'certs', 'access', 'manager']

/** Whether another object than an issuer and the one that makes a Secret with a close name has the name of a Secret. */
function isMentioned(secret: string, maker: Manifest, head: Snapshot): boolean {
  return head.manifests
    .filter(({ ref }) => !issuerKinds.includes(groupKindOf(ref)) && identityOf(ref) !== identityOf(maker.ref))
    .some(({ root }) => namesWhole(root.value, secret))
}

/** Whether a text has a name in another place than the fields by which an issuer names its Secrets. */
function isKnownIn(text: string, name: string): boolean {
  return text.split('\n---').some((document) => {
    const isOfIssuer = /kind: (?:Cluster)?Issuer\b/.test(document)
    return document.split(name).some((before, index, parts) => {
      if (!isWhole(before, parts[index + 1])) return false
      return !(isOfIssuer && /[nN]ame: *["']?$/.test(before))
    })
  })
}
