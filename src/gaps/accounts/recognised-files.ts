import type { SideOfChange } from '../../sides/side'
import { encryptedValues } from './encrypted-values'
import { filesOfReleases, valuesBesideHelmfiles } from './file-deployments'
import { manifestTemplates } from './manifest-templates'
import { filesOfOtherTools } from './other-tools'

/** A tool that takes a file and that the gate does not run. */
export interface Recognised {
  /** An id of `src/ledger/causes.ts`, or of a tool. */
  readonly cause: string
  readonly reason: string
  readonly remedy?: string
  /** The tool's name. */
  readonly tool?: string
  /** The kinds of the assumed objects of its values that are judged. */
  readonly assumed?: readonly string[]
}

/** Finds, among files of one side, those that belong to another known tool; the other side shows the differences. */
export type Recogniser = (
  side: SideOfChange,
  files: readonly string[],
  other: SideOfChange,
) => Promise<ReadonlyMap<string, Recognised>>

/** The first that knows a file counts. */
export const recognisers: readonly Recogniser[] = [
  filesOfReleases,
  encryptedValues,
  filesOfOtherTools,
  valuesBesideHelmfiles,
  manifestTemplates,
]

/** The changed files that belong to another known tool; deleted files as the base has them. */
export async function recognisedFiles(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  by = recognisers,
): Promise<Map<string, Recognised>> {
  const found = new Map<string, Recognised>()
  for (const side of by.length > 0 ? [head, base] : []) {
    const files = [...changed].filter((file) => side.checkout.tree.entries.has(file) && !found.has(file))
    for (const recogniser of files.length > 0 ? by : []) {
      for (const [file, one] of await recogniser(side, files, side === head ? base : head))
        if (!found.has(file)) found.set(file, one)
    }
  }
  return found
}
