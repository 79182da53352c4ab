import { loadFile } from '../manifest/load'
import type { Region } from '../region'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'

/** A document of a changed file that is no object, with its place in the file. */
export interface FaultyDocument {
  readonly path: string
  readonly region: Region
  readonly reason: string
}

/**
 * The documents of changed files that are no objects, by the reason: kustomize builds them, but what it prints names no
 * file.
 */
export async function faultyDocuments(
  head: SideOfChange,
  changed: ReadonlySet<string>,
  after: readonly RenderedSide[],
): Promise<ReadonlyMap<string, FaultyDocument>> {
  const reasons = new Set(after.flatMap(({ unreadable }) => unreadable.map(({ reason }) => reason)))
  const found = new Map<string, FaultyDocument>()
  if (reasons.size === 0) return found
  const texts = await head.checkout.texts(
    [...changed].filter((file) => /\.ya?ml$/.test(file) && head.checkout.has(file)),
  )
  for (const [path, text] of texts) {
    const { unreadable, incomplete } = loadFile({ text })
    for (const { reason, region } of [...unreadable, ...incomplete]) {
      if (reasons.has(reason) && !found.has(reason)) found.set(reason, { path, region, reason })
    }
  }
  return found
}
