import type { ChartElsewhere } from '../../deployers/common/chart-elsewhere'
import { isCalledSo } from '../../kubernetes/charts/makers'
import { type Backend, backendKinds, backendsOf } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { loadFile } from '../../manifest/load'
import { groupKindOf, Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { manifestName } from '../../revision/tree'
import type { Sides } from './open-sides'
import { isSameRelease, type ReleasePair } from './releases-that-differ'

/** A change that names more of them is a move of many routes, and their charts would take minutes to fetch. */
const mostReleases = 10

/**
 * The releases of charts from elsewhere that a change leaves as they are, and whose names begin that of a Service to
 * which a route in a touched file sends requests: their charts make that Service, or show that nothing does.
 */
export async function releasesNamedByRoutes(sides: Sides): Promise<ReleasePair[]> {
  const { base, head } = sides
  if (!base || head.discovery.elsewhere.size === 0) return []
  const backends = await touchedBackends(sides)
  if (backends.length === 0) return []
  const found: ReleasePair[] = []
  for (const [id, read] of head.discovery.elsewhere) {
    const before = base.discovery.elsewhere.get(id)?.()
    const after = read()
    if (!before || !backends.some((one) => mayBeMadeBy(after, one)) || !isSameRelease(before, after)) continue
    found.push({ before, after })
    if (found.length === mostReleases) break
  }
  return found
}

/** The backends of the routes in the files of the head that the change touches. */
async function touchedBackends({ head, changed }: Sides): Promise<Backend[]> {
  const files = [...(changed ?? [])].filter((file) => manifestName.test(file) && head.checkout.has(file))
  const kinds = [...new Set(backendKinds.map((kind) => kind.slice(0, kind.indexOf('.'))))]
  return [...(await head.checkout.texts(files))].flatMap(([path, text]) => {
    if (!mentionsOneOf(text, kinds)) return []
    const manifests = loadFile({ text }).objects.map(
      (object) => new Manifest(object, 'head', { kind: 'file', path }, []),
    )
    return manifests.filter(({ ref }) => backendKinds.includes(groupKindOf(ref))).flatMap(backendsOf)
  })
}

function mayBeMadeBy({ release, namespace }: ChartElsewhere, backend: Backend): boolean {
  const isThere = [namespace, backend.namespace].some((one) => one === '' || isPlaceholder(one))
  return isCalledSo(backend.service, { name: release }) && (isThere || namespace === backend.namespace)
}
