import { satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import type { ChartRelease } from './chart-release'

/** A port that the Service of a release offers or not, at the value that decides it. */
export interface ReleasedPort {
  readonly at: Cursor
  readonly port: number
  readonly isOffered: boolean
}

/** The ports of the Service of a release; undefined where some are not known, or something else may offer them, too. */
export function portsOfRelease({ facts, values, version }: ChartRelease): ReleasedPort[] | undefined {
  const offers = facts.offers?.find(({ charts = '*' }) => satisfies(version, charts))
  if (!offers) return undefined
  const { below, shown, port, ports, unless } = offers
  const others = unless.map((path) => values.get(path))
  const isElsewhere = ({ value }: { value: unknown }) =>
    typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
  if (others.some((one) => !one.isKnown || isElsewhere(one))) return undefined
  const written = values.mapsAt(below).flatMap((map) => [...map.entries()].map(([name]) => name))
  const known: ReleasedPort[] = []
  for (const name of new Set([...Object.keys(ports), ...written])) {
    const whole = values.get(`${below}.${name}`)
    const shows = values.get(`${below}.${name}.${shown}`)
    const number = values.get(`${below}.${name}.${port}`)
    if (!shows.isKnown || !number.isKnown) return undefined
    const isGone = whole.at.exists && whole.at.value === null
    const isOffered = !isGone && Boolean(shows.at.exists ? shows.value : Object.hasOwn(ports, name))
    const given = number.value ?? ports[name]
    // A port of the chart without a number is for itself.
    if (typeof given === 'number') known.push({ at: isGone ? whole.at : shows.at, port: given, isOffered })
  }
  return known
}

/** The ports that the Service of a release offered before and no longer does, at the values that decide it. */
export function portsWithdrawn(before: ChartRelease, after: ChartRelease): ReleasedPort[] {
  const [had, has] = [portsOfRelease(before), portsOfRelease(after)]
  if (!had || !has) return []
  const offered = new Set(has.flatMap((one) => (one.isOffered ? [one.port] : [])))
  const lost = new Set(had.flatMap((one) => (one.isOffered && !offered.has(one.port) ? [one.port] : [])))
  const forClients = Object.values(after.facts.offers?.[0]?.ports ?? {})
  return has.filter(({ port }) => lost.has(port) && forClients.includes(port))
}

/**
 * The ports for clients of the Service that a controller's chart makes of the values at a path, as `TCP/443`; undefined for
 * another Service, or where its ports are not known.
 */
export function clientPortsOf(release: ChartRelease, path: readonly string[]): string[] | undefined {
  const { facts, values } = release
  const at = path.join('.')
  if (!facts.service.some(({ value }) => value === `${at}.type`)) return undefined
  if (facts.offers) return portsOfRelease(release)?.flatMap(({ port, isOffered }) => (isOffered ? [`TCP/${port}`] : []))
  const own = values.get(`${at}.ports`)
  return at.endsWith('service') && own.isKnown && !own.at.exists ? ['TCP/80', 'TCP/443'] : undefined
}
