import { type LoadedFile, loadFile } from '../manifest/load'
import { mentions } from '../manifest/mentions'
import { skimKind } from '../manifest/skim'

/** Upper bound, to keep reading fast. */
const maxIngresses = 1000

/** The Ingresses of files that a change leaves alone, which no rule may have asked for. */
export function ingressesIn(texts: ReadonlyMap<string, string>): Map<string, LoadedFile> {
  const loaded = new Map<string, LoadedFile>()
  let left = maxIngresses
  for (const [path, text] of texts) {
    if (left <= 0) break
    if (!mentions(text, 'Ingress')) continue
    const file = loadFile({ text }, (document) => (skimKind(document) ?? 'Ingress') === 'Ingress')
    const objects = file.objects.filter(({ ref }) => ref.kind === 'Ingress')
    if (objects.length > 0) loaded.set(path, { ...file, objects })
    left -= objects.length
  }
  return loaded
}
