import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'

/** The outcome for a file: an existing one is kept, unless it may be replaced. */
export type FileOutcome = 'written' | 'replaced' | 'kept'

/**
 * Writes new files below a folder, all of them or none. No symbolic link is followed, and nothing but a regular file is
 * replaced: the author of the repository decides what is there.
 *
 * @param top a real path
 * @param files texts by path, from the folder
 * @throws GuardError `usage` when a file could lead to another place
 */
export function writeNewFiles(
  top: string,
  files: ReadonlyMap<string, string>,
  replace: boolean,
): Map<string, FileOutcome> {
  const outcomes = new Map([...files.keys()].map((file) => [file, outcomeOf(top, file, replace)]))
  for (const [file, text] of files) {
    if (outcomes.get(file) === 'kept') continue
    for (const folder of foldersOf(file)) if (!at(top, folder)) mkdirSync(path.join(top, folder))
    put(path.join(top, file), text)
  }
  return outcomes
}

/** The outcome of writing a file; changes nothing. */
export function outcomeOf(top: string, file: string, replace: boolean): FileOutcome {
  for (const folder of foldersOf(file)) {
    const found = at(top, folder)
    if (found && !found.isDirectory()) throw refusal(folder, found, 'a folder')
    if (found && at(top, `${folder}/.git`))
      throw new GuardError('usage', 'This folder is another repository, so no file is written into it.', {
        path: folder,
      })
  }
  const found = at(top, file)
  if (!found) return 'written'
  if (!found.isFile()) throw refusal(file, found, 'a file')
  return replace ? 'replaced' : 'kept'
}

function refusal(file: string, found: Stats, wanted: string): GuardError {
  const what = found.isSymbolicLink() ? 'a symbolic link' : found.isDirectory() ? 'a folder' : `not ${wanted}`
  return new GuardError(
    'usage',
    `This is ${what}, so nothing was written: ${wanted} is needed here. Remove it, or write the files of --dry-run yourself.`,
    { path: file },
  )
}

/** `a/b/c` → `a`, `a/b`. */
export function foldersOf(file: string): string[] {
  const names = file.split('/').slice(0, -1)
  return names.map((_, index) => names.slice(0, index + 1).join('/'))
}

function at(top: string, file: string): Stats | undefined {
  return lstatSync(path.join(top, file), { throwIfNoEntry: false })
}

/** Puts a whole file in its place: another name of the file that was there keeps the old text. */
export function put(file: string, text: string, mode = 0o666): void {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(fresh, text, { flag: 'wx', mode })
    renameSync(fresh, file)
  } finally {
    rmSync(fresh, { force: true })
  }
}
