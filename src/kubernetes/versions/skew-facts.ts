import semver from 'semver'
import * as Type from 'typebox'
import rows from '../../../facts/version-skew.yaml'
import type { Version } from '../../cluster/version'
import { factsFile, factsIn, proof, strict } from '../facts-format/facts-file'

/** `facts/version-skew.yaml`. */
export const SkewFactsFile = factsFile({
  parts: Type.Array(
    Type.Object(
      {
        part: Type.Enum(['kubelet', 'kube-proxy']),
        releases: Type.String({ minLength: 1 }),
        behind: Type.Integer({ minimum: 0 }),
        ...proof,
      },
      strict,
    ),
  ),
})

/** The number of minor releases that a part of a node may be behind the API server. */
export function maxVersionsBehind(part: 'kubelet' | 'kube-proxy', { major, minor }: Version): number {
  const fits = ({ releases }: { releases: string }) => semver.satisfies(`${major}.${minor}.0`, releases)
  return factsIn(SkewFactsFile, rows).parts.find((row) => row.part === part && fits(row))?.behind ?? 0
}
