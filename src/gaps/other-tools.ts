import { type OtherTool, otherTools } from '../deployers/other-tools'
import type { Skipped } from '../revision/tree'
import type { SideOfChange } from '../sides/side'

/** So many files of one tool and folder are named. */
const most = 3

/**
 * The changed files that another known tool takes, one entry for each tool and folder.
 *
 * @param known the files that hold manifests that were read, or that are listed already
 */
export async function takenByOtherTools(
  base: SideOfChange | undefined,
  head: SideOfChange,
  changed: ReadonlySet<string> | undefined,
  known: ReadonlySet<string>,
): Promise<Skipped[]> {
  const open = [...(changed ?? [])].filter((file) => !known.has(file) && !head.checkout.tree.ignores(file))
  const groups = new Map<string, { tool: OtherTool; files: string[] }>()
  for (const side of [head, ...(base ? [base] : [])]) {
    const { tree } = side.checkout
    const files = open.filter(
      (file) => tree.entries.has(file) && (side === head || !head.checkout.tree.entries.has(file)),
    )
    const found = await otherTools(files, tree.entries.keys(), (paths) => side.checkout.texts(paths))
    if (found.length === 0) continue
    const rendered = await Promise.all(side.discovery.sources.map((source) => side.files(source)))
    const used = new Set(rendered.flat())
    for (const file of files.filter((one) => !used.has(one))) {
      const tool = found.find((one) => one.takes(file))
      if (!tool) continue
      const key = JSON.stringify([tool.tool, tool.folder])
      const group = groups.get(key)
      if (group) group.files.push(file)
      else groups.set(key, { tool, files: [file] })
    }
  }
  return [...groups.values()].flatMap(({ tool: { tool, because, instead }, files }) => {
    const [path = '', ...others] = files.sort()
    const shown = others.slice(0, most).join(', ')
    const more = others.length > most ? ` and ${others.length - most} more` : ''
    const beside = others.length > 0 ? ` (the same goes for ${shown}${more})` : ''
    return [{ path, reason: `not judged, as ${tool} takes it and ${because}: ${instead}${beside}` }]
  })
}
