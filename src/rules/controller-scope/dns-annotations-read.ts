import { workloadKinds } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { type DnsInstance, dnsInstancesOf, dnsPrefixes } from '../../kubernetes/controllers/external-dns-instance'
import { dnsKinds } from '../../kubernetes/controllers/external-dns-scope'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Unread = Record<'dns' | 'release' | 'objects' | 'written' | 'read', string>

const advice = ({ written, read }: Pick<Unread, 'written' | 'read'>) =>
  `Begin the annotations with ${read}, or let ExternalDNS, from 0.20.0 on, read these: --annotation-prefix=${written}, in the values of its chart annotationPrefix.`

export default defineRule({
  id: 'controller-scope/dns-annotations-read',
  summary: 'ExternalDNS reads the annotations that are written for it.',
  since: '1.25.0',
  scope: 'snapshot',
  kinds: [...workloadKinds, ...releaseKinds, ...dnsKinds],
  messages: {
    prefix: ({ dns, release, objects, ...names }: Unread) =>
      `ExternalDNS ${release} of ${dns} reads only annotations that begin with ${names.read}, and there are others, which begin with ${names.written}, on ${objects}: their hosts, targets and other settings are lost, so records are missing, wrong or, with --policy=sync, deleted. ${advice(names)}`,
    annotation: ({ dns, release, objects, ...names }: Unread) =>
      `${objects} has annotations that begin with ${names.written}, and ExternalDNS ${release} of ${dns} reads only those that begin with ${names.read}, so it gets no record by them. ${advice(names)}`,
  },
  *partners(manifest) {
    if (isSource(manifest)) {
      if (annotationsOf(manifest).length > 0) yield 'external-dns'
    } else if (manifest.object.content.includes('external-dns')) yield* Object.values(dnsPrefixes)
  },
  partnerKinds: (manifest) => (isSource(manifest) ? [...workloadKinds, ...releaseKinds] : dnsKinds),
  check({ manifest, snapshot, report }) {
    if (isSource(manifest)) return
    for (const { instance, annotations, ...names } of unreadIn(snapshot)) {
      if (instance.manifest !== manifest) continue
      const objects = abridged([...new Set(annotations.map((at) => nameOf(at.manifest.ref)))])
      report(instance.at, 'prefix', { ...namesOf(instance), ...names, objects })
    }
  },
  checkChange({ change, base, head, report }) {
    // The first object with such annotations is reported with ExternalDNS.
    if (change.kind === 'removed' || !isSource(change.after) || unreadIn(base).length === 0) return
    const { after } = change
    const before = new Set(change.kind === 'changed' ? annotationsOf(change.before).map(keyOf) : [])
    for (const { instance, written, read } of unreadIn(head)) {
      const at = annotationsOf(after).find((one) => isUnread(one, written, read) && !before.has(keyOf(one)))
      const args = { ...namesOf(instance), written, read, objects: nameOf(after.ref) }
      if (at) report([at, instance.at], 'annotation', args, { keys: [keyOf(at)] })
    }
  },
})

function isSource({ ref }: Manifest): boolean {
  return dnsKinds.includes(groupKindOf(ref))
}

/** The annotations of an object that begin with a prefix of ExternalDNS. */
function annotationsOf({ root }: Manifest): Cursor[] {
  const prefixes = Object.values(dnsPrefixes)
  return [...root.at('metadata', 'annotations').entries()].flatMap(([key, at]) =>
    prefixes.some((prefix) => key.startsWith(prefix)) ? [at] : [],
  )
}

function keyOf(annotation: Cursor): string {
  return String(annotation.path.at(-1))
}

/** Whether an annotation has one prefix, and is not there with the other one, too. */
function isUnread(annotation: Cursor, written: string, read = ''): boolean {
  const key = keyOf(annotation)
  const beside = annotation.manifest.root.at('metadata', 'annotations', `${read}${key.slice(written.length)}`)
  return key.startsWith(written) && !beside.exists
}

/** An ExternalDNS, with annotations that neither it nor another one reads. */
interface UnreadAnnotations {
  readonly instance: DnsInstance
  readonly annotations: readonly Cursor[]
  /** Their prefix, and the prefix that it reads. */
  readonly written: string
  readonly read: string
}

const known = new WeakMap<Snapshot, readonly UnreadAnnotations[]>()

function unreadIn(snapshot: Snapshot): readonly UnreadAnnotations[] {
  const found = known.get(snapshot) ?? findUnread(snapshot)
  known.set(snapshot, found)
  return found
}

function findUnread(snapshot: Snapshot): UnreadAnnotations[] {
  const instances = [...workloadKinds, ...releaseKinds]
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter(({ object }) => object.content.includes('external-dns'))
    .flatMap((one) => dnsInstancesOf(one, snapshot))
  const read = instances.map(({ prefix }) => prefix)
  const written = Object.values<string>(dnsPrefixes).find((one) => !read.includes(one))
  // One with an unknown prefix may read all of them; one with a prefix of its own reads neither on purpose.
  const reader = instances.find(({ prefix }) => Object.values<string | undefined>(dnsPrefixes).includes(prefix))
  if (!reader?.prefix || written === undefined || read.includes(undefined)) return []
  const annotations = dnsKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .flatMap(annotationsOf)
    .filter((at) => isUnread(at, written, reader.prefix))
  return annotations.length > 0 ? [{ instance: reader, annotations, written, read: reader.prefix }] : []
}

function namesOf({ manifest, release = '' }: DnsInstance): Pick<Unread, 'dns' | 'release'> {
  return { dns: nameOf(manifest.ref), release }
}
