import type { PolicyFile } from '../policy/schema'

/**
 * Policies by the SHA-1 of their text. The build writes those of the package into this map: reading them as YAML takes
 * longer than all else that a small run reads.
 */
export const parsedPolicies: ReadonlyMap<string, PolicyFile> = new Map()
