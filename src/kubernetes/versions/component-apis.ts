import { satisfies } from 'semver'
import type { Static } from 'typebox'
import * as Type from 'typebox'
import rows from '../../../facts/component-apis.yaml'
import type { GroupKind } from '../../manifest/manifest'
import { factsFile, factsIn, proof, strict } from '../facts-format/facts-file'
import { groupOf } from './served-apis'

const ComponentApi = Type.Object(
  {
    component: Type.String({ minLength: 1 }),
    apiVersion: Type.String({ pattern: '^[a-z0-9.-]+/v\\d[a-z0-9]*$' }),
    kinds: Type.Array(Type.String({ pattern: '^[A-Z]\\w+$' }), { minItems: 1 }),
    releases: Type.String({ minLength: 1 }),
    /** Whether an upgrade leaves the definitions of the release before in the cluster, which then nothing reads. */
    stays: Type.Optional(Type.Literal(true)),
    /** The kind that replaces these, which no newer release has. */
    instead: Type.Optional(Type.String({ minLength: 1 })),
    ...proof,
  },
  strict,
)
/** Which releases of a component serve kinds of it in one version. */
export type ComponentApi = Static<typeof ComponentApi>

/** `facts/component-apis.yaml`. */
export const ComponentApisFile = factsFile({ rows: Type.Array(ComponentApi) })

export const componentApis: readonly ComponentApi[] = factsIn(ComponentApisFile, rows).rows

/** The kinds that one of the rows is about. */
export const kindsOfApis: readonly GroupKind[] = [
  ...new Set(componentApis.flatMap(({ apiVersion, kinds }) => kinds.map((kind) => groupKindIn(apiVersion, kind)))),
]

export function groupKindIn(apiVersion: string, kind: string): GroupKind {
  return `${kind}.${groupOf(apiVersion)}`
}

/** The newest version in which a release of a component serves a kind; undefined where it serves none. */
export function newestServedBy(component: string, release: string, kind: string): string | undefined {
  return componentApis.findLast(
    (row) => row.component === component && row.kinds.includes(kind) && isServing(row, release),
  )?.apiVersion
}

/** How to write a kind for a release, after "Write it": in another version, or as another kind. */
export function rewrittenFor({ component, instead }: ComponentApi, release: string, kind: string): string | undefined {
  const served = newestServedBy(component, release, kind)
  if (served !== undefined) return `in ${served}`
  return instead === undefined ? undefined : `as ${instead}`
}

/** Whether a release of the component serves the kinds of a row; one that comes before another, such as 2.0.0-rc.1, may. */
export function isServing({ releases }: ComponentApi, release: string): boolean {
  return satisfies(release, releases, { includePrerelease: true })
}
