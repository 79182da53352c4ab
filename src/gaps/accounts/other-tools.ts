import { type OtherTool, otherTools } from '../../deployers/fleet-helmfile/other-tools'
import type { Skipped } from '../../finding/report'
import type { SideOfChange } from '../../sides/side'
import type { Recogniser } from './recognised-files'

/** The number of files of one tool and folder that are named. */
const most = 3

/** Files of tools that the gate does not run. */
export const filesOfOtherTools: Recogniser = async (side, files) => {
  const open = files.filter((file) => !side.checkout.tree.ignores(file))
  return new Map(
    [...(await toolsOf(side, open))].map(([file, { tool, because, instead }]) => [
      file,
      {
        cause: 'other-tool',
        tool,
        reason: `${tool} uses it, and ${because}`,
        remedy: `To have it judged, ${instead}.`,
      },
    ]),
  )
}

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
  const isAtHead = (file: string) => head.checkout.tree.entries.has(file)
  const groups = new Map<string, { tool: OtherTool; files: string[] }>()
  for (const side of [head, ...(base ? [base] : [])]) {
    const found = await toolsOf(
      side,
      open.filter((file) => side.checkout.tree.entries.has(file) && (side === head || !isAtHead(file))),
    )
    for (const [file, tool] of found) {
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
    const same = others.length > 0 ? ` (the same applies to ${shown}${more})` : ''
    const reason = `not judged, because ${tool} uses it and ${because}: ${instead}${same}`
    return [{ path, reason, cause: 'other-tool' }]
  })
}

/** The tools that take the files of a side which no source of it is rendered from. */
async function toolsOf(side: SideOfChange, files: readonly string[]): Promise<Map<string, OtherTool>> {
  if (files.length === 0) return new Map()
  const tools = await otherTools(files, side.checkout.tree.entries.keys(), (paths) => side.checkout.texts(paths))
  if (tools.length === 0) return new Map()
  const { sources, ownership } = side.discovery
  const beside = (file: string) => ownership.get(file)?.deployed === false
  const all = (await Promise.all(sources.map((source) => side.files(source)))).flat()
  // A file in the folder of a Kustomization that does not name it is of no source.
  const used = new Set(all.filter((file) => !beside(file)))
  return new Map(
    files.flatMap((file) => {
      const tool = used.has(file) ? undefined : tools.find((one) => one.takes(file))
      return tool ? [[file, tool] as const] : []
    }),
  )
}
