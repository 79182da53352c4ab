import * as Type from 'typebox'
import rows from '../../../facts/supported-releases.yaml'
import { factsFile, factsIn, proof, release, strict } from '../facts-format/facts-file'

/** `facts/supported-releases.yaml`. */
export const SupportedReleasesFile = factsFile({
  releases: Type.Array(
    Type.Object({ release, /** YYYY-MM-DD */ ends: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }) }, strict),
    { minItems: 1 },
  ),
  ...proof,
})

/** How long the clouds support a release after the project does. */
const extendedMonths = 16

/** Each release and the first day without any support for it, YYYY-MM-DD. */
const releases = factsIn(SupportedReleasesFile, rows).releases.map(({ release, ends }) => {
  const day = new Date(`${ends.slice(0, 7)}-01T00:00:00Z`)
  day.setUTCMonth(day.getUTCMonth() + extendedMonths)
  return { release, leaves: day.toISOString().slice(0, 10) }
})

/**
 * The oldest release of Kubernetes that somebody supports on a day: extended support by clouds counts.
 *
 * @param today YYYY-MM-DD
 */
export function oldestSupported(today: string): string {
  return (releases.find(({ leaves }) => leaves > today) ?? releases.at(-1))?.release ?? ''
}
