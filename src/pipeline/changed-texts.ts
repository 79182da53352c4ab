import type { Evidence } from '../engine/evidence'
import { type Change, sidesOf } from '../manifest/change'
import type { Files } from '../revision/files'

/**
 * The texts of files on both sides, which decide where findings are placed.
 *
 * @param still the texts of files that are no longer plain manifests, but were not deleted
 */
export function changedTexts(
  before: Files,
  after: Files,
  still: ReadonlyMap<string, string>,
): Evidence['changedTexts'] {
  const texts = new Map<string, { before?: string; after?: string }>()
  for (const [path, { text }] of before.loaded) {
    const now = still.get(path)
    texts.set(path, { before: text, ...(now === undefined ? {} : { after: now }) })
  }
  for (const [path, { text }] of after.loaded) texts.set(path, { ...texts.get(path), after: text })
  return texts
}

/** The texts of inventories and configs whose content changed. */
export function describedTexts(changes: readonly Change[]): Map<string, { before?: string; after?: string }> {
  const texts = new Map<string, { before?: string; after?: string }>()
  for (const { before, after } of changes.map(sidesOf)) {
    if (before) texts.set(before.origin.path, { ...texts.get(before.origin.path), before: before.object.fileText })
    if (after) texts.set(after.origin.path, { ...texts.get(after.origin.path), after: after.object.fileText })
  }
  return texts
}
