import { definitionKind } from '../../kubernetes/object/custom-resource'
import { isDeletedAfterwards, isHook, isMadeAgain, isMadeLast, syncOptionsOf } from '../../kubernetes/object/made-again'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { isProtected } from '../../kubernetes/protection/protected-manifest'
import type { Protect } from '../../kubernetes/protection/protection'
import { groupKindOf, identityOf, Manifest } from '../../manifest/manifest'
import { rendersAsInstalled } from '../../render/tools/helm'
import { isCrdFile } from '../../render/tools/post-renderers'
import type { RenderedSide } from '../../sides/rendered-side'
import type { HelmSource, Source } from '../../sources/source'
import { pairsOf } from '../opening/read-in-part'

type Rendered = RenderedSide['objects'][number]

interface UpgradedRelease {
  readonly before: RenderedSide
  readonly after: RenderedSide
}

/**
 * Removes, from the head's renderings, objects that an upgrade of a release deletes although the files still have them:
 * those that are not made again, and those without which a cluster cannot be for a moment: protected ones and CRDs.
 *
 * @param names the names of the charts that Flux installs
 */
export function withoutDeleted(
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
  protect: Protect,
  names: ReadonlyMap<Source, string>,
): { before: RenderedSide[]; after: RenderedSide[] } {
  const reasons = new Map<Rendered, string>()
  const deleted = new Map<RenderedSide, Set<string>>()
  for (const pair of releasePairs(before, after)) {
    const now = new Map(pair.after.objects.map((one) => [identityOf(one.object.ref), one]))
    for (const was of pair.before.objects) {
      const is = now.get(identityOf(was.object.ref))
      const isCounted = is && (isNeeded(was, protect) || isLeftOut(is, pair))
      const reason = isCounted ? reasonOf(was, is, pair, names) : undefined
      if (reason === undefined) continue
      reasons.set(was, reason)
      const ids = deleted.get(pair.after) ?? new Set()
      deleted.set(pair.after, ids.add(identityOf(was.object.ref)))
    }
  }
  return {
    before: before.map((side) => ({
      ...side,
      objects: side.objects.map((one) => {
        const reason = reasons.get(one)
        return reason === undefined ? one : { ...one, origin: { ...one.origin, deletedBy: { reason } } }
      }),
    })),
    after: after.map((side) => {
      const ids = deleted.get(side)
      return ids ? { ...side, objects: side.objects.filter(({ object }) => !ids.has(identityOf(object.ref))) } : side
    }),
  }
}

/**
 * The same for objects that Argo CD newly recreates at each sync, in files or renderings.
 *
 * @param optionsOf the options of the Application that deploys an object
 */
export function withoutMadeAgain(
  before: readonly Manifest[],
  after: readonly Manifest[],
  protect: Protect,
  optionsOf: (manifest: Manifest) => readonly string[],
): { before: readonly Manifest[]; after: readonly Manifest[] } {
  const made = after.filter((manifest) => isMadeAgain(manifest, optionsOf(manifest)) && mayGo(manifest, protect))
  if (made.length === 0) return { before, after }
  const known = new Set(before.flatMap((one) => (isMadeAgain(one, optionsOf(one)) ? [identityOf(one.ref)] : [])))
  const there = new Set(before.map(({ ref }) => identityOf(ref)))
  const isNew = ({ ref }: Manifest) => there.has(identityOf(ref)) && !known.has(identityOf(ref))
  const news = new Map(made.filter(isNew).map((one) => [identityOf(one.ref), one]))
  const reason =
    'With Replace=true and Force=true Argo CD deletes the object at each sync and creates it again; remove one of them.'
  return {
    before: before.map((one) => {
      const is = news.get(identityOf(one.ref))
      if (!is) return one
      const origin = { ...one.origin, deletedBy: { reason, at: syncOptionsOf(is.root) } }
      return new Manifest(one.object, one.side, origin, one.clusters, one.evidence, one.values)
    }),
    after: after.filter((one) => !news.has(identityOf(one.ref))),
  }
}

/** Each release on both sides: of the same object, or of one that takes over the objects of another release. */
function releasePairs(before: readonly RenderedSide[], after: readonly RenderedSide[]): UpgradedRelease[] {
  const paired = pairsOf(before, after).flatMap((pair): UpgradedRelease[] =>
    pair.before && pair.after ? [{ before: pair.before, after: pair.after }] : [],
  )
  const known = new Set(paired.flatMap((pair) => [pair.before, pair.after]))
  const [gone, come] = [before, after].map((sides) => sides.filter((side) => !known.has(side) && isOfFlux(side)))
  const others = (gone ?? []).flatMap((was) => (come ?? []).map((is) => ({ before: was, after: is })))
  return [...paired, ...others].filter(({ before: was, after: is }) => isUpgraded(was) && isUpgraded(is))
}

function isOfFlux({ source }: RenderedSide): boolean {
  return source.id.startsWith('flux:HelmRelease/')
}

/** Whether helm itself installs a release; Argo CD compares every object with the cluster. */
function isUpgraded({ source, failure }: RenderedSide): boolean {
  if (source.kind !== 'helm' || failure || source.origin === 'probed' || source.baseSourceId !== undefined) return false
  return !rendersAsInstalled(source)
}

function isNeeded(one: Rendered, protect: Protect): boolean {
  return mayGo(manifestOf(one), protect) || groupKindOf(one.object.ref) === definitionKind
}

/** The kinds that hooks need while they run: those that a release deletes again are no loss to others. */
const kindsOfHooks: ReadonlySet<string> = new Set([
  'ClusterRole.rbac.authorization.k8s.io',
  'ClusterRoleBinding.rbac.authorization.k8s.io',
  'ConfigMap',
  'Job.batch',
  'PersistentVolumeClaim',
  'Pod',
  'Role.rbac.authorization.k8s.io',
  'RoleBinding.rbac.authorization.k8s.io',
  'Secret',
  'ServiceAccount',
])

/** Whether the upgrade makes an object before it deletes what is no part of the release, or not at all. */
function isLeftOut(is: Rendered, { after }: UpgradedRelease): boolean {
  if (isInCrds(is)) return true
  const now = manifestOf(is)
  if (!isHook(now) || isMadeLast(now)) return false
  if (!kindsOfHooks.has(groupKindOf(now.ref))) return true
  return !after.objects.some((one) => ['Job', 'Pod'].includes(one.object.ref.kind) && isHook(manifestOf(one)))
}

function manifestOf({ object, origin }: Rendered): Manifest {
  return new Manifest(object, 'base', origin, [])
}

/** Whether an object is protected and has no mark that keeps it. */
function mayGo(manifest: Manifest, protect: Protect): boolean {
  return !outlivesPrune(manifest) && isProtected(manifest, protect)
}

/** The reason why an upgrade deletes an object that the release had. */
function reasonOf(
  was: Rendered,
  is: Rendered,
  { before, after }: UpgradedRelease,
  names: ReadonlyMap<Source, string>,
): string | undefined {
  const [old, now] = [manifestOf(was), manifestOf(is)]
  const [from, to] = [before.source, after.source]
  if (from.kind !== 'helm' || to.kind !== 'helm' || isInCrds(was) || outlivesPrune(old)) return undefined
  if (isInCrds(is))
    return `Helm installs files of crds/ only with a new release, and the upgrade deletes objects that the templates no longer have. First mark the object with helm.sh/resource-policy: keep in a separate change.`
  if (isHook(old)) {
    if (isDeletedAfterwards(old) || !isDeletedAfterwards(now)) return undefined
    return 'Helm deletes it when the hook has succeeded. Remove hook-succeeded from its delete policy.'
  }
  if (isHook(now))
    return 'A hook is no part of the release, so the upgrade deletes the object of the release. Keep it in the release, without helm.sh/hook.'
  if (from.origin !== 'named' || !isOfFlux(before)) return undefined
  if (objectOf(from) !== objectOf(to))
    return `Flux uninstalls the release of ${objectOf(from)} when that object is removed, which deletes the objects that ${objectOf(to)} installs again. First mark the object with helm.sh/resource-policy: keep in a separate change.`
  return uninstalledFirst(from, to, [names.get(from), names.get(to)])
}

/**
 * The reason why Flux uninstalls a release and installs it again. Source:
 * https://github.com/fluxcd/helm-controller/blob/v1.6.4/internal/action/verify.go, ReleaseTargetChanged
 */
function uninstalledFirst(
  from: HelmSource,
  to: HelmSource,
  [former, name]: readonly (string | undefined)[],
): string | undefined {
  const mark = 'first mark the object with helm.sh/resource-policy: keep in a separate change'
  if (from.release !== to.release || from.namespace !== to.namespace)
    return `Flux uninstalls the release ${from.namespace}/${from.release} before it installs ${to.namespace}/${to.release}. Keep its name and namespace, or ${mark}.`
  const release = `the release ${to.namespace}/${to.release}`
  if (from.storage && to.storage && from.storage !== to.storage)
    return `Flux uninstalls ${release} and installs it again, as its record moves from the namespace ${from.storage} to ${to.storage}. Keep its storageNamespace, or ${mark}.`
  if (former === undefined || name === undefined || former === name || (from.keepsRenamed && to.keepsRenamed))
    return undefined
  return `Flux uninstalls ${release} and installs it again, as the name of its chart changes from ${former} to ${name}. Keep the name, or ${mark}.`
}

function isInCrds({ origin }: Rendered): boolean {
  return origin.kind === 'rendered' && isCrdFile(origin.template)
}

/** `HelmRelease shop/web`: the object of Flux that a source is of. */
function objectOf({ id }: HelmSource): string {
  const [, kind = '', namespace = '', name = ''] = id.match(/^flux:([^/]*)\/([^/]*)\/([^:]*):/) ?? []
  return `${kind} ${namespace}/${name}`
}
