import type { Side } from '../manifest/manifest'

/** `a/b/c.yaml` → `a`, `a/b`. */
export function ancestors(path: string): string[] {
  const folders: string[] = []
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) folders.push(path.slice(0, end))
  return folders
}

/** The sides of a change as bits of a number. */
export const sideBits: Readonly<Record<Side, number>> = { base: 1, head: 2 }
