import type { Bump } from '../finding/bump'
import type { BumpJson } from './bump-schema'

export function bumpJson({ rows, ...bump }: Bump): BumpJson {
  return { ...bump, rows: rows.map(({ goes, comes, ...row }) => ({ ...row, goes: [...goes], comes: [...comes] })) }
}
