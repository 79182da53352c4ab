import { type LoadedFile, loadFile } from '../manifest/load'
import { skimKind } from '../manifest/skim'

/** As many as are read in a moment. */
const mostIngresses = 1000

/** The Ingresses of files that a change leaves alone, which no rule may have asked for. */
export function ingressesIn(texts: ReadonlyMap<string, string>): Map<string, LoadedFile> {
  const loaded = new Map<string, LoadedFile>()
  let left = mostIngresses
  for (const [path, text] of texts) {
    if (left <= 0) break
    if (!text.includes('Ingress')) continue
    const file = loadFile({ text }, (document) => skimKind(document) === 'Ingress')
    if (file.objects.length > 0) loaded.set(path, file)
    left -= file.objects.length
  }
  return loaded
}
