import path from 'node:path/posix'
import { Minimatch } from 'minimatch'
import * as Type from 'typebox'
import rows from '../../../facts/other-tools.yaml'
import { factsFile, factsIn, proof, strict, text, texts } from '../../kubernetes/facts-format/facts-file'
import { helmCommandsIn, isNamed, mayTake } from './helm-commands'

const Mark = Type.Object({ path: text, holds: Type.Optional(text), beside: Type.Optional(text) }, strict)

/** A tool that the gate does not run. */
const Tool = Type.Object(
  {
    tool: text,
    ...proof,
    marks: Type.Array(Mark, { minItems: 1 }),
    takes: texts,
    /** The folder is the one above the topmost folder of one of these names on the way to the mark. */
    above: Type.Optional(text),
    /** Whether it takes only the values files that its marks name, where these have helm commands without variables. */
    names: Type.Optional(Type.Literal(true)),
    because: text,
    instead: text,
  },
  strict,
)

/** `facts/other-tools.yaml`. */
export const OtherToolsFile = factsFile({ tools: Type.Array(Tool) })

/** A folder that a tool takes which the gate does not run. */
export interface OtherTool {
  readonly tool: string
  /** From the repository's root; empty for the root itself. */
  readonly folder: string
  /** The file that shows it. */
  readonly mark: string
  /** The reason why the gate cannot judge its output. */
  readonly because: string
  /** The command or action with which it is judged. */
  readonly instead: string
  /** Whether a file of the repository belongs to the tool. */
  takes(file: string): boolean
}

/** A file of megabytes marks no folder. */
const longestMark = 1_000_000

/** A glob that is compiled when it is first asked: most runs ask few of them. */
class Glob {
  private compiled: Minimatch | undefined

  constructor(private readonly pattern: string) {}

  match(file: string): boolean {
    this.compiled ??= new Minimatch(this.pattern, { dot: true, nocomment: true, nonegate: true })
    return this.compiled.match(file)
  }
}

const tools = factsIn(OtherToolsFile, rows).tools.map((row) => ({
  ...row,
  marks: row.marks.map(({ path: glob, holds, beside }) => ({
    glob: new Glob(glob),
    beside,
    holds: holds === undefined ? undefined : new RegExp(holds, 'm'),
  })),
  takes: row.takes.map((glob) => new Glob(glob)),
  anywhere: row.takes.map((glob) => new Glob(`**/${glob}`)),
}))

type Known = (typeof tools)[number]

/**
 * Finds the tools that take some files, the one whose folder is nearest to a file first.
 *
 * @param files the files in question
 * @param paths every path of the side; one that is in no folder above a file in question is not looked at
 * @param read reads the files that show a tool by their text
 */
export async function otherTools(
  files: Iterable<string>,
  paths: Iterable<string>,
  read: (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<OtherTool[]> {
  const wanted = [...files].filter((file) =>
    tools.some(({ anywhere, names }) => (names && isYaml(file)) || anywhere.some((glob) => glob.match(file))),
  )
  if (wanted.length === 0) return []
  const above = new Set(wanted.flatMap(foldersAbove))
  const candidates: { tool: Known; mark: string; folder: string; holds: RegExp | undefined }[] = []
  const all = new Set(paths)
  // Most folders have many files, and no tool whose folder is above a file in question.
  const nearby = new Map<string, { tool: Known; folder: string }[]>()
  for (const mark of all) {
    const own = mark.slice(0, Math.max(0, mark.lastIndexOf('/')))
    let near = nearby.get(own)
    if (!near) {
      near = tools
        .map((tool) => ({ tool, folder: tool.above === undefined ? own : folderAbove(own, tool.above) }))
        .filter(({ folder }) => above.has(folder))
      nearby.set(own, near)
    }
    for (const { tool, folder } of near) {
      const match = tool.marks.find(
        ({ glob, beside }) => (beside === undefined || all.has(path.join(own, beside))) && glob.match(mark),
      )
      if (match) candidates.push({ tool, mark, folder, holds: match.holds })
    }
  }
  const asked = candidates.filter(({ holds }) => holds !== undefined).map(({ mark }) => mark)
  const held = asked.length > 0 ? await read([...new Set(asked)]) : new Map<string, string>()
  const found = new Map<string, OtherTool>()
  for (const { tool, mark, folder, holds } of candidates) {
    // Each script names files of its own.
    const key = JSON.stringify([tool.tool, folder, tool.names ? mark : ''])
    const shown = (held.get(mark) ?? '').slice(0, longestMark)
    if (found.has(key) || (holds && !holds.test(shown))) continue
    const commands = tool.names ? helmCommandsIn(shown) : undefined
    const start = folder === '' ? 0 : folder.length + 1
    const { tool: name, because, instead, takes } = tool
    found.set(key, {
      tool: name,
      folder,
      mark,
      because,
      instead,
      takes: (file) =>
        (start === 0 || file.startsWith(`${folder}/`)) &&
        ((takes.some((glob) => glob.match(file.slice(start))) && (commands === undefined || mayTake(commands, file))) ||
          (commands !== undefined && isYaml(file) && isNamed(commands, file))),
    })
  }
  const order = new Map(tools.map(({ tool }, index) => [tool, index]))
  const rank = ({ tool }: OtherTool) => order.get(tool) ?? 0
  return [...found.values()].sort((a, b) => b.folder.length - a.folder.length || rank(a) - rank(b))
}

function isYaml(file: string): boolean {
  return file.endsWith('.yaml') || file.endsWith('.yml')
}

/** The folder above the topmost one of some names on a path. */
function folderAbove(folder: string, names: string): string {
  const folders = folder.split('/')
  const first = folders.findIndex((name) => names.split('|').includes(name))
  return first === -1 ? folder : folders.slice(0, first).join('/')
}

/** A file's folder and those above it, up to the root. */
function foldersAbove(file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return [...parts.keys(), parts.length].map((end) => parts.slice(0, end).join('/'))
}
