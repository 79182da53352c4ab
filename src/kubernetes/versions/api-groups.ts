import * as Type from 'typebox'
import written from '../../../facts/api-groups.yaml'
import { append } from '../../append'
import { closest, oneEditFrom } from '../../closest'
import { day, factsFile, factsIn, proof, strict, text, texts } from '../facts-format/facts-file'
import { droppedKinds } from './api-facts'
import { groupOf, stableKinds, stableVersionsOf } from './served-apis'

/** `facts/api-groups.yaml`. */
export const ApiGroupsFile = factsFile({
  read: Type.Object({ releases: texts, source: proof.source, checked: day }, strict),
  kubernetes: Type.Array(Type.Object({ group: Type.String(), kinds: Type.Array(text) }, strict)),
  extensions: Type.Array(
    Type.Object(
      { group: text, former: Type.Optional(Type.Literal(true)), versions: texts, kinds: texts, source: proof.source },
      strict,
    ),
  ),
})

const facts = factsIn(ApiGroupsFile, written)

/** All kinds of each group whose kinds are known. */
const kindsOf = new Map<string, Set<string>>()
/** The groups of extensions that have a kind now, each by the newest apiVersion with it. */
const extensionsWith = new Map<string, string[]>()
/** The apiVersions of the kinds of extensions, by group and kind. */
const extensionVersions = new Map<string, readonly string[]>()
/** The groups of Kubernetes that have a kind in a stable version. */
const groupsWith = new Map<string, Set<string>>()

for (const { group, kinds } of facts.kubernetes) kindsOf.set(group, new Set(kinds))
for (const { group, former, versions, kinds } of facts.extensions) {
  kindsOf.set(group, new Set([...(kindsOf.get(group) ?? []), ...kinds]))
  const apiVersions = versions.map((version) => `${group}/${version}`)
  for (const kind of kinds) {
    extensionVersions.set(`${group}/${kind}`, apiVersions)
    if (!former) append(extensionsWith, kind, apiVersions.at(-1) ?? '')
  }
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
const plurals = new Set(['ArgoRollouts', 'Endpoints', 'EventBus', 'SecurityContextConstraints'])

const resourcesOf = new Map([...kindsOf].map(([group, kinds]) => [group, new Set([...kinds].map(resourceOf))] as const))

const groupsOf = new Map<string, string[]>()
for (const [kind, groups] of groupsWith) for (const group of groups) append(groupsOf, resourceOf(kind), group)
const stable = new Set(groupsOf.keys())
for (const [group, resources] of resourcesOf)
  for (const one of resources) if (!stable.has(one)) append(groupsOf, one, group)

/** The groups whose kinds are known; that of the core has an empty name. */
export const knownGroups: readonly string[] = [...kindsOf.keys()]

/** The names of all resources of a group, without subresources; undefined for a group whose kinds are not known. */
export function resourcesOfGroup(group: string): ReadonlySet<string> | undefined {
  return resourcesOf.get(group)
}

/** The groups that have a resource: those of Kubernetes itself in a stable version, or else those of extensions. */
export function groupsWithResource(resource: string): readonly string[] {
  return groupsOf.get(resource) ?? []
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
  const [only, ...others] = apiVersionsWith(kind)
  return others.length === 0 ? only : undefined
}

/** The newest apiVersion of a kind in each known group that has it. */
function apiVersionsWith(kind: string): string[] {
  const ofKubernetes = [...(groupsWith.get(kind) ?? [])].flatMap((group) => stableVersionsOf(group, kind).at(-1) ?? [])
  return [...ofKubernetes, ...(extensionsWith.get(kind) ?? [])]
}

/** The apiVersion of a kind in the group that a group which is not known is a typing error of. */
export function apiVersionMeant(apiVersion: string, kind: string): string | undefined {
  const group = groupOf(apiVersion)
  const having = apiVersionsWith(kind)
  if (kindsOf.has(group) || having.map(groupOf).includes(group)) return undefined
  const meant = closest(group, having.map(groupOf).filter(Boolean))
  return having.find((one) => meant !== undefined && groupOf(one) === meant)
}

/** The kind of a group that a kind which no known group has is a typing error of. */
export function kindMeant(group: string, kind: string): string | undefined {
  const kinds = kindsOf.get(group)
  return kinds && !kinds.has(kind) && apiVersionsWith(kind).length === 0 ? oneEditFrom(kind, [...kinds]) : undefined
}

/** The kind of a known group that a name is of, where only its letter case differs, or where it is that of the resource. */
export function kindSpelt(group: string, name: string): string | undefined {
  const kinds = [...(kindsOf.get(group) ?? [])]
  const lower = name.toLowerCase()
  return kinds.includes(name) ? undefined : kinds.find((kind) => [kind.toLowerCase(), resourceOf(kind)].includes(lower))
}

/** The apiVersions in which releases have served a kind of an extension, the oldest first; none of other kinds. */
export function extensionVersionsOf(group: string, kind: string): readonly string[] {
  return extensionVersions.get(`${group}/${kind}`) ?? []
}
