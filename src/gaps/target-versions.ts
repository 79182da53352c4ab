import { entryOf } from '../entry'
import { groupOf } from '../kubernetes/versions/served-apis'
import { nameOf, type ObjectRef } from '../manifest/manifest'
import type { WrittenPatch } from '../sources/patches'
import { type Fields, fieldsOf, textOf } from '../sources/untyped'

/** An object that was built, by the version in which it is written. */
export interface Built extends ObjectRef {
  readonly apiVersion: string
}

/** The version that a patch misses. */
export interface Missed {
  /** As messages name it: `Ingress shop/web in networking.k8s.io/v1`. */
  readonly has: string
  readonly version: string
}

type Targeted = Pick<WrittenPatch, 'content'> & { readonly selector: { readonly fields: Fields } }

/** Whether a target asks for one version, and not for a pattern of versions. */
export function hasVersion(target: Fields): boolean {
  return /^v\d\w*$/.test(textOf(entryOf(target, 'version')))
}

/** Whether the group and the version of a target let it select an object. */
export function isOfVersion(target: Fields, { apiVersion }: Built): boolean {
  const [version, group = ''] = apiVersion.split('/').reverse()
  const asked = textOf(target.group)
  return (!hasVersion(target) || version === textOf(target.version)) && (!isPlain(asked) || asked === group)
}

/**
 * The version that the target of a patch should have, where it selects nothing by its version alone: that of the objects
 * which it selects without it, or that of the patch itself.
 *
 * @param candidates the objects of its kind and name
 */
export function missedVersion(
  { selector: { fields }, content }: Targeted,
  candidates: readonly Built[],
): Missed | undefined {
  if (!hasVersion(fields)) return undefined
  const [group, version] = [textOf(fields.group), textOf(fields.version)]
  const [first] = candidates.filter(({ apiVersion }) => group === '' || groupOf(apiVersion) === group)
  if (first) return { has: `It builds ${nameOf(first)} in ${first.apiVersion}`, version: versionOf(first.apiVersion) }
  const own = Array.isArray(content) ? {} : fieldsOf(content)
  const apiVersion = textOf(own.apiVersion)
  const isOfTarget = textOf(own.kind) === textOf(fields.kind) && group !== '' && groupOf(apiVersion) === group
  if (candidates.length > 0 || !isOfTarget || versionOf(apiVersion) === version) return undefined
  return { has: `The patch itself is written for ${apiVersion}`, version: versionOf(apiVersion) }
}

function isPlain(group: string): boolean {
  return /^[a-z0-9][a-z0-9.-]*$/.test(group)
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1)
}
