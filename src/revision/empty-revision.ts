import type { Revision } from './revision'

/** A revision without a file. */
export const emptyRevision: Revision = {
  name: 'an empty revision',
  list: async () => [],
  async *read() {},
}
