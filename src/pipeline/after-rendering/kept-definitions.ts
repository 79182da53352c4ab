import { definitionKind } from '../../kubernetes/object/custom-resource'
import { groupKindOf, identityOf } from '../../manifest/manifest'
import { isCrdFile } from '../../render/tools/post-renderers'
import type { RenderedSide } from '../../sides/rendered-side'
import { pairsOf } from '../opening/read-in-part'

type Rendered = RenderedSide['objects'][number]

/**
 * The renderings with the CRDs in `crds/` as Flux leaves them in the cluster: the policy of the HelmRelease decides
 * whether they are created and changed. Flux deletes none, not even with the release.
 * https://fluxcd.io/flux/components/helm/helmreleases/#controlling-the-lifecycle-of-custom-resource-definitions
 */
export function withKeptDefinitions(
  before: readonly RenderedSide[],
  after: readonly RenderedSide[],
): { before: RenderedSide[]; after: RenderedSide[] } {
  const pairs = pairsOf(before, after).map(({ before: was, after: is }) => ({
    before: was && !is && isOfFlux(was) ? { ...was, objects: was.objects.filter((one) => !isKept(one)) } : was,
    after: is && isOfFlux(is) ? { ...is, objects: leftIn(was, is) } : is,
  }))
  return { before: pairs.flatMap((pair) => pair.before ?? []), after: pairs.flatMap((pair) => pair.after ?? []) }
}

function isOfFlux({ source, failure, partial }: RenderedSide): boolean {
  return source.kind === 'helm' && source.crds !== undefined && !failure && !partial
}

function isKept({ object, origin }: Rendered): boolean {
  return origin.kind === 'rendered' && isCrdFile(origin.template) && groupKindOf(object.ref) === definitionKind
}

function leftIn(was: RenderedSide | undefined, is: RenderedSide): readonly Rendered[] {
  if (is.source.kind !== 'helm' || !is.source.crds || was?.failure || was?.partial) return is.objects
  const { install, upgrade } = is.source.crds
  if (!was) return install === 'Skip' ? is.objects.filter((one) => !isKept(one)) : is.objects
  const known = new Map(was.objects.filter(isKept).map((one) => [identityOf(one.object.ref), one]))
  const there = is.objects.flatMap((one) => {
    if (!isKept(one)) return [one]
    if (upgrade === 'CreateReplace') return [one]
    return known.get(identityOf(one.object.ref)) ?? (upgrade === 'Create' ? [one] : [])
  })
  const ids = new Set(is.objects.map(({ object }) => identityOf(object.ref)))
  return [...there, ...[...known].flatMap(([id, one]) => (ids.has(id) ? [] : [one]))]
}
