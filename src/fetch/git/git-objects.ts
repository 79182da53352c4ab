import { FetchFailure } from '../connection/failure'
import type { FetchedFiles } from '../connection/fetching'
import type { FetchLimits } from '../connection/limits'
import { safePath } from '../connection/safe-path'
import type { GitOutcome } from './git-process'

/** Runs git in the repository that has the objects. */
type Local = (args: readonly string[], input?: string) => Promise<GitOutcome>

/** The files of a tree: paths → ids of their content. */
interface TreeFiles {
  readonly files: ReadonlyMap<string, string>
  /** The paths of symbolic links and submodules. Their content is not read. */
  readonly links: readonly string[]
}

/**
 * Lists the files of a commit below some folders. Submodules are left out: they are other repositories.
 *
 * @throws FetchFailure
 */
export async function filesIn(
  commit: string,
  folders: readonly string[],
  what: string,
  limits: FetchLimits,
  local: Local,
): Promise<TreeFiles> {
  const listed = await local(['ls-tree', '-r', '-z', '--full-tree', commit])
  if (listed.status !== 0) throw new FetchFailure('content-invalid', `${what} has no files at ${commit}`)
  const files = new Map<string, string>()
  const links: string[] = []
  for (const entry of listed.stdout.toString('utf8').split('\0')) {
    const tab = entry.indexOf('\t')
    const [mode, , id] = entry.slice(0, tab).split(' ')
    const name = entry.slice(tab + 1)
    if (tab === -1 || id === undefined) continue
    if (!folders.some((folder) => folder === '' || name === folder || name.startsWith(`${folder}/`))) continue
    if (safePath(name) !== name || name.split('/').some((part) => part.toLowerCase() === '.git'))
      throw new FetchFailure('content-invalid', `${what} has the file ${JSON.stringify(name)}, whose path is not valid`)
    if (mode === '120000' || mode === '160000') links.push(name)
    else files.set(name, id)
    if (files.size > limits.files)
      throw new FetchFailure('content-too-large', `${what} has more than ${limits.files} files`)
  }
  return { files, links }
}

/** @throws FetchFailure */
export async function readTree(
  files: ReadonlyMap<string, string>,
  what: string,
  limits: FetchLimits,
  local: Local,
): Promise<FetchedFiles> {
  const ids = [...files.values()]
  const printed = await local(['cat-file', '--batch', '--buffer'], `${ids.join('\n')}\n`)
  if (printed.tooLarge) throw tooLarge(what, limits)
  const content = new Map<string, Uint8Array>()
  let at = 0
  let size = 0
  for (const [name, id] of files) {
    const end = printed.stdout.indexOf('\n', at)
    const [found, type, length] = printed.stdout.toString('utf8', at, end === -1 ? at : end).split(' ')
    if (found !== id || type !== 'blob')
      throw new FetchFailure('content-invalid', `${what} does not have the content of ${name}`)
    const bytes = printed.stdout.subarray(end + 1, end + 1 + Number(length))
    size += bytes.length
    if (size > limits.unpackedBytes) throw tooLarge(what, limits)
    content.set(name, bytes)
    at = end + 1 + Number(length) + 1
  }
  return content
}

function tooLarge(what: string, limits: FetchLimits): FetchFailure {
  return new FetchFailure(
    'content-too-large',
    `the files of ${what} have more than ${Math.round(limits.unpackedBytes / 1024 / 1024)} MiB`,
  )
}
