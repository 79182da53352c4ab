import type { LoadedObject } from '../manifest/load'
import type { Side } from '../manifest/manifest'
import { withNamespace } from './rendered-objects'
import type { SideOfChange } from './side'

/** Both sides of a change; none of the base where a revision is judged whole. */
type BothSides = Readonly<Record<'base', SideOfChange | undefined> & Record<'head', SideOfChange>>

/**
 * An object of a plain file, in the namespace of the Application that takes the file. Where only the other side has such
 * an Application, the object is the same one, so it is in that namespace at both.
 */
export function inGivenNamespace(
  object: LoadedObject,
  side: Side,
  path: string,
  { base, head }: BothSides,
): LoadedObject {
  if (object.ref.namespace !== '') return object
  const [own, other] = side === 'base' ? [base, head] : [head, base]
  return withNamespace(object, { namespace: given(own, path) ?? given(other, path) ?? '' })
}

function given(side: SideOfChange | undefined, path: string): string | undefined {
  if (!side) return undefined
  const { discovery, tree } = side
  const paths = [path, ...(tree.aliases.get(path) ?? [])]
  const [first, ...others] = paths.flatMap((one) => discovery.plain.get(one)?.namespace ?? [])
  return others.every((one) => one === first) ? first : ''
}
