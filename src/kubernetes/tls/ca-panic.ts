import { satisfies } from 'semver'
import { type Controller, rolloutMark } from '../controllers/controller'
import { controllerFacts } from '../workload/controller-facts'

/** Each manifest of a controller with releases that panic contains one of these strings. */
export const marksOfPanicking: readonly string[] = [
  ...controllerFacts.flatMap(({ marks, certificate }) => (certificate?.panics ? marks : [])),
  rolloutMark,
]

type Host = 'listed' | 'unlisted'

/** The answers of each controller: every Ingress asks for them, and comparing versions takes long. */
const known = new WeakMap<Controller, Readonly<Record<Host, boolean>>>()

/** Whether a controller panics when it checks, for a host, a Secret with a CA and no certificate. */
export function panicsOnCa(controller: Controller, host: Host): boolean {
  const panics = known.get(controller) ?? readPanics(controller)
  known.set(controller, panics)
  return panics[host]
}

function readPanics({ facts, release }: Controller): Readonly<Record<Host, boolean>> {
  const panics = (releases: string | undefined) =>
    release !== undefined && releases !== undefined && satisfies(release, releases)
  const { listed, unlisted } = facts.certificate?.panics ?? {}
  return { listed: panics(listed), unlisted: panics(unlisted) }
}
