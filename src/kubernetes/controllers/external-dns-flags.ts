import { satisfies } from 'semver'
import flags from '../../../facts/external-dns-flags.yaml'
import { entryOf } from '../../entry'
import { Mapping } from '../../mapping'
import { factsFile, factsIn, proof, text, texts } from '../facts-format/facts-file'

/** `facts/external-dns-flags.yaml` */
export const ExternalDnsFlagsFile = factsFile({
  /** The releases that were read. */
  releases: text,
  /** The flags that all of them know. */
  always: texts,
  /** The flags that some of them know, with these releases. */
  some: Mapping(text),
  /** The flags that are a truth. */
  truths: texts,
  ...proof,
})

const { releases, always, some, truths } = factsIn(ExternalDnsFlagsFile, flags)

/**
 * The releases of ExternalDNS that know a flag; undefined if none of those that were read does. kingpin takes `--no-` before the
 * name of a truth. Source: alecthomas/kingpin v2, parser.go, Next.
 *
 * @param name without its hyphens
 */
export function releasesWithDnsFlag(name: string): string | undefined {
  const positive = name.replace(/^no-/, '')
  const whole = positive !== name && truths.includes(positive) ? positive : name
  return always.includes(whole) ? releases : entryOf(some, whole)
}

/** Whether a release knows a flag; true if the release is unknown or was not read, and another one knows the flag. */
export function knowsDnsFlag(name: string, release: string | undefined): boolean {
  const known = releasesWithDnsFlag(name)
  if (known === undefined) return false
  return release === undefined || !satisfies(release, releases) || satisfies(release, known)
}

/** All flags that a release that was read knows. */
export const dnsFlags: readonly string[] = [...always, ...Object.keys(some)]
