import { lstatSync, mkdirSync, readFileSync, type Stats } from 'node:fs'
import path from 'node:path'
import { GuardError } from '../errors'
import type { Patch } from '../finding/edited-text'
import type { Report } from '../finding/report'
import type { Options } from '../host/options'
import { enumerated } from '../listing'
import { patchText } from '../report/patch-text'
import type { Paint } from '../report/terminal'
import { visible } from '../report/words/visible'
import { openRepository } from '../revision/git'
import type { Io } from './io'
import { foldersOf, put } from './new-files'

/** The modes of `--fix`: writes the fixes, or only shows them. */
export type FixMode = true | 'dry'

/**
 * Checks the working tree, writes the fixes that hold, shows them as a diff, and checks again.
 *
 * @param paint set where the report is for people: then the diff is before it, else on the standard error
 * @returns the report of the files as they are afterwards
 * @throws GuardError `usage` when there is no working tree, `source` when a file may not be written; then none is
 */
export async function checkAndFix(
  mode: FixMode,
  options: Options,
  run: (options: Options) => Promise<Report>,
  { io, paint }: { readonly io: Io; readonly paint: Paint | undefined },
): Promise<Report> {
  const { dir, bare } = await openRepository({ dir: options.repo })
  if (bare)
    throw new GuardError('usage', '--fix changes the working tree, and this repository has none. Run it in a clone.')
  const report = await run({ ...options, fixes: true })
  const patches = report.unfinished ? [] : (report.patches ?? [])
  const remark = (text: string) => io.stderr.write(`ingress-guard: ${text}\n`)
  if (patches.length === 0) {
    const why = report.unfinished ? 'the check did not finish in time' : 'no finding that counts has a verified fix'
    remark(`nothing was fixed, because ${why}`)
    return report
  }
  if (mode !== 'dry') writePatches(dir, patches)
  if (paint) io.stdout.write(`${patchText(patches, paint)}\n`)
  else io.stderr.write(patchText(patches, (_, text) => text))
  const names = enumerated(
    patches.map((patch) => visible(patch.path)),
    5,
  )
  remark(mode === 'dry' ? `--fix would change ${names}; nothing was written` : `fixed ${names}, and checked again`)
  return mode === 'dry' ? report : run(options)
}

/**
 * Writes patched files, all of them or none. A file that is not as it was judged is refused, and so is a path that
 * leads elsewhere: a symbolic link, another repository.
 */
export function writePatches(top: string, patches: readonly Patch[]): void {
  const modes = patches.map((patch) => modeOf(top, patch))
  for (const [index, { path: file, after }] of patches.entries()) {
    const whole = path.join(top, file)
    mkdirSync(path.dirname(whole), { recursive: true })
    put(whole, after, modes[index])
  }
}

/** Checks that a patched file may be written, and returns its mode; changes nothing. */
function modeOf(top: string, { path: file, before }: Patch): number | undefined {
  const names = file.split('/')
  if (path.isAbsolute(file) || names.some(isOfGit)) throw refusal(file, 'it is no path of this repository')
  for (const folder of foldersOf(file)) {
    const found = at(top, folder)
    if (found && !found.isDirectory()) throw refusal(file, `${folder} is no folder`)
    if (found && at(top, `${folder}/.git`)) throw refusal(file, `${folder} is another repository`)
  }
  const found = at(top, file)
  if (!found) {
    if (before !== undefined) throw refusal(file, 'it is not in the working tree, as in a sparse checkout')
    return undefined
  }
  if (!found.isFile()) throw refusal(file, 'it is no regular file')
  if (before === undefined) throw refusal(file, 'it exists, but is not part of what was checked')
  if (!readFileSync(path.join(top, file)).equals(Buffer.from(before)))
    throw refusal(file, 'it was changed while the check ran')
  return found.mode
}

/** Whether some system of files takes a name for Git's own folder, this one, or the one above. */
function isOfGit(name: string): boolean {
  const taken = name.replace(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '')
  return name.includes('\\') || /^(?:\.{0,2}|(?:\.git|git~\d)[ .]*(?::.*)?)$/i.test(taken)
}

function refusal(file: string, why: string): GuardError {
  return new GuardError('source', `This file cannot be fixed, because ${why}. Nothing was written.`, { path: file })
}

function at(top: string, file: string): Stats | undefined {
  return lstatSync(path.join(top, file), { throwIfNoEntry: false })
}
