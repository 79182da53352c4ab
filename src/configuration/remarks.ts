import { Minimatch } from 'minimatch'
import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { type Config, defaultIgnore, type PlacedException, type PlacedGlob } from '../policy/config'
import { isSuggestedReason } from '../policy/suggested-reason'
import { isBoundedGlob } from '../revision/glob'
import type { Revision } from '../revision/revision'

/** One config of a run, and the text that it was read from. */
interface ReadConfig {
  readonly config: Config
  readonly text: string | undefined
}

/** The exceptions that a change adds with the reason that was suggested with them. */
export function unexplainedIn({ config, text }: ReadConfig, before: Config): Finding[] {
  const known = new Set(before.exceptions.map(identityOf))
  return config.exceptions
    .filter((exception) => isSuggestedReason(exception.reason) && !known.has(identityOf(exception)))
    .map(({ rule, object, path, reasonAt }) =>
      gateFinding('config/exception-unexplained', 'unexplained', 'error', {
        side: 'head',
        path: config.path ?? '',
        region: reasonAt,
        status: 'introduced',
        keys: [rule, object ?? path ?? ''],
        text: `The exception from ${rule} for ${object ?? path} has the reason that was suggested with it, so reviewers cannot judge it. Write why it is intended.`,
        ...(text === undefined ? {} : { fileText: text }),
      }),
    )
}

function identityOf({ rule, object, path, cluster, reason }: PlacedException): string {
  return JSON.stringify([rule, object, path, cluster, isSuggestedReason(reason)])
}

/**
 * The globs of a config that match no file of the revisions: misspelled or outdated ones.
 *
 * @param before the config that it replaces; its globs are not reported again if they stay
 */
export async function unmatchedIn(
  { config, text }: ReadConfig,
  revisions: readonly Revision[],
  at: { readonly side: 'base' | 'head'; readonly status: 'existing' | 'introduced' },
  before?: Config,
): Promise<Finding[]> {
  const known = new Set(before?.globs.map(({ key, glob }) => JSON.stringify([key, glob])))
  const globs = config.globs.filter(
    ({ key, glob }) =>
      isBoundedGlob(glob) &&
      !known.has(JSON.stringify([key, glob])) &&
      !(key === 'ignore' && defaultIgnore.includes(glob)),
  )
  if (globs.length === 0) return []
  const entries = (await Promise.all(revisions.map((revision) => revision.list()))).flat()
  const matches = ({ glob }: PlacedGlob) => {
    const pattern = new Minimatch(glob, { dot: true })
    // Files behind a link or in a submodule are below its path.
    return entries.some(({ path, type }) => pattern.match(path, type !== 'file'))
  }
  return globs
    .filter((glob) => !matches(glob))
    .map(({ glob, key, region }) =>
      gateFinding('config/glob-unmatched', 'unmatched', 'notice', {
        ...at,
        path: config.path ?? '',
        region,
        keys: [key, glob],
        text: `The glob ${JSON.stringify(glob)} under \`${key}\` matches no file. Correct it, or remove it.`,
        ...(text === undefined ? {} : { fileText: text }),
      }),
    )
}
