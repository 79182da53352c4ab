import { type ClusterMap, type FileObjects, mapClusters } from '../cluster/clusters'
import type { Side } from '../manifest/manifest'
import type { Files } from '../revision/files'
import type { RenderedSide } from '../sides/rendered-side'
import type { Sides } from './opening/open-sides'
import { PartnerSearch } from './partners/partner-search'
import type { ChangedFiles } from './read-changed'
import type { Rest } from './read-rest'
import type { ChangedRenderings } from './render-changed'

/** Finds the cluster of every file, from the configs' declarations and from folders that repeat each other. */
export function assignClusters(
  { declarations }: Sides,
  read: ChangedFiles,
  rendered: ChangedRenderings,
  rest: Rest,
  search = new PartnerSearch(),
): ClusterMap {
  return mapClusters(declarations, [
    ...objectsOfFiles('base', read.before),
    ...objectsOfFiles('head', read.after),
    ...objectsOfTexts(rest.texts, search),
    ...objectsOfSources('base', [...rendered.before, ...rest.rendered]),
    ...objectsOfSources('head', [...rendered.after, ...rest.rendered]),
  ])
}

function objectsOfFiles(side: Side, files: Files): FileObjects[] {
  return [...files.loaded].map(([path, file]) => ({
    path,
    sides: [side],
    refs: file.objects.map((object) => object.ref),
  }))
}

/** Files that are the same on both sides. */
function objectsOfTexts(texts: ReadonlyMap<string, string>, search: PartnerSearch): FileObjects[] {
  return [...texts].map(([path, text]) => ({ path, sides: ['base', 'head'], refs: search.identitiesIn(text) }))
}

function objectsOfSources(side: Side, rendered: readonly RenderedSide[]): FileObjects[] {
  return rendered.flatMap(({ source: { target }, objects }) =>
    'path' in target ? [{ path: target.path, sides: [side], refs: objects.map(({ object }) => object.ref) }] : [],
  )
}
