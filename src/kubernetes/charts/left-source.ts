import type { Snapshot } from '../../cluster/snapshot'
import {
  type FluxReference,
  fluxReferencesOf,
  fluxSourceKinds,
  fluxSourcesOf,
  fluxUserKinds,
} from '../../gitops/flux-references'
import type { Change } from '../../manifest/change'
import { identityOf, type Manifest } from '../../manifest/manifest'
import { isWhole, mentionsWhole } from '../../manifest/mentions'
import { isPlaceholder } from '../ingress/ingress'

/** A source of Flux that an object leaves, and the one that it names instead. */
export interface LeftSource {
  readonly was: Manifest
  readonly now: FluxReference
}

/**
 * The source that an object of Flux comes to name, where the one before is here and this one is not. None where another
 * object names it, too: what is named by several is made elsewhere.
 */
export function leftSourceOf(change: Change, base: Snapshot, head: Snapshot): LeftSource | undefined {
  if (change.kind !== 'changed' || head.get(change.after.ref)[0] !== change.after) return undefined
  const [before] = fluxSourcesOf(change.before)
  const [now] = fluxSourcesOf(change.after)
  if (!before || !now || isSame(before, now)) return undefined
  const { kind, name, namespace } = now
  if (isPlaceholder(name) || isPlaceholder(namespace)) return undefined
  const mayBeIt = ({ ref }: Manifest) => ref.name === name || isPlaceholder(ref.name)
  if ([base, head].some((side) => side.ofKind(kind).some(mayBeIt))) return undefined
  const isNamed = (side: Snapshot) =>
    fluxUserKinds
      .flatMap((one) => side.ofKind(one))
      .filter(({ ref }) => identityOf(ref) !== identityOf(change.after.ref))
      .some((one) => fluxReferencesOf(one).some((other) => other.kind === kind && other.name === name))
  if (isNamed(base) || isNamed(head)) return undefined
  const was = base
    .ofKind(before.kind)
    .find(({ ref }) => ref.name === before.name && [before.namespace, ''].includes(ref.namespace))
  return was && { was, now }
}

function isSame(one: FluxReference, other: FluxReference): boolean {
  return one.kind === other.kind && one.name === other.name && one.namespace === other.namespace
}

/** Words near the name of a source: its kind, or the command that creates it. */
const aboutSources = /HelmRepository|OCIRepository|GitRepository|Bucket|HelmChart|\bsources?\b/i

/** Whether a text has a source of a name, or names one: the kind is a few lines before or after the name. */
export function hasSourceOf(text: string, name: string): boolean {
  const lines = text.split('\n')
  return lines.some((line, index) => {
    const parts = line.split(name)
    const isHere = parts.some((before, at) => isWhole(before, parts[at + 1]) && /\bname\b|\bsource\b/i.test(before))
    return isHere && lines.slice(Math.max(0, index - 4), index + 5).some((one) => aboutSources.test(one))
  })
}

/** Whether a text has a document that is a source of a name, deployed or not. */
export function makesSourceOf(text: string, name: string): boolean {
  return text.split(/^---/m).some((document) => {
    const [, kind] = /^kind: *["']?(\w+)/m.exec(document) ?? []
    return fluxSourceKinds.some((one) => one.split('.')[0] === kind) && mentionsWhole(document, name)
  })
}
