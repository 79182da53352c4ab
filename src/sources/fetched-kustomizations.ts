import path from 'node:path/posix'
import type { Checkout } from '../revision/checkout'
import { heldFolderOf } from '../revision/held-files'
import { kustomizationNames } from '../revision/kustomization-file'
import {
  closureOf,
  fileKey,
  inside,
  isForeign,
  type Kustomization,
  type RemoteEntry,
  readKustomization,
} from './kustomization'
import { remotePlaceOf } from './remote-place'

/**
 * The Kustomizations of a revision, together with those of the fetched trees that they include.
 *
 * @param checkout the files, including fetched ones
 */
export async function withFetched(
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<Map<string, Kustomization>> {
  const { inPlaceOf } = checkout
  const found = new Map(all)
  const open: string[] = []
  for (const [folder, { file, made, includes, files }] of all) {
    const isWith = includes.some(({ text }) => inPlaceOf.has(text))
    if (made || !(isWith || files.some(({ text }) => inPlaceOf.has(fileKey(file, text))))) continue
    const text = await checkout.text(file)
    if (text === undefined) continue
    const again = readKustomization(folder, file, text, checkout)
    found.set(folder, again)
    open.push(...again.leadsTo)
  }
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (heldFolderOf(folder) === '' || found.has(folder)) continue
    const one = await kustomizationIn(folder, checkout)
    if (!one) continue
    found.set(folder, one)
    open.push(...one.leadsTo)
  }
  return found
}

/**
 * The Kustomization of a fetched folder, and those that it includes.
 *
 * @returns the first entry that was not fetched with it, where there is one
 */
export async function fetchedClosure(
  root: string,
  checkout: Checkout,
): Promise<ReadonlyMap<string, Kustomization> | string> {
  const found = new Map<string, Kustomization>()
  const open = [root]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (found.has(folder)) continue
    const one = await kustomizationIn(folder, checkout)
    if (!one) continue
    found.set(folder, one)
    open.push(...one.leadsTo)
    const isHere = (place: string | undefined) => place !== undefined && checkout.tree.at(place).length > 0
    const lacking = one.includes.find(({ text }) => !isHere(inside(folder, text))) ?? one.files[0]
    if (lacking) return lacking.text
    const [chart] = one.charts
    if (chart && !checkout.has(path.join(chart.folder, 'Chart.yaml'))) return `the chart ${chart.name}`
    if (one.plugins) return 'a plugin'
  }
  return found
}

async function kustomizationIn(folder: string, checkout: Checkout): Promise<Kustomization | undefined> {
  const file = kustomizationNames.map((name) => path.join(folder, name)).find((one) => checkout.has(one))
  const text = file === undefined ? undefined : await checkout.text(file)
  if (file === undefined || text === undefined || isForeign(text)) return undefined
  return readKustomization(folder, file, text, checkout)
}

/** The entries of a source's own files by which it includes fetched files, by the folders of these. */
export function entriesOfFetched(
  starts: readonly string[],
  all: ReadonlyMap<string, Kustomization>,
  { inPlaceOf }: Checkout,
): Map<string, RemoteEntry> {
  const found = new Map<string, RemoteEntry>()
  for (const { file, folder, includes } of starts.flatMap((start) => closureOf(start, all))) {
    const outer = found.get(heldFolderOf(folder))
    for (const mention of includes) {
      const held = heldFolderOf(inPlaceOf.get(mention.text) ?? '')
      if (held !== '' && !found.has(held)) found.set(held, outer ?? { ...mention, path: file })
    }
  }
  return found
}

/** A message with the URLs of repositories in place of the folders that hold their files. */
export function inWords(reason: string, { inPlaceOf }: Checkout): string {
  let words = reason
  for (const [text, place] of inPlaceOf) {
    if (heldFolderOf(place) === '') continue
    const remote = remotePlaceOf(text)
    const name = remote?.kind === 'tree' && !remote.isFile ? remote.repository : text
    words = words.split(heldFolderOf(place)).map(withoutUps).join(name)
  }
  return words
}

/** A text without the `../` at its end, which led to the folder. */
function withoutUps(text: string, index: number, all: readonly string[]): string {
  let end = text.length
  while (index < all.length - 1 && text.startsWith('../', end - 3)) end -= 3
  return text.slice(0, end)
}
