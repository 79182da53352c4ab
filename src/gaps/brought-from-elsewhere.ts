import type { Skipped } from '../finding/report'
import { deployerKinds } from '../gitops/kinds'
import { groupKindOf, identityOf, nameOf } from '../manifest/manifest'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'

/**
 * Argo CD and Flux objects in fetched charts and bases: they are judged, and the sources that they deploy are not
 * followed.
 */
export function broughtFromElsewhere(head: SideOfChange, rendered: readonly RenderedSide[]): Skipped[] {
  const followed = new Set(head.discovery.objects.map(({ ref }) => identityOf(ref)))
  return rendered
    .filter(({ source }) => head.fetched.isPartOf(source))
    .flatMap(({ objects }) => objects)
    .filter(({ object: { ref } }) => deployerKinds.includes(groupKindOf(ref)) && !followed.has(identityOf(ref)))
    .map(({ object, origin }) => {
      const reason = `${nameOf(object.ref)}: it comes from elsewhere, and the sources that it deploys are not followed`
      return { path: origin.path, reason }
    })
}
