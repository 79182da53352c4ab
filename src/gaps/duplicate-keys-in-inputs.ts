import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { type LoadedObject, loadFile } from '../manifest/load'
import { identityOf, nameOf } from '../manifest/manifest'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { duplicateText } from './duplicate-keys'

/**
 * Keys that a change writes twice in a file that kustomize builds in: it prints each once where a patch merges them, and
 * otherwise it fails with the line, but without the file.
 */
export async function duplicateKeysInInputs(
  base: SideOfChange,
  head: SideOfChange,
  changed: ReadonlySet<string>,
  rendered: readonly RenderedSide[],
): Promise<Finding[]> {
  const built = new Set<string>()
  const refused = new Set<string>()
  for (const { source, failure } of rendered) {
    if (source.kind !== 'kustomize') continue
    for (const file of await head.files(source)) {
      if (!changed.has(file) || !/\.ya?ml$/.test(file)) continue
      built.add(file)
      if (failure?.reason.includes('already defined at line')) refused.add(file)
    }
  }
  const [before, after] = await Promise.all([base, head].map(({ checkout }) => checkout.texts([...built])))
  const found: Finding[] = []
  for (const [path, text] of after ?? []) {
    const old = loadFile({ text: before?.get(path) ?? '' }).objects
    const known = new Map(old.map((object) => [identityOf(object.ref), keysIn(object)]))
    for (const object of loadFile({ text }).objects) {
      const [first] = object.duplicateKeys
      const keys = keysIn(object)
      if (!first || [...keys].every((key) => known.get(identityOf(object.ref))?.has(key))) continue
      found.push(
        gateFinding('source/duplicate-key', 'duplicate', 'warning', {
          side: 'head',
          path,
          region: first.region,
          fileText: text,
          object: object.ref,
          keys: [...keys],
          status: 'introduced',
          text: duplicateText(nameOf(object.ref), [...keys], refused.has(path) ? 'kustomize refuses that' : undefined),
        }),
      )
    }
  }
  return found
}

function keysIn({ duplicateKeys }: LoadedObject): ReadonlySet<string> {
  return new Set(duplicateKeys.map(({ key }) => key))
}
