import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { entryOf } from '../../entry'
import type { Checkout } from '../../revision/checkout'
import { isBoundedGlob } from '../../revision/glob'
import { inside } from '../../sources/kustomization'

/** The variables that helmfile fills into the paths of a release, as far as the file has them. */
export interface PathVariables {
  readonly name: string
  readonly namespace: string | undefined
  /** The name of the environment, where there is but one. */
  readonly environment: string | undefined
}

/** A path of values with its known variables filled in; templates that are filled in twice have quotes of their own. */
export function filledPath(written: string, { name, namespace, environment }: PathVariables): string {
  const known: Readonly<Record<string, string | undefined>> = {
    'Release.Name': name,
    'Release.Namespace': namespace,
    Namespace: namespace,
    'Environment.Name': environment,
  }
  return unquoted(written).replace(
    /\{\{-? *\.([A-Z][A-Za-z]*(?:\.[A-Z][A-Za-z]*)?) *-?\}\}/g,
    (text, key: string) => entryOf(known, key) ?? text,
  )
}

/** The files of the repository that a path names; where something is filled in, any word may be. */
export function filesFor(folder: string, written: string, checkout: Checkout): readonly string[] {
  const parts = unquoted(written).split('{{')
  const rest = parts.slice(1).map((part) => part.slice(part.indexOf('}}') + 1).slice(1))
  // A path that is filled in entirely is unknown.
  if (!/[A-Za-z0-9]/.test([parts[0], ...rest].join(''))) return []
  const glob = inside(folder, [parts[0], ...rest].join('*').replace(/\*\**/g, '*'))
  if (glob === undefined) return []
  if (!/[*?[]/.test(glob)) return checkout.has(glob) ? [glob] : []
  if (!isBoundedGlob(glob)) return []
  const start = glob.slice(0, glob.search(/[*?[]/))
  const below = checkout.below(start.includes('/') ? path.dirname(`${start}x`) : '')
  return minimatch.match(below, glob, { dot: true, nobrace: true, nocomment: true, nonegate: true, noext: true })
}

/** `{{`{{ .Release.Name }}`}}` after the first rendering. */
function unquoted(written: string): string {
  return written.replaceAll('{{`', '').replaceAll('`}}', '')
}
