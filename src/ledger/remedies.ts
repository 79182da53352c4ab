import { notJudgedRule } from '../policy/names'
import { causeText } from './causes'
import type { LedgerEntry } from './entry'

/** The number of exceptions that are written out. */
const most = 3

/**
 * What a reader can do about files that are not judged for one cause. Where the change removes them or the
 * dependency that they are for, or SOPS encrypts them, the remedy of the cause would ask for the impossible.
 */
export function remedyFor(files: readonly [LedgerEntry, ...LedgerEntry[]]): string {
  const [{ cause = '', remedy }] = files
  switch (obstacleOf(files[0])) {
    case 'removed': {
      if (files.some(({ change }) => change !== 'removed'))
        return `This change removes the part that is not seen, so there is nothing left to correct: make sure that nothing needs it. ${acceptance(files)}`
      const it = files.length > 1 ? 'them' : 'it'
      return `This change removes ${it}, so there is nothing left to correct: make sure that nothing needs what ${it === 'it' ? 'it' : 'they'} deployed. ${acceptance(files)}`
    }
    case 'encrypted':
      return `SOPS encrypts its values, and the gate has no key. Keep only secrets in such a file, and move values that decide routes, TLS or permissions to one that is not encrypted. ${acceptance(files)}`
    default:
      return remedy ?? causeText(cause).remedy
  }
}

/** Equal for files for which a reader can do the same. */
export function remedyKey(file: LedgerEntry): string {
  return obstacleOf(file) ?? file.remedy ?? ''
}

/** What keeps a reader from following the remedy of a cause; none where a line of another file names the cause. */
function obstacleOf({ change, isGone, isEncrypted, place }: LedgerEntry): 'removed' | 'encrypted' | undefined {
  if (place?.path !== undefined) return undefined
  return change === 'removed' || isGone ? 'removed' : isEncrypted ? 'encrypted' : undefined
}

/** The lines of config that accept changes of files. */
function acceptance(files: readonly LedgerEntry[]): string {
  const lines = files
    .slice(0, most)
    .map(
      ({ path }) => `\`- {rule: ${notJudgedRule}, path: ${JSON.stringify(path)}, reason: WHY, expires: YYYY-MM-DD}\``,
    )
  const rest = files.length > most ? ' and so on' : ''
  return `To accept it, first merge ${lines.join(', ')}${rest} under \`exceptions:\` of the config.`
}
