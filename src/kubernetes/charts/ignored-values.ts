import { oneEditFrom } from '../../closest'
import { alternatives, enumerated } from '../../listing'
import type { ReadBlocks } from '../../manifest/load'
import { isPlaceholder } from '../ingress/ingress'
import { holdsIngress, isOfIngress } from './ingress-keys'
import type { RemoteRelease } from './remote-release'

/** A value of an Ingress, a certificate or a route that no template of its chart reads. */
export interface IgnoredValue<At> {
  readonly at: At
  /** `server.ingress.class` */
  readonly path: string
  /** The values that the chart reads: of this key in other blocks, or of one in this block that is likely meant. */
  readonly meant: readonly string[]
  /** The keys that it reads in the same block; none at the top. */
  readonly beside: readonly string[]
}

/** What to do about such a value, as sentences. */
export function remedyFor({ meant, beside }: Pick<IgnoredValue<unknown>, 'meant' | 'beside'>): string {
  if (meant.length > 0) return `The chart reads ${alternatives(meant.slice(0, 3))}; write it there.`
  if (beside.length === 0) return 'Remove it, or write it where the chart has it in its values.yaml.'
  return `In the same block the chart reads ${enumerated(beside, 8)}; write one of these, or remove the value.`
}

/** A value in a block: its key, its place and its content. */
type Entry<At> = readonly [key: string, at: At, value: unknown]

/** The values of a release that the templates of its chart do not read, where the chart was fetched. */
export function ignoredValues({ manifest, name, layers }: RemoteRelease) {
  const blocks = manifest.object.context?.rendered?.get(name)?.()
  const roots = layers.flatMap((layer) => ('hidden' in layer || layer.parameters ? [] : [layer.root]))
  // A value may be a template that reads others.
  if (!blocks || roots.some((root) => JSON.stringify(root.value ?? null).includes('.Values'))) return []
  return roots.flatMap((root) =>
    ignoredIn(blocks, (keys) => [...root.at(...keys).entries()].map(([key, at]) => [key, at, at.value])),
  )
}

/** @param entriesAt the values in the block of these keys */
export function ignoredIn<At>(
  blocks: ReadBlocks,
  entriesAt: (keys: readonly string[]) => readonly Entry<At>[],
): IgnoredValue<At>[] {
  return [...blocks].flatMap(([block, known]) => {
    const keys = block === '' ? [] : block.split('.')
    return entriesAt(keys).flatMap(([key, at, value]) => {
      if (known.has(key) || isPlaceholder(key) || !isGiven(value)) return []
      if (!isOfIngress([...keys, key]) && !holdsIngress(value)) return []
      const beside = keys.length > 0 ? [...known].sort() : []
      return [{ at, path: join(block, key), meant: meantBy(key, block, blocks), beside }]
    })
  })
}

function meantBy(key: string, block: string, blocks: ReadBlocks): string[] {
  const beside = [...(blocks.get(block) ?? [])]
  const near = beside.find((one) => one.toLowerCase() === key.toLowerCase()) ?? oneEditFrom(key, beside)
  if (near !== undefined) return [join(block, near)]
  return [...blocks].flatMap(([other, keys]) => (keys.has(key) ? [join(other, key)] : [])).sort()
}

function isGiven(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

function join(block: string, key: string): string {
  return block === '' ? key : `${block}.${key}`
}
