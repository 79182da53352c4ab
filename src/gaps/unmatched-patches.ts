import { isMistyped } from '../closest'
import { entryOf } from '../entry'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { controllersOf } from '../kubernetes/controllers/controller'
import { hasLikeParts, isLikeName } from '../kubernetes/object/like-names'
import { Manifest, nameOf } from '../manifest/manifest'
import { described } from '../sides/described'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { fluxPatchesOf } from '../sources/flux-patches'
import { closureOf, type Kustomization } from '../sources/kustomization'
import type { Selector, WrittenPatch } from '../sources/patches'
import type { KustomizeSource } from '../sources/source'
import { fieldsOf, textOf } from '../sources/untyped'
import { type Built, hasVersion, isOfVersion, type Missed, missedVersion } from './target-versions'

interface BothSides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

interface Renderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
}

/** The kinds that route requests, or hold the certificates for them. */
const ingressKinds: ReadonlySet<string> = new Set([
  'Certificate',
  'ClusterIssuer',
  'GRPCRoute',
  'Gateway',
  'GatewayClass',
  'HTTPProxy',
  'HTTPRoute',
  'Ingress',
  'IngressClass',
  'IngressRoute',
  'Issuer',
  'Route',
  'Service',
  'TLSRoute',
])
/** The kinds that matter where they are a controller's. */
const controllerKinds: readonly string[] = ['DaemonSet', 'Deployment', 'HelmRelease', 'StatefulSet']

/** The kinds by which Flux and Argo CD deliver others: a patch of all of them is one of the ingress, too. */
const deliveringKinds: ReadonlySet<string> = new Set(['Application', 'HelmRelease', 'Kustomization'])

/**
 * Reports `source/patch-unmatched` for patches whose target selects no object, where the change wrote the target, or
 * renamed the object that it selected: kustomize leaves them out without an error. Source: kustomize v5.7.1,
 * api/internal/builtins/PatchTransformer.go and api/resmap/reswrangler.go, Select
 */
export async function unmatchedPatches({ base, head }: BothSides, { before, after }: Renderings): Promise<Finding[]> {
  const found = new Map<string, Finding>()
  /** The patches that select an object of one source that includes them. */
  const matched = new Set<string>()
  for (const side of after) {
    const { source } = side
    if (source.kind !== 'kustomize' || source.origin === 'probed') continue
    const patches = await head.patches(source)
    const laid = await fluxPatchesOf(source, head.checkout)
    const written: readonly Targeted[] = [...patches, ...laid]
    const selecting = written.filter(isJudged)
    // What another patch names anew is not among what was built.
    if (selecting.length === 0 || patches.some(({ renames }) => renames)) continue
    const objects = refsOf(side)
    const isRenaming = renamesObjects(source, head)
    for (const patch of selecting) if (selects(patch.selector, objects, isRenaming)) matched.add(keyOf(patch))
    const old = before.find((one) => one.source.id === (source.baseSourceId ?? source.id))
    if (!isWhole(head, side, source) || (old && !isWhole(base, old, source))) continue
    const were = old?.source.kind === 'kustomize' ? await targetsOf(old.source, base) : new Set()
    const objectsBefore = old ? refsOf(old) : []
    const wasRenaming = old?.source.kind === 'kustomize' && renamesObjects(old.source, base)
    for (const patch of selecting) {
      if (matched.has(keyOf(patch)) || isRemoved(patch, patches)) continue
      const { fields } = patch.selector
      const candidates = candidatesFor(patch.selector, objects, isRenaming)
      const missed = hasTwin(patch, selecting, objects) ? undefined : missedVersion(patch, candidates)
      const isDelivering = missed && deliveringKinds.has(textOf(fields.kind))
      const isNever = isNoGroup(textOf(fields.group))
      // Without a name, or from Flux, a target may be for objects that only other Kustomizations have.
      if (!missed && !isNever && (!isNamed(patch) || laid.some(({ selector }) => selector === patch.selector))) continue
      if (!isDelivering && !isNever && !concernsIngress(patch, side)) continue
      const isOld = were.has(missed ? versionedTargetOf(patch.selector) : targetOf(patch.selector))
      const like = missed ? candidates[0] : likeOf(patch.selector, objects)
      // An object that is gone takes the effect of its patches with it.
      const isRenamed =
        selects(patch.selector, objectsBefore, wasRenaming) && like && !objectsBefore.some((one) => isSame(one, like))
      if (isOld && !isRenamed) continue
      found.set(keyOf(patch), findingOf(patch, { like, missed }, source))
    }
  }
  return [...found].flatMap(([key, finding]) => (matched.has(key) ? [] : [finding]))
}

type Targeted = Pick<WrittenPatch, 'path' | 'content' | 'selector'>
type Selecting = Targeted & { readonly selector: Selector }

/**
 * Whether a patch selects by one kind and one name, or by one version: patterns and labels may be for objects that come
 * later.
 */
function isJudged(patch: Targeted): patch is Selecting {
  const { fields, ofComponent } = patch.selector ?? { fields: {}, ofComponent: true }
  const [kind, name] = [textOf(entryOf(fields, 'kind')), textOf(entryOf(fields, 'name'))]
  if (ofComponent || !/^[A-Z]\w+$/.test(kind)) return false
  return name === '' ? hasVersion(fields) || isNoGroup(textOf(fields.group)) : /^[a-z0-9][a-z0-9.-]*$/.test(name)
}

function isNamed({ selector }: Selecting): boolean {
  return textOf(selector.fields.name) !== ''
}

/** Whether a patch of the same objects in another version selects some: the two are for whichever version there is. */
function hasTwin({ selector }: Selecting, all: readonly Selecting[], objects: readonly Built[]): boolean {
  const { group: _, version: __, ...rest } = selector.fields
  return all.some(({ selector: { fields } }) => {
    const { group: ___, version: ____, ...others } = fields
    const isAlike = JSON.stringify(others) === JSON.stringify(rest)
    return isAlike && objects.some((one) => one.kind === rest.kind && isOfVersion(fields, one))
  })
}

/** The targets of the patches of a source, with their versions and without. */
async function targetsOf(source: KustomizeSource, side: SideOfChange): Promise<ReadonlySet<unknown>> {
  const patches: readonly Targeted[] = [
    ...(await side.patches(source)),
    ...(await fluxPatchesOf(source, side.checkout)),
  ]
  const selectors = patches.flatMap(({ selector }) => selector ?? [])
  return new Set(selectors.flatMap((one) => [targetOf(one), versionedTargetOf(one)]))
}

/** The Kustomizations that make the objects of a source. */
function takenBy({ root, components = [] }: KustomizeSource, { discovery }: SideOfChange): Kustomization[] {
  return [root, ...components].flatMap((start) => closureOf(start, discovery.kustomizations))
}

function renamesObjects(source: KustomizeSource, side: SideOfChange): boolean {
  return takenBy(source, side).some(({ words }) => words.has('nameprefix') || words.has('namesuffix'))
}

/** Whether all objects of a source are known. */
function isWhole(of: SideOfChange, side: RenderedSide, source: KustomizeSource): boolean {
  const { failure, partial, remote, charts, unreadable } = side
  if (source.incomplete || failure || partial || remote.length > 0 || unreadable.length > 0) return false
  if (charts.some(({ vendored }) => !vendored)) return false
  // Replacements may write names, too.
  return takenBy(source, of).every(({ plugins, words }) => !plugins && !words.has('replacements'))
}

function refsOf({ objects }: RenderedSide): Built[] {
  return objects.map(({ object: { ref, apiVersion } }) => ({ ...ref, apiVersion }))
}

/** Whether a patch of a source selects one of its objects. */
function selects(selector: Selector, objects: readonly Built[], isRenamed: boolean): boolean {
  const { fields } = selector
  if (isNoGroup(textOf(fields.group))) return false
  return candidatesFor(selector, objects, isRenamed).some((one) => isOfVersion(fields, one))
}

/** The objects of the kind and the name of a target. Their names may have got a prefix or a suffix after the patch. */
function candidatesFor({ fields }: Selector, objects: readonly Built[], isRenamed: boolean): Built[] {
  const [kind, name] = [textOf(fields.kind), textOf(fields.name)]
  const isMeant = (ref: Built) => name === '' || ref.name === name || (isRenamed && ref.name.includes(name))
  return objects.filter((ref) => ref.kind === kind && isMeant(ref))
}

/** Whether a group is written as an `apiVersion`, which no group matches: `apps/v1`, `v1`. */
function isWithVersion(group: string): boolean {
  return /^(?:[\w.-]+\/)?v\d\w*$/.test(group)
}

/** Whether a text can be no group, so that no object of any cluster is of it: groups are names of domains in lower case. */
function isNoGroup(group: string): boolean {
  return isWithVersion(group) || (/^[\w./-]+$/.test(group) && group !== group.toLowerCase())
}

/** Whether another patch removes the object, so that it is not among those that were built. */
function isRemoved({ selector }: Selecting, patches: readonly WrittenPatch[]): boolean {
  return patches.some(
    ({ target, content }) =>
      !Array.isArray(content) &&
      textOf(fieldsOf(content).$patch) === 'delete' &&
      target.kind === textOf(selector.fields.kind) &&
      [textOf(selector.fields.name), ''].includes(target.name),
  )
}

function concernsIngress({ selector }: Selecting, { objects }: RenderedSide): boolean {
  const kind = textOf(selector.fields.kind)
  if (ingressKinds.has(kind)) return true
  if (!controllerKinds.includes(kind)) return false
  return objects.some(
    ({ object, origin }) =>
      controllerKinds.includes(object.ref.kind) && controllersOf(new Manifest(object, 'head', origin, [])).length > 0,
  )
}

/** The object that is meant, if one alone is like the target: by its name, or by its kind. */
function likeOf({ fields }: Selector, objects: readonly Built[]): Built | undefined {
  const [kind, name] = [textOf(fields.kind), textOf(fields.name)]
  const isNear = (ref: Built) =>
    ref.kind === kind &&
    (ref.name.includes(name) ||
      isMistyped(name, ref.name) ||
      isLikeName(name, ref.name) ||
      hasLikeParts(name, ref.name))
  const near = objects.filter(isNear)
  const others = objects.filter((ref) => ref.name === name && controllerKinds.includes(ref.kind))
  const found = near.length > 0 ? near : controllerKinds.includes(kind) ? others : []
  return found.length === 1 ? found[0] : undefined
}

function isSame(one: Built, other: Built): boolean {
  return one.kind === other.kind && one.name === other.name && one.apiVersion === other.apiVersion
}

function targetOf({ fields }: Selector): string {
  return JSON.stringify([textOf(fields.group), textOf(fields.kind), textOf(fields.name)])
}

function versionedTargetOf({ fields }: Selector): string {
  return JSON.stringify(Object.entries(fields).sort())
}

function keyOf({ path, selector }: Selecting): string {
  return JSON.stringify([path, selector.path, selector.region.startLine])
}

interface Meant {
  readonly like: Built | undefined
  readonly missed: Missed | undefined
}

function findingOf({ selector }: Selecting, { like, missed }: Meant, source: KustomizeSource): Finding {
  const { path, region, fields } = selector
  const [group, kind, name, version] = [fields.group, fields.kind, fields.name, fields.version].map(textOf) as [
    string,
    string,
    string,
    string,
  ]
  const advice = isWithVersion(group)
    ? `A group has no version in it: write ${inParts(group)}.`
    : isNoGroup(group)
      ? `A group has no capital letters: write the one of ${kind}, or leave the group out.`
      : missed
        ? `${missed.has}: write version: ${missed.version} in the target, or leave the version out.`
        : like
          ? `It builds ${nameOf(like)}: name that object if it is meant.`
          : 'Name an object that it builds, or remove the patch.'
  const limits = [missed ? ` of the version ${version}` : '', group ? ` of the group ${group}` : ''].join('')
  return gateFinding('source/patch-unmatched', 'unmatched', 'warning', {
    side: 'head',
    path,
    region,
    status: 'introduced',
    keys: [path, group, kind, name, ...(missed ? [version] : [])],
    sources: [{ ...described(source), cluster: 'cluster' in source.target ? source.target.cluster : '' }],
    text: `This Kustomization builds no ${[kind, name].filter(Boolean).join(' ')}${limits}, so kustomize leaves out this patch without an error. ${advice}`,
  })
}

/** `group: apps and version: v1`, for `apps/v1`. */
function inParts(apiVersion: string): string {
  const [version = '', group] = apiVersion.split('/').reverse()
  return group === undefined ? `version: ${version} in place of the group` : `group: ${group} and version: ${version}`
}
