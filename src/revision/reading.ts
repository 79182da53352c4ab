import type { Budget } from '../budget'
import type { DocumentReader } from '../manifest/document-reader'
import { loadFile } from '../manifest/load'
import { mentions } from '../manifest/mentions'
import type { Checkout } from './checkout'
import { Files } from './files'
import type { Revision } from './revision'

/** Files of a revision, parsed. */
export async function readFiles(
  checkout: Checkout,
  paths: readonly string[],
  reader: DocumentReader,
  budget: Budget,
): Promise<Files> {
  const files = new Files()
  for (const [path, file] of await checkout.decoded(paths)) {
    budget.doing(`reading ${path}`, path)
    if ('missing' in file) files.miss(path, file)
    else files.loaded.set(path, loadFile(file, undefined, reader))
  }
  return files
}

/** The texts of files that may hold manifests, and the files that could not be read. */
export interface Texts {
  readonly texts: ReadonlyMap<string, string>
  readonly files: Files
}

/** A text of so many characters takes a noticeable time. */
const longText = 100_000

/**
 * Reads the texts of files that are the same on both sides.
 *
 * @param mayDeclare whether a file without Kubernetes objects may declare releases
 */
export async function readTexts(
  checkout: Checkout,
  paths: readonly string[],
  budget: Budget,
  mayDeclare: (path: string, text: string) => boolean,
): Promise<Texts> {
  budget.doing('reading the files that this change does not touch')
  const texts = new Map<string, string>()
  const files = new Files()
  for (const [path, file] of await checkout.decoded(paths)) {
    if ('text' in file && file.text.length > longText) budget.doing(`reading ${path}`, path)
    if ('missing' in file) files.miss(path, file)
    else if (mayHoldObjects(file.text) || mayDeclare(path, file.text)) texts.set(path, file.text)
  }
  return { texts, files }
}

/** The paths that are not the same on both sides. */
export async function changedPaths(base: Revision, head: Revision): Promise<Set<string>> {
  const [before, after] = await Promise.all([base.list(), head.list()])
  const ids = new Map(before.map(({ path, id }) => [path, id]))
  const changed = after.filter(({ path, id }) => ids.get(path) !== id).map(({ path }) => path)
  for (const { path } of after) ids.delete(path)
  return new Set([...changed, ...ids.keys()])
}

/** Whether a text may contain Kubernetes objects, in any spelling of their keys. */
function mayHoldObjects(text: string): boolean {
  return mentions(text, 'apiVersion') && mentions(text, 'kind')
}
