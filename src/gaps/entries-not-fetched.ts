import type { FetchFault } from '../fetch/connection/fetching'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { heldFolderOf } from '../revision/held-files'
import type { InflatedChart } from '../sources/inflated-chart'
import { type RemoteEntry, urlOfFile } from '../sources/kustomization'
import { filePlaceOf, type RemotePlace, remotePlaceOf } from '../sources/remote-place'
import type { DeclarationSite } from '../sources/source'

/** The fetched parts of the Kustomizations of one side. */
interface RequestedParts {
  /** By the text of the entry. */
  readonly entries: ReadonlyMap<string, RemoteEntry>
  /** By the folder of the chart. */
  readonly inflated: ReadonlyMap<string, InflatedChart>
  readonly faults: ReadonlyMap<string, FetchFault>
  readonly isUnknown: boolean
}

/** Versions that their place does not have, and requests of trials that the change did not make. */
export function entryFindings(was: RequestedParts, is: RequestedParts): Finding[] {
  const entries = [...is.entries].flatMap(([text, entry]) =>
    heldFolderOf(entry.path) === '' ? missing(text, entry, entry.text, { was, is }) : [],
  )
  const missed = [...was.inflated].flatMap(([folder, chart]) => (isMissing(was, folder) ? [placeOf(chart)] : []))
  const charts = [...is.inflated].flatMap(([folder, chart]) =>
    heldFolderOf(chart.path) === ''
      ? missing(folder, chart, `the chart ${chart.name}`, { was, is, isHidden: missed.includes(placeOf(chart)) })
      : [],
  )
  const [first] = [...is.entries.values(), ...is.inflated.values()]
  return [...entries, ...charts, ...(is.isUnknown && first ? [notAsked(first)] : [])]
}

function isMissing({ faults }: RequestedParts, id: string): boolean {
  return faults.get(id)?.cause === 'version-missing'
}

/** The place of a chart, in any version. */
function placeOf({ name, repo }: InflatedChart): string {
  return JSON.stringify([repo, name])
}

interface Missed {
  readonly was: RequestedParts
  readonly is: RequestedParts
  /** Whether the place does not have the version of the base either, so that it may show more to those with credentials. */
  readonly isHidden?: boolean
}

/** The place does not have the version: kustomize cannot build it in the cluster either, unless credentials show it more. */
function missing(id: string, at: DeclarationSite, name: string, { was, is, isHidden = false }: Missed): Finding[] {
  const fault = is.faults.get(id)
  if (fault?.cause !== 'version-missing') return []
  const isOld = isMissing(was, id)
  const isDoubtful = isHidden && !isOld
  return [
    gateFinding('source/unrendered', 'version-missing', isDoubtful ? 'warning' : 'error', {
      side: 'head',
      path: at.path,
      region: at.region,
      status: isOld ? 'existing' : 'introduced',
      keys: [at.path, name],
      text: isDoubtful
        ? `It cannot be built here with ${name}: ${fault.reason}. ${hiddenVersion}`
        : `It cannot be built with ${name}, here or in the cluster: ${fault.reason}. Name a version that exists.`,
    }),
  ]
}

function notAsked({ path, region }: DeclarationSite): Finding {
  return gateFinding('source/unrendered', 'not-asked', 'error', {
    side: 'head',
    path,
    region,
    status: 'introduced',
    keys: [path],
    text: 'It is not built, because its remote parts are not fetched for a trial.',
  })
}

/** The advice where a place has neither the version of the head nor that of the base. */
export const hiddenVersion =
  'The version before this change is not there either, so the place may show only some of its versions without credentials. If the cluster has credentials for it, log in to it in a step before this check (`helm registry login`, `docker login`, a credential helper of git); otherwise name a version that exists.'

/** The line of the config by which the place of an entry is trusted; a file's is the folder above its version. */
export function networkLine({ text, isFile }: Pick<RemoteEntry, 'text' | 'isFile'>): string | undefined {
  const place = isFile ? filePlaceOf(urlOfFile(text)) : remotePlaceOf(text)
  if (!place) return undefined
  return place.kind === 'tree' ? lineFor('git', place.repository) : lineFor('charts', aboveVersion(place))
}

export function lineFor(field: 'charts' | 'git', url: string): string {
  return `\`network: {${field}: ["${url}"]}\``
}

function aboveVersion({ url, place }: Extract<RemotePlace, { kind: 'file' }>): string {
  if (place !== url) return place
  const names = new URL(url).pathname.split('/')
  const version = names.findIndex((name) => /^v?\d/.test(name))
  const end = version > 1 ? version : names.length - 1
  return `${new URL(url).origin}${names.slice(0, end).join('/')}`
}

/** The reason why an entry was not fetched, as the end of a sentence that it is not in this repository. */
export function faultInWords(fault: FetchFault | undefined): string {
  if (!fault || fault.cause === 'fetch-off') return ''
  if (fault.cause === 'content-invalid')
    return `, and is left out, because the fetched files cannot be used: ${fault.reason}`
  if (fault.cause !== 'place-new') return `, and could not be fetched: ${fault.reason}`
  return ', and was not fetched, because only this change names its place'
}
