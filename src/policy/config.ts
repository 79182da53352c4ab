import { clusterRef } from '../cluster/cluster-facts'
import type { DeclaredClusters } from '../cluster/clusters'
import { GuardError } from '../errors'
import type { Region } from '../region'
import { readOwnDocument } from './document'
import { knownDefectRule, notJudgedRule } from './names'
import type { Use, UsePlaces } from './policy'
import { ConfigFile, type Exception, type FailOn, type NotJudged, type Release } from './schema'

/** Ignored by default. */
export const defaultIgnore: readonly string[] = [
  '**/vendor/**',
  '**/node_modules/**',
  '**/testdata/**',
  '**/fixtures/**',
  '**/__snapshots__/**',
  '.github/**',
]

/** An exception, and where it is written. */
export interface PlacedException extends Exception {
  readonly region: Region
  /** The place of its reason. */
  readonly reasonAt: Region
}

/** A glob of files, and where it is written. */
export interface PlacedGlob {
  readonly glob: string
  /** The key that it is written under. */
  readonly key: string
  readonly region: Region
}

/** A Helm release that the config declares, and where. */
export interface DeclaredRelease extends Release {
  readonly at: { readonly path: string; readonly region: Region }
}

/** A repository's config, with everything it leaves unsaid filled in. */
export interface Config {
  /** The file it was read from; undefined when there is none. */
  readonly path: string | undefined
  readonly uses: readonly Use[] | undefined
  readonly failOn: FailOn | undefined
  readonly ignore: readonly string[]
  readonly clusters: DeclaredClusters
  readonly releases: readonly DeclaredRelease[]
  /** The places that may be fetched from besides those in objects; undefined if nothing is fetched. */
  readonly network: { readonly charts: readonly string[]; readonly git: readonly string[] } | undefined
  readonly exceptions: readonly PlacedException[]
  /** The globs of `ignore` and of `clusters`. */
  readonly globs: readonly PlacedGlob[]
  /** The level of `source/not-judged`, and the files it is for. */
  readonly notJudged: NotJudged
  /** The places of the uses. */
  readonly places: UsePlaces | undefined
}

export const emptyConfig: Config = {
  path: undefined,
  uses: undefined,
  failOn: undefined,
  ignore: defaultIgnore,
  clusters: {},
  releases: [],
  network: { charts: [], git: [] },
  exceptions: [],
  globs: [],
  notJudged: {},
  places: undefined,
}

/**
 * Reads a config.
 *
 * @throws GuardError `config`, at the line that is wrong
 */
export function readConfig(text: string, path: string): Config {
  // A file with comments only is empty.
  if (text.split('\n').every((line) => /^\s*(?:#.*)?$/.test(line))) return { ...emptyConfig, path }
  const { value, regionOf, regionOfKey, objectAt } = readOwnDocument<ConfigFile>(text, path, ConfigFile, 'config')
  return {
    path,
    failOn: value['fail-on'],
    ignore: value.ignore ?? defaultIgnore,
    clusters: Object.fromEntries(
      Object.entries(value.clusters ?? {}).map(([name, { paths, inventory }]) => [
        name,
        {
          ...(paths ? { paths } : {}),
          ...(inventory
            ? { inventory: { path: inventory.replace(/^\.\//, ''), region: regionOf(['clusters', name, 'inventory']) } }
            : {}),
          entry: { path, object: objectAt(['clusters', name], clusterRef(name)) },
        },
      ]),
    ),
    releases: (value.helm ?? []).map((release, index) => ({
      ...release,
      chart: release.chart.replace(/^\.(?:\/|$)/, '').replace(/(?<!\/)\/+$/, ''),
      values: (release.values ?? []).map((file) => file.replace(/^\.\//, '')),
      at: { path, region: regionOf(['helm', index]) },
    })),
    network: value.network === 'off' ? undefined : { charts: [], git: [], ...value.network },
    notJudged: value.source?.['not-judged'] ?? {},
    exceptions: (value.exceptions ?? []).map((exception, index) => {
      const region = regionOf(['exceptions', index])
      const fault = faultOf(exception)
      if (fault !== undefined) throw new GuardError('config', fault, { path, region })
      return { ...exception, region, reasonAt: regionOf(['exceptions', index, 'reason']) }
    }),
    globs: [
      ...(value.ignore ?? []).map((glob, index) => ({ glob, key: 'ignore', region: regionOf(['ignore', index]) })),
      ...Object.entries(value.clusters ?? {}).flatMap(([name, { paths = [] }]) =>
        paths.map((glob, index) => ({
          glob,
          key: `clusters.${name}.paths`,
          region: regionOf(['clusters', name, 'paths', index]),
        })),
      ),
    ],
    uses: value.policies,
    places: {
      key: (index, keys) => ({ path, region: regionOfKey(['policies', index, ...keys]) }),
      value: (index, keys) => ({ path, region: regionOf(['policies', index, ...keys]) }),
    },
  }
}

/** An exception names objects; one for files that are not judged names files. */
function faultOf({ rule, object, path, keys }: Exception): string | undefined {
  if (keys !== undefined && rule !== knownDefectRule)
    return `Only an exception from ${knownDefectRule} takes \`keys:\`; remove them.`
  if (rule === notJudgedRule)
    return path !== undefined && object === undefined
      ? undefined
      : `An exception from ${notJudgedRule} needs \`path:\`, a glob of files, in place of \`object:\`.`
  if (path !== undefined) return `Only an exception from ${notJudgedRule} takes \`path:\`; give \`object:\` here.`
  return object === undefined ? 'An exception needs `object:`, the objects it is for: Kind/namespace/name.' : undefined
}
