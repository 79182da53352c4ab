import semver from 'semver'
import Type, { type Static } from 'typebox'
// Written by `npm run facts` from policies/facts/version-skew.yaml.
import written from './skew-facts.json' with { type: 'json' }
import type { Version } from './version'

const strict = { additionalProperties: false }

/** `policies/facts/version-skew.yaml`. */
export const SkewFactsFile = Type.Object(
  {
    format: Type.Literal(1),
    parts: Type.Array(
      Type.Object(
        {
          part: Type.Enum(['kubelet', 'kube-proxy']),
          releases: Type.String({ minLength: 1 }),
          behind: Type.Integer({ minimum: 0 }),
          source: Type.String({ pattern: '^https://' }),
          checked: Type.String({ format: 'date' }),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type SkewFactsFile = Static<typeof SkewFactsFile>

/** By how many minor releases a part of a node may be behind the API server. */
export function mostBehind(part: 'kubelet' | 'kube-proxy', { major, minor }: Version): number {
  const fits = ({ releases }: { releases: string }) => semver.satisfies(`${major}.${minor}.0`, releases)
  return (written as SkewFactsFile).parts.find((row) => row.part === part && fits(row))?.behind ?? 0
}
