import type { Report } from '../finding/report'

/** The next steps once a suggested exception is merged; none if a revision is judged whole. */
export function afterMerge({ mode }: Pick<Report, 'mode'>): string[] {
  return mode === 'all'
    ? []
    : [
        'After its merge, update the branch of this change (merge or rebase): the config of its base is the one in force.',
      ]
}
