import type { Budget } from '../budget'
import type { DocumentReader } from '../manifest/document-reader'
import { decodeFile, loadFile } from '../manifest/load'
import { mentions } from '../manifest/mentions'
import type { Checkout } from './checkout'
import { Files } from './files'
import type { Entry, Revision } from './revision'

/** The files of a revision that differ, parsed. */
export async function readFiles(
  revision: Revision,
  entries: readonly Entry[],
  reader: DocumentReader,
  budget: Budget,
): Promise<Files> {
  const files = new Files()
  for await (const [entry, content] of revision.read(entries)) {
    budget.doing(`reading ${entry.path}`, entry.path)
    if ('missing' in content) files.miss(entry.path, content)
    else files.loaded.set(entry.path, loadFile(decodeFile(content), undefined, reader))
  }
  return files
}

/** The texts of files that may hold manifests, and the files that could not be read. */
export interface Texts {
  readonly texts: ReadonlyMap<string, string>
  readonly files: Files
}

/**
 * Reads the texts of files that are the same on both sides.
 *
 * @param mayDeclare whether a file without Kubernetes objects may declare releases
 */
export async function readTexts(
  checkout: Checkout,
  entries: readonly Entry[],
  budget: Budget,
  mayDeclare: (path: string, text: string) => boolean,
): Promise<Texts> {
  const texts = new Map<string, string>()
  const files = new Files()
  for (const [path, content] of await checkout.read(entries.map((entry) => entry.path))) {
    if ('missing' in content) {
      files.miss(path, content)
      continue
    }
    budget.doing(`reading ${path}`, path)
    const { text } = decodeFile(content)
    if (mayHoldObjects(text) || mayDeclare(path, text)) texts.set(path, text)
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
