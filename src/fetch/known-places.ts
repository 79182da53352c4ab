import * as Type from 'typebox'
import rows from '../../facts/chart-places.yaml'
import { factsFile, factsIn, proof, strict } from '../kubernetes/facts-format/facts-file'

/** `facts/chart-places.yaml` */
export const ChartPlacesFile = factsFile({
  places: Type.Array(
    Type.Object(
      {
        /** The URL of a repository of charts, or the folder of a registry. */
        url: Type.String({ pattern: '^(?:https|oci)://' }),
        ...proof,
      },
      strict,
    ),
  ),
})

/** The places of well-known charts, to which only their own projects publish. */
export const knownPlaces: readonly string[] = factsIn(ChartPlacesFile, rows).places.map(({ url }) => url)
