import { type Failure, withoutFolder } from '../../render/tools/rendering'
import { placeOf, type Source } from '../../sources/source'

/** Whether the cause is a missing folder: it is listed at the object that names it, whether or not it is rendered. */
export function isOfFolder(source: Source, { reason }: Failure): boolean {
  return reason === withoutFolder(placeOf(source))
}
