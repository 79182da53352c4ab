import type { DocumentReader } from '../manifest/document-reader'
import { decodeFile, loadFile } from '../manifest/load'
import { mentions } from '../manifest/mentions'
import type { Checkout } from './checkout'
import { Files } from './files'
import type { Entry, Revision } from './revision'

/** The files of a revision that differ, parsed. */
export async function readFiles(revision: Revision, entries: readonly Entry[], reader: DocumentReader): Promise<Files> {
  const files = new Files()
  for await (const [entry, content] of revision.read(entries)) {
    if ('missing' in content) files.miss(entry.path, content)
    else files.loaded.set(entry.path, loadFile(decodeFile(content), undefined, reader))
  }
  return files
}

/** The texts of files that are the same on both sides and may hold manifests. */
export async function readTexts(
  checkout: Checkout,
  entries: readonly Entry[],
  files: Files,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const [path, content] of await checkout.read(entries.map((entry) => entry.path))) {
    if ('missing' in content) {
      files.miss(path, content)
      continue
    }
    const { text } = decodeFile(content)
    if (mayHoldObjects(text)) texts.set(path, text)
  }
  return texts
}

/** The paths that are not the same on both sides. */
export async function changedPaths(base: Revision, head: Revision): Promise<Set<string>> {
  const [before, after] = await Promise.all([base.list(), head.list()])
  const ids = new Map(before.map(({ path, id }) => [path, id]))
  const changed = after.filter(({ path, id }) => ids.get(path) !== id).map(({ path }) => path)
  for (const { path } of after) ids.delete(path)
  return new Set([...changed, ...ids.keys()])
}

/** Whether a text may hold Kubernetes objects, however their keys are spelled. */
function mayHoldObjects(text: string): boolean {
  return mentions(text, 'apiVersion') && mentions(text, 'kind')
}
