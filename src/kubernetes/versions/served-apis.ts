import * as Type from 'typebox'
import written from '../../../facts/served-apis.yaml'
import { compareVersions, parseVersion } from '../../cluster/version'
import { day, factsFile, factsIn, proof, release, strict, text, texts } from '../facts-format/facts-file'
import { betasOf } from './api-facts'

const served = { apiVersion: text, kinds: texts }

/** `facts/served-apis.yaml`. */
export const ServedApisFile = factsFile({
  read: Type.Object({ releases: texts, source: proof.source, older: proof.source, checked: day }, strict),
  apis: Type.Array(Type.Object({ ...served, since: Type.Optional(release) }, strict)),
  extensions: Type.Array(Type.Object({ ...served, source: proof.source }, strict)),
})

const facts = factsIn(ServedApisFile, written)

const namesOf = ({ apiVersion, kinds }: { readonly apiVersion: string; readonly kinds: readonly string[] }) =>
  kinds.map((kind) => `${apiVersion}/${kind}`)

/** The APIs of extensions that many clusters have, each with its kind. */
export const extensions: readonly string[] = facts.extensions.flatMap(namesOf)

/** Kinds of Kubernetes by their API, whatever the version. */
export const stableKinds: readonly string[] = facts.apis.flatMap(namesOf)

const groups = new Set([
  ...facts.apis.map(({ apiVersion }) => groupOf(apiVersion)),
  ...['extensions', 'internal.apiserver.k8s.io'],
])

/** The stable API versions of Kubernetes itself: `networking.k8s.io/v1`. */
export const builtInApis: ReadonlySet<string> = new Set(facts.apis.map(({ apiVersion }) => apiVersion))

/** Whether an API is one of Kubernetes itself, `metrics.k8s.io` being none. */
export function isOfKubernetes(api: string): boolean {
  return groups.has(groupOf(api))
}

/** The stable API versions of the kinds of Kubernetes, by group and kind. Every object of a change is looked up here. */
const stableVersions = new Map<string, string[]>()
for (const { apiVersion, kinds } of facts.apis) {
  for (const kind of kinds) {
    const key = `${groupOf(apiVersion)}/${kind}`
    stableVersions.set(key, [...(stableVersions.get(key) ?? []), apiVersion])
  }
}

/**
 * The stable API versions of a kind of Kubernetes, where its group is one of Kubernetes and the kind is known in it:
 * none of a kind that the facts do not have.
 */
export function stableVersionsOf(group: string, kind: string): readonly string[] {
  return stableVersions.get(`${group}/${kind}`) ?? []
}

/** The group of `apps/v1` and of `apps/v1/Deployment`; none of `v1` and `v1/Pod`. */
export function groupOf(api: string): string {
  return /^v\d/.test(api) ? '' : (api.split('/', 1)[0] ?? '')
}

/** The stable APIs that a release of Kubernetes serves, each with its kind, and on request those in beta. */
export function apisOf(version: string, withBetas: boolean): string[] {
  const parsed = parseVersion(version)
  const all = facts.apis.filter(({ since }) => {
    const first = since === undefined ? undefined : parseVersion(since)
    return first === undefined || (parsed !== undefined && compareVersions(first, parsed) <= 0)
  })
  return [...all.flatMap(namesOf), ...(withBetas && parsed ? betasOf(parsed) : [])]
}
