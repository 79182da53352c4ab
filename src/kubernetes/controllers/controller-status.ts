import { satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import type { ControllerFacts, StatusFacts, Switch } from '../workload/controller-facts'
import { isSwitchedOn, type Settings } from '../workload/settings'

/** The ways in which a controller writes the status of its Ingresses. */
export type StatusWriting =
  | { readonly writes: 'unknown' }
  /**
   * Turned off or without a source: by a flag, at its place or where it would be; `by` is empty for a release that
   * never writes it.
   */
  | { readonly writes: 'nothing'; readonly by: string; readonly at: Cursor }
  /** The addresses of a Service, or one that is given: at its flag. */
  | { readonly writes: 'source'; readonly at: Cursor; readonly flag: string; readonly value: string | undefined }
  /** The addresses of its default Service, unless it is configured otherwise. */
  | { readonly writes: 'service' }
  /** The addresses of the nodes that run it, where these lead to it. */
  | { readonly writes: 'nodes' }
  /** The addresses of nodes because no source is given: at its flags, where one belongs. */
  | { readonly writes: 'fallback'; readonly at: Cursor }

/**
 * Reads the status writing of a controller.
 *
 * @param onNodes whether the nodes receive its traffic: it uses their network or ports
 */
export function statusOf(
  facts: ControllerFacts,
  settings: Settings,
  release: string | undefined,
  onNodes: boolean,
): StatusWriting {
  if (settings.opaque) return { writes: 'unknown' }
  const status = statusFactsOf(facts, release)
  if (!status) return { writes: 'nothing', by: '', at: settings.place }
  const writes = status.writes ? isSwitchedOn(settings, status.writes) : true
  if (writes === undefined) return { writes: 'unknown' }
  if (!writes) return nothingBy(status.writes ? flagOf(status.writes) : '', settings)
  const sources = status.sources.map((flag) => ({ flag, given: settings.get(flag) }))
  for (const { flag, given } of sources) {
    if (given && !given.maybe && given.value !== '') return { writes: 'source', at: given.at, flag, value: given.value }
  }
  if (sources.some(({ given }) => given?.maybe)) return { writes: 'unknown' }
  if (status.without === 'nothing') return nothingBy(status.sources[0] ?? '', settings)
  if (status.without === 'service') return { writes: 'service' }
  const asked = status.nodes === undefined ? false : settings.isOn(status.nodes, false)
  if (onNodes || asked !== false) return { writes: 'nodes' }
  const empty = sources.map(({ given }) => given?.at).find((at) => at !== undefined)
  return { writes: 'fallback', at: empty ?? settings.placeOf(status.sources[0] ?? '') }
}

function nothingBy(flag: string, settings: Settings): StatusWriting {
  return { writes: 'nothing', by: settings.wordsFor(flag), at: settings.get(flag)?.at ?? settings.placeOf(flag) }
}

function flagOf(by: Switch): string {
  if ('on' in by) return by.on
  if ('off' in by) return by.off
  if ('variable' in by) return by.variable
  return 'given' in by ? by.given : by.missing
}

/** The status writing of a release: the newest mode, if the release is unknown. */
export function statusFactsOf({ status }: ControllerFacts, release: string | undefined): StatusFacts | undefined {
  return release === undefined ? status.at(-1) : status.find(({ releases }) => satisfies(release, releases))
}
