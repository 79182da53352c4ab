import type { Opened } from '../../src/host/open'
import { repositoryName } from '../../src/revision/repository-name'
import { type Held, MemoryRevision } from '../memory-revision'
import type { Files } from './repository'

/** A change of some files, or one revision whole, which takes no process of Git to open. */
export function opened(base: Files, head: Files | undefined, ...remotes: readonly string[]): Opened {
  const before = changed({}, base)
  return {
    base: head && new MemoryRevision('base', before),
    head: new MemoryRevision('head', head ? changed(before, head) : before),
    repository: remotes.map(repositoryName),
  }
}

/**
 * The files after a commit, as a working tree would hold them: a written file replaces a folder or a file of its name.
 */
function changed(before: Readonly<Record<string, Held>>, change: Files): Record<string, Held> {
  const files = { ...before }
  for (const [file, content] of Object.entries(change)) {
    for (const name of Object.keys(files)) if (name === file || name.startsWith(`${file}/`)) delete files[name]
    if (content === null) continue
    const above = Object.keys(files).find((name) => file.startsWith(`${name}/`))
    if (above) throw new Error(`${file} is below ${above}, which is no folder.`)
    files[file] = content
  }
  return files
}
