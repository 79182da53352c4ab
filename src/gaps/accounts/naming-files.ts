import path from 'node:path/posix'
import { append } from '../../append'
import { isScript } from '../../discovery/applied-by-scripts'
import type { Checkout } from '../../revision/checkout'

/** Scripts, documents and workflows: they may show who deploys a file. */
const mayName = (file: string): boolean =>
  isScript(file) || /\.(?:md|mdx|rst|adoc|txt|py|ps1)$|^\.github\/workflows\//i.test(file)

/** The first script, or else document, that names each of some files by a path with a folder. */
export async function namingFiles(files: readonly string[], checkout: Checkout): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const byName = new Map<string, string[]>()
  for (const file of files) append(byName, path.basename(file), file)
  if (byName.size === 0) return found
  const own = new Set(files)
  const namers = [...checkout.tree.entries.keys()].filter((file) => mayName(file) && !own.has(file)).sort()
  const texts = [...(await checkout.mentioning(namers, [...byName.keys()]))]
  for (const [namer, text] of texts.sort(([a], [b]) => Number(isScript(b)) - Number(isScript(a)))) {
    for (const place of pathsIn(text))
      for (const file of byName.get(path.basename(place)) ?? [])
        if (!found.has(file) && isNamed(file, place)) found.set(file, namer)
  }
  return found
}

/** The paths in a text that have a folder, without what is before their first name. */
function pathsIn(text: string): Set<string> {
  const words = text.split(/[^\w.@+/-]+/).filter((word) => word.includes('/'))
  return new Set(
    words.map((word) =>
      word
        .split('/')
        .filter((part) => !/^\.*$/.test(part))
        .map((part, index, all) => (index === all.length - 1 && part.endsWith('.') ? part.slice(0, -1) : part))
        .join('/'),
    ),
  )
}

/** Whether a path is a file's, from any folder above it or outside of the repository; a name alone is not. */
function isNamed(file: string, place: string): boolean {
  return file === place || place.endsWith(`/${file}`) || (place.includes('/') && file.endsWith(`/${place}`))
}
