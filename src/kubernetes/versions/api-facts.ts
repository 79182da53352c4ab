import * as Type from 'typebox'
import rows from '../../../facts/api-lifecycle.yaml'
import { compareVersions, parseVersion, type Version } from '../../cluster/version'
import { factsFile, factsIn, proof, release, strict } from '../facts-format/facts-file'
import { oldestSupported } from './supported-releases'

const apiVersion = Type.String({ pattern: '^[a-z0-9.]+/v\\d+[a-z0-9]*$' })

const ApiKind = Type.Object(
  {
    kind: Type.String({ minLength: 1 }),
    introduced: release,
    deprecated: release,
    /** The first release that does not serve it. */
    removed: release,
    /** The apiVersion that came instead. */
    replacement: Type.Optional(apiVersion),
    /** Only the apiVersion has to change. */
    same: Type.Optional(Type.Boolean()),
  },
  strict,
)

/** `facts/api-lifecycle.yaml`. */
export const ApiFactsFile = factsFile({
  apis: Type.Array(
    Type.Object(
      {
        apiVersion,
        ...proof,
        kinds: Type.Array(ApiKind, { minItems: 1 }),
      },
      strict,
    ),
  ),
})

/** The life of a kind in an API version that Kubernetes drops. */
export interface ApiLife {
  readonly removed: string
  /** The apiVersion to write instead; none where Kubernetes has none. */
  readonly replacement: string | undefined
  /** Only the apiVersion has to change. */
  readonly same: boolean
}

const lives = new Map(
  factsIn(ApiFactsFile, rows).apis.flatMap(({ apiVersion, kinds }) =>
    kinds.map((life) => [`${apiVersion} ${life.kind}`, life] as const),
  ),
)

/** The API versions that some release of Kubernetes drops. */
export const droppedApiVersions: readonly string[] = [
  ...new Set(factsIn(ApiFactsFile, rows).apis.map(({ apiVersion }) => apiVersion)),
]

/** The kinds that some release of Kubernetes drops in an API version, each with it: `apps/v1beta1/Deployment`. */
export const droppedKinds: readonly string[] = factsIn(ApiFactsFile, rows).apis.flatMap(({ apiVersion, kinds }) =>
  kinds.map(({ kind }) => `${apiVersion}/${kind}`),
)

/**
 * Whether no release of Kubernetes that is supported on a day serves a kind that a group had, nor one in its place:
 * PodSecurityPolicy.
 */
export function isRetired(group: string, kind: string, today: string): boolean {
  const version = parseVersion(oldestSupported(today))
  return [...lives].some(
    ([key, { removed, replacement }]) =>
      key.startsWith(`${group}/`) &&
      key.endsWith(` ${kind}`) &&
      replacement === undefined &&
      version !== undefined &&
      !isServed(removed, version),
  )
}

/** Whether some release of Kubernetes drops a kind in an API version. */
export function isDropped(apiVersion: string, kind: string): boolean {
  return lives.has(`${apiVersion} ${kind}`)
}

/**
 * The release that removes a kind in an API version, and the version that the given release of Kubernetes serves
 * instead.
 */
export function apiLife(apiVersion: string, kind: string, kubernetes: Version): ApiLife | undefined {
  const life = lives.get(`${apiVersion} ${kind}`)
  if (!life) return undefined
  const { removed, replacement, same = false } = life
  // The replacement may be removed by now, too.
  const next = replacement === undefined ? undefined : apiLife(replacement, kind, kubernetes)
  if (!next || isServed(next.removed, kubernetes)) return { removed, replacement, same }
  return { removed, replacement: next.replacement, same: same && next.same }
}

/** Whether a release of Kubernetes is before the one that removes an API. */
export function isServed(removed: string, kubernetes: Version): boolean {
  const release = parseVersion(removed)
  return release === undefined || compareVersions(kubernetes, release) < 0
}

/** The beta APIs that a release of Kubernetes serves, with their kinds: `policy/v1beta1/PodDisruptionBudget`. */
export function betasOf(kubernetes: Version): string[] {
  const isOld = ({ introduced, removed }: { readonly introduced: string; readonly removed: string }) => {
    const since = parseVersion(introduced)
    return since !== undefined && compareVersions(since, kubernetes) <= 0 && isServed(removed, kubernetes)
  }
  return factsIn(ApiFactsFile, rows).apis.flatMap(({ apiVersion, kinds }) =>
    apiVersion.includes('beta') ? kinds.filter(isOld).map(({ kind }) => `${apiVersion}/${kind}`) : [],
  )
}
