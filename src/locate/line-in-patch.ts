import path from 'node:path/posix'
import { isKustomizationFile } from '../revision/kustomization-file'
import { patchEntriesIn } from '../sources/patches'
import { inside } from '../sources/places'
import { type Cause, type ChangedFile, editsToBlame } from './cause'
import type { Edit } from './edits'

/**
 * The line of a patch that the change adds, where the cause of a finding is the entry of a Kustomization that lists the
 * patch.
 *
 * @param files the changed files that the object may be made of
 * @param gone whether the finding is gone without some lines of a file
 */
export async function lineInNewPatch(
  [cause]: readonly Cause[],
  files: readonly ChangedFile[],
  gone: (file: ChangedFile, reverted: ReadonlySet<Edit>) => Promise<boolean>,
): Promise<Cause | undefined> {
  if (!cause?.edit || !isKustomizationFile(cause.file.path)) return undefined
  const { afterLine, after } = cause.edit
  // Of a new Kustomization that cannot be cut, its patches may well not be the cause.
  if (cause.file.before === undefined && after.length > 1) return undefined
  const listed = patchEntriesIn(cause.file.text?.after ?? '')
    .filter(({ entryLine }) => afterLine <= entryLine && entryLine < afterLine + after.length)
    .flatMap((entry) => inside(path.dirname(cause.file.path), entry.path) ?? [])
  const [patch, ...more] = files.filter((file) => file.before === undefined && file.text && listed.includes(file.path))
  if (!patch || more.length > 0) return undefined
  const [line, ...others] = await editsToBlame(patch, (reverted) => gone(patch, reverted), undefined)
  return line && others.length === 0 ? { file: patch, edit: withoutIdentity(line) } : undefined
}

/** An edit without the lines before the first field of a patch that does not say which object it is for. */
function withoutIdentity(edit: Edit): Edit {
  const at = edit.after.findIndex((line) => /^\w/.test(line) && !/^(?:apiVersion|kind|metadata):/.test(line))
  return at === -1 ? edit : { ...edit, after: edit.after.slice(at), afterLine: edit.afterLine + at }
}
