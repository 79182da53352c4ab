import path from 'node:path/posix'
import type { Checkout } from '../revision/checkout'
import { kustomizationNames } from '../revision/kustomization-file'
import { isForeign, type Kustomization, placesNamed, readKustomization } from './kustomization'
import { readPlugins } from './kustomize-reader'
import { pluginFilesOf } from './plugin-files'

/** Every Kustomization of a revision, by folder; those in ignored files only where others include them. */
export async function readKustomizations(checkout: Checkout): Promise<Map<string, Kustomization>> {
  const files = new Map<string, string>()
  for (const name of [...kustomizationNames].reverse()) {
    for (const file of checkout.tree.entries.keys())
      if (file.endsWith(name) && path.basename(file) === name && checkout.has(file)) files.set(folderOf(file), file)
  }
  const texts = await checkout.texts([...files.values()])
  const all = new Map<string, Kustomization>()
  for (const [folder, file] of files) {
    const text = texts.get(file)
    if (text !== undefined && !isForeign(text)) all.set(folder, readKustomization(folder, file, text, checkout))
  }
  const found = new Map([...all].filter(([, { file }]) => !checkout.tree.ignores(file)))
  const open = [...found.values()]
  for (let one = open.pop(); one; one = open.pop()) {
    for (const place of one.leadsTo) {
      const taken = all.get(place)
      if (!taken || found.has(place)) continue
      found.set(place, taken)
      open.push(taken)
    }
  }
  return withFilesOfPlugins(found, checkout)
}

/** The same Kustomizations, with the files that the files of their plugins name: `files` of ksops. */
async function withFilesOfPlugins(
  all: Map<string, Kustomization>,
  checkout: Checkout,
): Promise<Map<string, Kustomization>> {
  const configs = new Map(
    [...all.values()].flatMap((one) => (one.pluginPlaces.length > 0 ? [[one, pluginFilesOf(one, all, checkout)]] : [])),
  )
  if (configs.size === 0) return all
  const texts = await checkout.texts([...configs.values()].flat())
  for (const [one, files] of configs) {
    const strings = files.flatMap((file) => [...readPlugins(texts.get(file) ?? '').strings])
    const named = placesNamed(strings, one.folder, checkout).filter((place) => checkout.has(place))
    const ofPlugins = named.filter((place) => !one.leadsTo.includes(place))
    if (ofPlugins.length > 0)
      all.set(one.folder, {
        ...one,
        leadsTo: [...one.leadsTo, ...ofPlugins].sort(),
        ofPlugins: [...one.ofPlugins, ...ofPlugins].sort(),
      })
  }
  return all
}

function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}
