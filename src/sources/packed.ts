import type { Checkout } from '../revision/checkout'
import { chartWithLocals } from './chart'
import type { HelmSource } from './source'

/** The files that helm gets for a release: of a chart that Flux packs, those that are in its artifact. */
export async function asPacked({ chart, values, packed }: HelmSource, checkout: Checkout): Promise<Checkout> {
  if (!packed) return checkout
  const charts = await chartWithLocals(checkout, chart)
  const named = values.flatMap((one) => ('path' in one ? [one.path] : []))
  const files = [chart, ...charts.flatMap(({ folder }) => checkout.below(folder)), ...named]
  const lost = files.filter((file) => checkout.tree.entries.has(file) && !packed.has(file))
  return lost.length === 0 ? checkout : checkout.without(lost)
}
