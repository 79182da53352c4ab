import * as Type from 'typebox'
import written from '../../../facts/api-groups.yaml'
import { append } from '../../append'
import { day, factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { droppedKinds } from './api-facts'
import { groupOf, stableKinds, stableVersionsOf } from './served-apis'

/** `facts/api-groups.yaml`. */
export const ApiGroupsFile = factsFile({
  read: Type.Object({ releases: texts, source: proof.source, checked: day }, strict),
  kubernetes: Type.Array(Type.Object({ group: Type.String(), kinds: Type.Array(text) }, strict)),
  extensions: Type.Array(Type.Object({ apiVersion: text, kinds: texts, source: proof.source }, strict)),
})

const facts = factsIn(ApiGroupsFile, written)

/** All kinds of each group whose kinds are known. */
const kindsOf = new Map<string, Set<string>>()
/** The groups of extensions that have a kind, each by the newest apiVersion with it. */
const extensionsWith = new Map<string, string[]>()
/** The groups of Kubernetes that have a kind in a stable version. */
const groupsWith = new Map<string, Set<string>>()

for (const { group, kinds } of facts.kubernetes) kindsOf.set(group, new Set(kinds))
for (const { apiVersion, kinds } of facts.extensions) {
  const group = groupOf(apiVersion)
  kindsOf.set(group, new Set([...(kindsOf.get(group) ?? []), ...kinds]))
  for (const kind of kinds) append(extensionsWith, kind, apiVersion)
}
for (const api of droppedKinds) kindsOf.get(groupOf(api))?.add(kindIn(api))
for (const api of stableKinds) {
  const [group, kind] = [groupOf(api), kindIn(api)]
  kindsOf.get(group)?.add(kind)
  groupsWith.set(kind, (groupsWith.get(kind) ?? new Set()).add(group))
}

function kindIn(api: string): string {
  return api.slice(api.lastIndexOf('/') + 1)
}

/** The kinds whose names are plural already. */
const plurals = new Set(['Endpoints', 'SecurityContextConstraints'])

const resourcesOf = new Map([...kindsOf].map(([group, kinds]) => [group, new Set([...kinds].map(resourceOf))] as const))

/** The names of all resources of a group, without subresources; undefined for a group whose kinds are not known. */
export function resourcesOfGroup(group: string): ReadonlySet<string> | undefined {
  return resourcesOf.get(group)
}

/** `networkpolicies` of `NetworkPolicy`: the name that requests and roles have for a kind. */
function resourceOf(kind: string): string {
  const name = kind.toLowerCase()
  if (plurals.has(kind)) return name
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`
  return name.endsWith('s') ? `${name}es` : `${name}s`
}

/**
 * The apiVersion of a kind that is of one other group than the one it is written in. None where the written group has
 * the kind, in any release, or where its kinds are not known; none where no known group has the kind, or several have it.
 */
export function rightApiVersion(apiVersion: string, kind: string): string | undefined {
  const kinds = kindsOf.get(groupOf(apiVersion))
  if (!kinds || kinds.has(kind)) return undefined
  const ofKubernetes = [...(groupsWith.get(kind) ?? [])].map((group) => stableVersionsOf(group, kind).at(-1))
  const [only, ...others] = [...ofKubernetes, ...(extensionsWith.get(kind) ?? [])]
  return others.length === 0 ? only : undefined
}
