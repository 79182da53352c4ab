import type { Cursor } from '../../manifest/cursor'
import type { Checkout } from '../../revision/checkout'
import { isBoundedGlob } from '../../revision/glob'
import { inside, realPlace } from '../../sources/places'
import { textOf } from '../../sources/untyped'
import { type MissingValues, mayBeThere } from '../common/missing-values'
import { filesFor } from './helmfile-paths'

/**
 * The files of a release that are not there. Paths are relative to the helmfile, and a glob has to match something:
 * https://github.com/helmfile/helmfile/blob/v1.7.4/pkg/state/storage.go (resolveFile)
 *
 * @param folder the folder of the helmfile
 * @param isPassedOver whether the helmfile passes over those that are missing
 */
export function missingValuesOf(
  release: Cursor,
  folder: string,
  isPassedOver: boolean,
  checkout: Checkout,
): readonly MissingValues[] {
  const handler = release.at('missingFileHandler')
  const passesOver = handler.exists ? handler.value !== 'Error' : isPassedOver
  const prefix = textOf(release.at('valuesPathPrefix').value)
  const listed = (list: 'values' | 'secrets') =>
    passesOver ? [] : [...release.at(list).items()].map((at) => ({ at, list, written: `${prefix}${textOf(at.value)}` }))
  const read = [...release.at('set').items()].map((one) => ({
    at: one.at('file'),
    list: 'set' as const,
    written: textOf(one.at('file').value),
  }))
  return [...listed('values'), ...listed('secrets'), ...read].flatMap(({ at, list, written }) => {
    if (textOf(at.value) === '' || /\{\{|:\/\/|^[a-z0-9]+::/i.test(written)) return []
    const place = inside(folder, written)
    if (place === undefined || mayBeThere(place, checkout) || matchesSome(place, checkout)) return []
    const { path } = at.manifest.origin
    const name = textOf(release.at('name').value)
    return [{ deployer: 'helmfile', path, region: at.region, release: name, written, place, list }]
  })
}

function matchesSome(place: string, checkout: Checkout): boolean {
  const real = realPlace(checkout.tree, place)
  return !isBoundedGlob(real) || filesFor('', real, checkout).length > 0
}
