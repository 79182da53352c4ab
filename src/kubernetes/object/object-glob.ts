import { Minimatch } from 'minimatch'
import type { ObjectRef } from '../../manifest/manifest'

/**
 * Whether a glob of an exception or a param matches an object: `Kind/namespace/name`, or `Kind/name` for an object
 * without a namespace; minimatch in each part, and `*` alone for everything. A namespace part of `*` also matches
 * objects without a namespace.
 */
export function matchesObject(glob: string, ref: ObjectRef): boolean {
  if (glob === '*') return true
  const [kind = '', ...rest] = glob.split('/')
  const [namespace, name] = rest.length === 1 ? ['', rest[0]] : rest
  return (
    matchesPart(kind, ref.kind) &&
    (namespace === ref.namespace ||
      (namespace !== '' && (namespace === '*' || matchesPart(namespace ?? '', ref.namespace)))) &&
    matchesPart(name ?? '', ref.name)
  )
}

/** More globs than a config has; a long-lived process drops further compiled ones. */
const maxCompiled = 1000
const compiled = new Map<string, Minimatch>()

/** Whether a glob matches one part of an object's name. */
export function matchesPart(glob: string, text: string): boolean {
  const matcher = compiled.get(glob) ?? new Minimatch(glob, { dot: true, nocomment: true, nonegate: true })
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(glob, matcher)
  return matcher.match(text)
}

/** The form that `matchesObject` takes, for schemas. */
export const objectGlobPattern = '^(?:\\*|[^/]+/[^/]+(?:/[^/]+)?)$'
