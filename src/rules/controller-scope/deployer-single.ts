import { join } from 'node:path/posix'
import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { readFluxKustomization } from '../../gitops/flux-kustomization'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { comparisonKey } from '../../manifest/load'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule, type ReportFunction } from '../../rule/rule'

const messages = {
  // Source: https://github.com/argoproj/argo-cd, controller/state.go, DeduplicateTargetObjects: of two objects of one name it keeps the
  // last one
  replaced: ({ object, files, first, last }: Record<'object' | 'files' | 'first' | 'last', string>) =>
    `${object} is written twice, in ${files}: for ${first}, and for ${last}. Only the one that is applied last counts, so nothing deploys the other, and with prune its objects are deleted. Give one of them another name.`,
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#prune: an inventory for each Kustomization
  copied: ({ user, path, other }: Record<'user' | 'path' | 'other', string>) =>
    `${user} applies ${path}, which ${other} applies, too: its own objects are not deployed, and if one of the two goes, with prune the objects of the other are deleted. Write its own path, or remove one of them.`,
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#path: it applies all objects of the path, and the last one
  // that is applied under a name counts.
  itself: ({ user, path, other }: Record<'user' | 'path' | 'other', string>) =>
    `${user} applies ${path}, which has a Kustomization of the same name for ${other}: it overwrites itself with that one, so the rest of ${path} is no longer applied, and with prune its objects are deleted. Give one of the two another name.`,
}

export default defineRule({
  id: 'controller-scope/deployer-single',
  summary:
    'An Application of Argo CD is written once in what is deployed together, and no Kustomization of Flux applies the folder of another.',
  since: '1.8.0',
  scope: 'snapshot',
  kinds: [gitOpsKind.application, gitOpsKind.fluxKustomization],
  direct: true,
  messages,
  later: { copied: '1.12.0', itself: '1.19.0' },
  putBack: { replaced: 'changed', copied: 'changed' },
  *partners(manifest) {
    const { ref, origin, root } = manifest
    if (groupKindOf(ref) === gitOpsKind.fluxKustomization) {
      const path = partsOf(textAt(readFluxKustomization(root).path)).join('/')
      if (path !== '') yield path
      yield ref.name
      return
    }
    yield ref.name
    yield folderOf(origin.path)
  },
  partnerKinds: ({ ref }) => [groupKindOf(ref)],
  check({ manifest, snapshot, report }) {
    const { ref, root, assumption } = manifest
    if (assumption || isPlaceholder(ref.name)) return
    if (groupKindOf(ref) === gitOpsKind.fluxKustomization) {
      checkCopied(manifest, snapshot, report)
      checkItself(manifest, snapshot, report)
      return
    }
    const copies = snapshot.get(ref).filter((one) => !one.assumption)
    const [other, last, more] = copies.toSorted(byPath)
    if (!other || last !== manifest || more || comparisonKey(other.object) === comparisonKey(last.object)) return
    const [first, second] = [other, last].map(inWords)
    if (!first || !second || first === second || !areTogether(other, last, snapshot)) return
    const { path } = last.origin
    const files = other.origin.path === path ? path : `${other.origin.path} and ${path}`
    const ends = [root.at('metadata', 'name'), other.root.at('metadata', 'name')]
    report(ends, 'replaced', { object: nameOf(ref), files, first, last: second }, { keys: [] })
  },
})

/** The order of the statement: the change need not decide which of two files comes first. */
function byPath({ origin: { path: a } }: Manifest, { origin: { path: b } }: Manifest): number {
  return Number(a > b) - Number(a < b)
}

/** The folder or chart that an Application deploys, if it is one. */
function inWords({ root }: Manifest): string | undefined {
  const [source, ...more] = readApplication(root).sources
  const place = source && (textAt(source.path) || textAt(source.chart))
  return place && more.length === 0 ? place : undefined
}

/**
 * Whether two objects are applied together: one rendering or one file has both, or an Application deploys their folder as it is.
 * Other files of one folder are often applied to one cluster each.
 */
function areTogether({ origin: a }: Manifest, { origin: b }: Manifest, snapshot: Snapshot): boolean {
  if (a.kind === 'rendered' || b.kind === 'rendered')
    return a.kind === b.kind && a.kind === 'rendered' && a.id === (b as typeof a).id
  if (a.path === b.path) return true
  const folder = folderOf(a.path)
  if (folder === '' || folder !== folderOf(b.path)) return false
  const sources = snapshot.ofKind(gitOpsKind.application).flatMap(({ root }) => readApplication(root).sources)
  return sources.some(({ path, directory }) => {
    const isWhole = !directory.at('include').exists && !directory.at('exclude').exists
    return isWhole && partsOf(textAt(path)).join('/') === folder
  })
}

/** Reports the Kustomization that was copied: the path has the name of the other one in it. */
function checkCopied(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const { ref, root } = manifest
  if (snapshot.get(ref)[0] !== manifest || !isApplied(manifest)) return
  const { path } = readFluxKustomization(root)
  const parts = partsOf(textAt(path))
  if (parts.length < 2 || isPlaceholder(textAt(path)) || parts.some((part) => areOfOneApp(part, ref.name))) return
  const others = snapshot
    .ofKind(gitOpsKind.fluxKustomization)
    .filter((one) => snapshot.get(one.ref)[0] === one && identityOf(one.ref) !== identityOf(ref) && isApplied(one))
    .filter((one) => partsOf(textAt(readFluxKustomization(one.root).path)).join('/') === parts.join('/'))
  const [other, more] = others.filter(({ ref: { name } }) => parts.includes(name) && !areOfOneApp(name, ref.name))
  if (!other || more || others.length > 1 || targetOf(other) !== targetOf(manifest)) return
  const args = { user: nameOf(ref), path: textAt(path), other: nameOf(other.ref) }
  report([path, readFluxKustomization(other.root).path], 'copied', args, { keys: [parts.join('/')] })
}

/** Reports the Kustomization of a folder that has another one of its name, for another folder. */
function checkItself(manifest: Manifest, snapshot: Snapshot, report: ReportFunction<typeof messages>): void {
  const { path } = readFluxKustomization(manifest.root)
  const parts = partsOf(textAt(path))
  if (parts.length === 0 || isPlaceholder(textAt(path)) || !isApplied(manifest)) return
  const inner = snapshot.get(manifest.ref).find(({ origin, root }) => {
    if (origin.kind !== 'rendered' || origin.source.kind !== 'kustomize' || origin.source.path !== parts.join('/'))
      return false
    const its = textAt(readFluxKustomization(root).path)
    return its !== '' && !isPlaceholder(its) && partsOf(its).join('/') !== parts.join('/')
  })
  if (!inner) return
  const other = textAt(readFluxKustomization(inner.root).path)
  const args = { user: nameOf(manifest.ref), path: textAt(path), other }
  report(path, 'itself', args, { keys: [parts.join('/')] })
}

/** Whether Flux applies it: one with a name to fill in is a template. */
function isApplied({ ref, root, assumption }: Manifest): boolean {
  return !assumption && !isPlaceholder(ref.name) && root.at('spec', 'suspend').value !== true
}

/** Whether one name has the other in it: several Kustomizations of one app, or instances of it. */
function areOfOneApp(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one)
}

/** The source of a Kustomization, and all by which it makes other objects of the same files, except variables. */
function targetOf({ ref, root }: Manifest): string {
  const { spec, sourceRef } = readFluxKustomization(root)
  const alters = ['kubeConfig', 'targetNamespace', 'namePrefix', 'nameSuffix', 'patches']
  const source = [
    sourceRef.at('kind').value,
    sourceRef.at('name').value,
    textAt(sourceRef.at('namespace')) || ref.namespace,
  ]
  return JSON.stringify([source, ...alters.map((key) => spec.at(key).value ?? null)])
}

/** The parts of a path that name something; `..` stops at the root, as Flux joins it. */
function partsOf(written: string): string[] {
  return join('/', written).split('/').filter(Boolean)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
