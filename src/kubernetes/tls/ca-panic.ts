import { satisfies } from 'semver'
import { type Controller, rolloutMark } from '../controllers/controller'
import { controllerFacts } from '../workload/controller-facts'

/** Each manifest of a controller with releases that panic contains one of these strings. */
export const marksOfPanicking: readonly string[] = [
  ...controllerFacts.flatMap(({ marks, certificate }) => (certificate?.panics ? marks : [])),
  rolloutMark,
]

/** Whether a controller panics when it checks, for a host, a Secret with a CA and no certificate. */
export function panicsOnCa({ facts, release }: Controller, host: 'listed' | 'unlisted'): boolean {
  const releases = facts.certificate?.panics?.[host]
  return release !== undefined && releases !== undefined && satisfies(release, releases)
}
