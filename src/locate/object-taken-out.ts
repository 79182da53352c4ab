import type { Finding } from '../finding/report'
import { loadFile } from '../manifest/load'
import { Manifest } from '../manifest/manifest'
import type { Gathered } from '../pipeline/opening/scope'
import type { Cause, ChangedFile } from './cause'
import { linesOf } from './edits'

/**
 * The edit that takes the object of a finding out of a file that its Kustomization still includes: no trial is needed
 * to know it.
 *
 * @param writtenIn the file that the object comes from
 * @param files the changed files that the object may be made of
 */
export async function objectTakenOut(
  { location: { side, rendered }, cluster }: Finding,
  writtenIn: string,
  files: readonly ChangedFile[],
  { sides: { head }, head: snapshots }: Pick<Gathered, 'sides' | 'head'>,
): Promise<Cause | undefined> {
  const file = files.find(({ path }) => path === writtenIn)
  const source = head.discovery.sources.find(({ id }) => id === rendered?.id)
  if (side !== 'base' || !rendered || source?.kind !== 'kustomize' || !file?.text) return undefined
  const { object } = rendered
  if ((snapshots.get(cluster)?.get(object) ?? []).length > 0) return undefined
  const [was, is] = [file.text.before, file.text.after].map((text) =>
    loadFile({ text: text ?? '' }).objects.filter(({ ref }) => ref.kind === object.kind && ref.name === object.name),
  )
  const [own, ...others] = was ?? []
  if (!own || others.length > 0 || is?.length !== 0 || !(await head.files(source)).includes(writtenIn)) return undefined
  const named = new Manifest(own, 'base', { kind: 'file', path: writtenIn }, []).root.at('metadata', 'name').region
  const edit = file.text.edits
    .flatMap(linesOf)
    .find(({ before, beforeLine }) => beforeLine <= named.startLine && named.startLine < beforeLine + before.length)
  return edit && { file, edit }
}
