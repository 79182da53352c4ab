import { isMistyped } from '../closest'
import { entryOf } from '../entry'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { controllersOf } from '../kubernetes/controllers/controller'
import { hasLikeParts, isLikeName } from '../kubernetes/object/like-names'
import { Manifest, nameOf, type ObjectRef } from '../manifest/manifest'
import { described } from '../sides/described'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { closureOf, type Kustomization } from '../sources/kustomization'
import type { Selector, WrittenPatch } from '../sources/patches'
import type { KustomizeSource } from '../sources/source'
import { fieldsOf, textOf } from '../sources/untyped'

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
    const selecting = patches.filter(isJudged)
    // What another patch names anew is not among what was built.
    if (selecting.length === 0 || patches.some(({ renames }) => renames)) continue
    const objects = refsOf(side)
    const isRenaming = renamesObjects(source, head)
    for (const patch of selecting) if (selects(patch.selector, objects, isRenaming)) matched.add(keyOf(patch))
    const old = before.find((one) => one.source.id === (source.baseSourceId ?? source.id))
    if (!isWhole(head, side, source) || (old && !isWhole(base, old, source))) continue
    const were = old?.source.kind === 'kustomize' ? await base.patches(old.source) : []
    const objectsBefore = old ? refsOf(old) : []
    const wasRenaming = old?.source.kind === 'kustomize' && renamesObjects(old.source, base)
    for (const patch of selecting) {
      if (matched.has(keyOf(patch)) || isRemoved(patch, patches) || !concernsIngress(patch, side)) continue
      const isOld = were.some(({ selector }) => selector && targetOf(selector) === targetOf(patch.selector))
      const like = likeOf(patch.selector, objects)
      // An object that is gone takes the effect of its patches with it.
      const isRenamed =
        selects(patch.selector, objectsBefore, wasRenaming) && like && !objectsBefore.some((one) => isSame(one, like))
      if (isOld && !isRenamed) continue
      found.set(keyOf(patch), findingOf(patch, like, source))
    }
  }
  return [...found].flatMap(([key, finding]) => (matched.has(key) ? [] : [finding]))
}

type Selecting = WrittenPatch & { readonly selector: Selector }

/** Whether a patch selects by one kind and one name: patterns and labels may be for objects that come later. */
function isJudged(patch: WrittenPatch): patch is Selecting {
  const { fields, ofComponent } = patch.selector ?? { fields: {}, ofComponent: true }
  const [kind, name] = [textOf(entryOf(fields, 'kind')), textOf(entryOf(fields, 'name'))]
  return !ofComponent && /^[A-Z]\w+$/.test(kind) && /^[a-z0-9][a-z0-9.-]*$/.test(name)
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

function refsOf({ objects }: RenderedSide): ObjectRef[] {
  return objects.map(({ object }) => object.ref)
}

/** Whether a patch of a source selects one of its objects. Their names may have got a prefix or a suffix after it. */
function selects({ fields }: Selector, objects: readonly ObjectRef[], isRenamed: boolean): boolean {
  if (isWithVersion(textOf(fields.group))) return false
  const [kind, name] = [textOf(fields.kind), textOf(fields.name)]
  return objects.some((ref) => ref.kind === kind && (ref.name === name || (isRenamed && ref.name.includes(name))))
}

/** Whether a group is written as an `apiVersion`, which no group matches: `apps/v1`, `v1`. */
function isWithVersion(group: string): boolean {
  return /^(?:[\w.-]+\/)?v\d\w*$/.test(group)
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
function likeOf({ fields }: Selector, objects: readonly ObjectRef[]): ObjectRef | undefined {
  const [kind, name] = [textOf(fields.kind), textOf(fields.name)]
  const isNear = (ref: ObjectRef) =>
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

function isSame(one: ObjectRef, other: ObjectRef): boolean {
  return one.kind === other.kind && one.name === other.name
}

function targetOf({ fields }: Selector): string {
  return JSON.stringify([textOf(fields.group), textOf(fields.kind), textOf(fields.name)])
}

function keyOf({ path, selector }: Selecting): string {
  return JSON.stringify([path, selector.path, selector.region.startLine])
}

function findingOf({ selector }: Selecting, like: ObjectRef | undefined, source: KustomizeSource): Finding {
  const { path, region, fields } = selector
  const [group, kind, name] = [textOf(fields.group), textOf(fields.kind), textOf(fields.name)]
  const advice = isWithVersion(group)
    ? `A group has no version in it: write ${inParts(group)}.`
    : like
      ? `It builds ${nameOf(like)}: name that object if it is meant.`
      : 'Name an object that it builds, or remove the patch.'
  return gateFinding('source/patch-unmatched', 'unmatched', 'warning', {
    side: 'head',
    path,
    region,
    status: 'introduced',
    keys: [path, group, kind, name],
    sources: [{ ...described(source), cluster: 'cluster' in source.target ? source.target.cluster : '' }],
    text: `This Kustomization builds no ${kind} ${name}${group ? ` of the group ${group}` : ''}, so kustomize leaves out this patch without an error. ${advice}`,
  })
}

/** `group: apps and version: v1`, for `apps/v1`. */
function inParts(apiVersion: string): string {
  const [version = '', group] = apiVersion.split('/').reverse()
  return group === undefined ? `version: ${version} in place of the group` : `group: ${group} and version: ${version}`
}
