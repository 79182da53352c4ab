import path from 'node:path/posix'
import type { Checkout } from '../../revision/checkout'
import { isKustomizationFile, kustomizationNames } from '../../revision/kustomization-file'
import { asciiJson } from '../../sources/ascii-json'
import { closureOf, inside, isForeign, type Kustomization, type Mention } from '../../sources/kustomization'
import { faultOfPlace } from '../../sources/kustomization-paths'
import { kustomizationShape, pluginShapes } from '../../sources/kustomize-fields'
import { readKustomizeText, readPlugins } from '../../sources/kustomize-reader'
import { isUrl, realPlace } from '../../sources/places'
import { pluginFilesAt } from '../../sources/plugin-files'
import type { KustomizeSource } from '../../sources/source'
import { type Fields, fieldsOf, listOf, textOf } from '../../sources/untyped'
import type { Failure } from './rendering'

type FailedInput = { readonly failure: Failure }

/**
 * The reason why kustomize is not started on Kustomizations: the first reference in them that leads out of the
 * revision.
 */
export function refusedIn(
  kustomizations: readonly Kustomization[],
  { allowsOutsideFiles, components = [], declaredAt }: KustomizeSource,
  checkout: Checkout,
): Failure | undefined {
  const region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 }
  const elsewhere = components.find((one) => one !== '' && inside('', one) !== one)
  if (elsewhere !== undefined)
    return {
      cause: 'place-refused',
      about: elsewhere,
      reason: `it includes ${elsewhere}, which is not in this repository; copy it into this repository and name the copy`,
      ...declaredAt,
    }
  for (const { file, folder, faults, files, made } of kustomizations) {
    if (!made && kustomizationNames.filter((name) => checkout.has(path.join(folder, name))).length > 1)
      return {
        cause: 'kustomization-ambiguous',
        reason: `kustomize cannot build it: Found multiple kustomization files under: ${folder || '.'}`,
        path: file,
        region,
      }
    const [fault] = faults
    if (fault) {
      const { about = '', region: at } = fault
      const isFile = files.some(({ text }) => text === about)
      return { ...fault, path: file, ...(isFile ? { remote: [{ text: about, path: file, region: at, isFile }] } : {}) }
    }
    const real = made ? undefined : checkout.tree.resolved.get(file)
    const isBeside = real !== undefined && folder !== '' && !real.startsWith(`${folder}/`)
    if (isBeside && !allowsOutsideFiles) {
      const reason = `it is a symbolic link to ${real}, and kustomize reads no file outside its folder; copy the file`
      return { cause: 'kustomization-linked', reason, path: file, region }
    }
  }
  return undefined
}

interface Plugins {
  /** The texts of their files, by path. */
  readonly written: ReadonlyMap<string, string>
  /** Whether one of them may read files. */
  readonly mayReadFiles: boolean
}

/** The kinds of plugins that read files; kustomize runs no others than its own. */
const readers = [...pluginShapes.keys()]

interface PluginFile {
  readonly file: string
  /** The folder that its paths start from: that of the Kustomization which has the plugin. */
  readonly from: string
}

/**
 * The files of plugins, as kustomize gets them.
 *
 * @param generators plugin files from which something was left out
 */
export async function pluginsOf(
  kustomizations: readonly Kustomization[],
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  generators: ReadonlyMap<string, string>,
): Promise<FailedInput | Plugins> {
  const found: PluginFile[] = []
  for (const { file, folder, pluginPlaces } of kustomizations) {
    for (const mention of pluginPlaces) {
      const { text: about, region } = mention
      const reason = notFollowed(mention, folder, all, checkout)
      if (reason !== undefined) return { failure: { cause: 'plugins-not-followed', about, reason, path: file, region } }
      found.push(...pluginFilesAt(about, folder, all, checkout).map((one) => ({ file: one, from: folder })))
    }
  }
  const texts = await checkout.texts(found.map(({ file }) => file))
  const written = new Map<string, string>()
  for (const { file, from } of found) {
    const text = texts.get(file)
    if (text === undefined || isKustomizationFile(file)) continue
    const reading = readPlugins(text)
    const [fault] = reading.faults
    if (fault) return { failure: { ...fault, path: file } }
    for (const place of reading.places) {
      const reason = faultOfPlace(place, from, (at) => at !== undefined && checkout.has(at))
      if (reason === undefined) continue
      const entry = { text: place.text, path: file, region: place.region }
      const isFetched = isUrl(place.text.slice(place.text.indexOf('=') + 1)) || isUrl(place.text)
      const remote = isFetched ? { remote: [entry] } : {}
      return {
        failure: { cause: 'place-refused', about: place.text, reason, path: file, region: place.region, ...remote },
      }
    }
    const left = generators.get(file)
    written.set(file, left === undefined ? reading.written : readPlugins(left).written)
  }
  const isPlain = (file: string) => {
    const text = written.get(file)
    return text !== undefined && !readers.some((kind) => text.includes(kind))
  }
  const mayReadFiles =
    kustomizations.some(({ inlinePlugins }) => inlinePlugins) || !found.every(({ file }) => isPlain(file))
  return { written, mayReadFiles }
}

/** The reason why the files of plugins that an entry leads to are not known. */
function notFollowed(
  { text }: Mention,
  folder: string,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string | undefined {
  const place = inside(folder, text)
  const real = place === undefined ? undefined : realPlace(checkout.tree, place)
  if (real === undefined || checkout.has(real)) return undefined
  const changing = closureOf(real, all).find(({ keepsPaths }) => !keepsPaths)
  return (
    changing &&
    `it uses plugins from the Kustomization ${changing.folder || '.'}, which may change the files they read; name the plugin files here`
  )
}

/**
 * Files that kustomize takes for Kustomizations by their name, and that contain something else, which a Kustomization
 * may include.
 */
export async function foreignIn(files: readonly string[], checkout: Checkout): Promise<Map<string, string>> {
  const texts = await checkout.texts(files.filter(isKustomizationFile))
  return new Map(
    [...texts].flatMap(([file, text]) => (isForeign(text) ? [[file, readPlugins(text).written] as const] : [])),
  )
}

/** The overlay of an Argo CD or Flux object, with the files of its patches inline. */
export async function overlayOf(
  { root, overlay, declaredAt: at }: KustomizeSource,
  checkout: Checkout,
): Promise<FailedInput | { readonly overlay: Fields | undefined }> {
  if (!overlay) return { overlay }
  const patches: Fields[] = []
  for (const patch of listOf(overlay.patches).map(fieldsOf)) {
    const { path: file, ...rest } = patch
    if (textOf(file) === '') {
      patches.push(rest)
      continue
    }
    const place = inside(root, textOf(file))
    const text = place === undefined ? undefined : await checkout.text(place)
    if (text === undefined) {
      const reason = `its patch ${textOf(file)} is not in ${path.join(root, '.')} of this repository; name a file there, or write the patch inline`
      return { failure: { cause: 'overlay-patch-missing', about: textOf(file), reason, ...at } }
    }
    patches.push({ ...rest, patch: text })
  }
  const whole = { ...overlay, ...(overlay.patches === undefined ? {} : { patches }) }
  const { faults, places } = readKustomizeText(asciiJson(whole), kustomizationShape)
  if (faults[0]) return { failure: { ...faults[0], ...at } }
  if (places[0])
    return {
      failure: {
        cause: 'overlay-refused',
        about: places[0].text,
        reason: `it uses ${places[0].text} in a setting that overrides the Kustomization, where only plain values are supported`,
        ...at,
      },
    }
  return { overlay: whole }
}
