import type { Checkout } from '../revision/checkout'
import { closureOf, inside, type Kustomization } from './kustomization'
import { realPlace } from './places'

/** The files of the plugins of a Kustomization. */
export function pluginFilesOf(
  { folder, pluginPlaces }: Kustomization,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string[] {
  return pluginPlaces.flatMap(({ text }) => pluginFilesAt(text, folder, all, checkout))
}

/** The files of plugins that an entry leads to: a file, or those that a Kustomization takes in. */
export function pluginFilesAt(
  entry: string,
  folder: string,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): string[] {
  const place = inside(folder, entry)
  if (place === undefined) return []
  const real = realPlace(checkout.tree, place)
  if (checkout.has(real)) return [real]
  return closureOf(real, all).flatMap(({ folder: from, includes }) =>
    includes.flatMap(({ text }) => {
      const file = inside(from, text)
      const its = file === undefined ? undefined : realPlace(checkout.tree, file)
      return its !== undefined && checkout.has(its) ? [its] : []
    }),
  )
}
