import type { FileObjects } from '../cluster/clusters'
import type { Side } from '../manifest/manifest'
import type { Files } from '../revision/files'
import { objectsOfSources } from '../sides/objects-of-sources'
import type { PartnerSearch } from './partners/partner-search'
import type { ChangedFiles } from './read-changed'
import type { ChangedRenderings } from './render-changed'

/** The objects of the files and sources that the change touches, and of the other files, by which clusters are distinguished. */
export function fileObjects(
  read: ChangedFiles,
  rendered: ChangedRenderings,
  texts: ReadonlyMap<string, string>,
  search: PartnerSearch,
): FileObjects[] {
  return [
    ...objectsOfFiles('base', read.before),
    ...objectsOfFiles('head', read.after),
    ...objectsOfTexts(texts, search),
    ...objectsOfSources(rendered.before, ['base']),
    ...objectsOfSources(rendered.after, ['head']),
  ]
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
