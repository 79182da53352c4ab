import type { FetchFault } from '../fetch/connection/fetching'
import type { Rendering } from '../render/tools/rendering'
import type { Checkout } from '../revision/checkout'
import { heldFolderOf } from '../revision/held-files'
import { entriesOfFetched, inWords, withFetched } from '../sources/fetched-kustomizations'
import type { InflatedChart } from '../sources/inflated-chart'
import { fileKey, type Kustomization, type RemoteEntry } from '../sources/kustomization'
import type { DeclarationSite, KustomizeSource } from '../sources/source'
import type { RenderingInput } from './reduced-input'

/** The requested parts of the Kustomizations of one side. */
export interface FetchedParts {
  /** The folders that are held in place of entries, by the text of these. */
  readonly inPlaceOf: ReadonlyMap<string, string>
  /** The files of charts, at the paths where Kustomizations look for them. */
  readonly charts: ReadonlyMap<string, Uint8Array>
  /** The reasons why entries were not fetched, by their text; those of charts by their folder. */
  readonly faults: ReadonlyMap<string, FetchFault>
}

/** The inputs of a Kustomization or a chart with its fetched parts. */
export interface FetchedInput extends Omit<RenderingInput, 'source'> {
  /** The entries by which it includes fetched files, by the folders of these. */
  readonly entries: ReadonlyMap<string, DeclarationSite>
  readonly faults: FetchedParts['faults']
  /** Whether charts were fetched, for it or for another one. */
  readonly hasCharts: boolean
  readonly without?: LeftOut
}

/** The reason why the dependencies of a chart are left out, although their places may be asked. */
export interface LeftOut {
  /** A clause that ends a sentence. */
  readonly reason: string
  /** Whether they were fetched. */
  readonly isFetched: boolean
}

/** Kustomizations with their fetched parts, by the ids of their sources. */
export async function fetchedInputs(
  sources: readonly KustomizeSource[],
  { inPlaceOf, charts, faults }: FetchedParts,
  { checkout, kustomizations, newFolder }: FetchableSide,
): Promise<Map<string, FetchedInput & { readonly source: KustomizeSource }>> {
  const own = checkout.withFetched(inPlaceOf, charts, newFolder)
  const all = await withFetched(kustomizations, own)
  return new Map(
    sources.map((source) => {
      const entries = entriesOfFetched([source.root, ...(source.components ?? [])], all, own)
      return [source.id, { source, checkout: own, kustomizations: all, entries, faults, hasCharts: charts.size > 0 }]
    }),
  )
}

interface FetchableSide {
  readonly checkout: Checkout
  readonly kustomizations: ReadonlyMap<string, Kustomization>
  /** A new private folder. */
  newFolder(): string
}

/** A rendering with its places in files of this repository: no reader has a fetched file. */
export function seenHere(rendering: Rendering, input: FetchedInput): Rendering {
  if (!('failure' in rendering)) {
    const pieces = rendering.pieces.map((piece) => ({ ...piece, path: siteOf(piece.path, input)?.path ?? piece.path }))
    return partsHere({ ...rendering, pieces }, input)
  }
  const { remote, ...failure } = rendering.failure
  const leftOut = failure.cause === 'dependency-not-vendored' ? input.without : undefined
  const reason = leftOut?.reason ?? inWords(failure.reason, input.checkout)
  const seen = { ...placeHere(failure, input), reason }
  const left = remote ? { remote: remote.map((entry) => entryHere(entry, input)) } : {}
  return { ...partsHere(rendering, input), failure: { ...seen, ...left } }
}

/** The missing parts of a rendering, with their places in the same way. */
export function partsHere<T extends PartsElsewhere>(parts: T, input: FetchedInput): T {
  const { remote, charts, data } = parts
  const withFault = (one: InflatedChart) => {
    const fault = input.faults.get(one.folder)
    return placeHere(fault ? { ...one, fault } : one, input)
  }
  return {
    ...parts,
    ...(remote ? { remote: remote.map((entry) => entryHere(entry, input)) } : {}),
    ...(charts ? { charts: charts.map(withFault) } : {}),
    ...(data ? { data: data.map((entry) => entryHere(entry, input)) } : {}),
  }
}

interface PartsElsewhere {
  readonly remote?: readonly RemoteEntry[]
  readonly charts?: readonly InflatedChart[]
  readonly data?: readonly RemoteEntry[]
}

function entryHere(entry: RemoteEntry, input: FetchedInput): RemoteEntry {
  const fault = input.faults.get(entry.text) ?? input.faults.get(fileKey(entry.path, entry.text))
  return placeHere(fault ? { ...entry, fault } : entry, input)
}

function placeHere<T extends { readonly path: string }>(one: T, input: FetchedInput): T {
  const entry = siteOf(one.path, input)
  return entry ? { ...one, path: entry.path, region: entry.region } : one
}

/** The place that requests a fetched file. */
function siteOf(file: string, { entries }: FetchedInput): DeclarationSite | undefined {
  const held = entries.get(heldFolderOf(file))
  if (held || entries.size === 0) return held
  return [...entries].find(([folder]) => folder !== '' && file.startsWith(`${folder}/`))?.[1]
}
