/** A version of Kubernetes as people write it. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number | undefined
}

/** Reads `v1.30.4-eks-a737599`, `1.23`, `1.29.1+k3s1`; a vendor's suffix is not part of the release. */
export function parseVersion(text: string): Version | undefined {
  const match = text.match(/^\s*v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?(?![\d])/)
  if (!match) return undefined
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: match[3] === undefined ? undefined : Number(match[3]),
  }
}

/** Less than, equal to or greater than zero, as for sorting; a missing patch number counts as the first one. */
export function compareVersions(a: Version, b: Version): number {
  return a.major - b.major || a.minor - b.minor || (a.patch ?? 0) - (b.patch ?? 0)
}

/** The number of minor releases that a version is ahead of another; undefined for another major release. */
export function minorsAhead(version: Version, of: Version): number | undefined {
  return version.major === of.major ? version.minor - of.minor : undefined
}

/** The fact with the newest version. */
export function newestOf<F extends { readonly value: string }>(facts: readonly F[]): F | undefined {
  const known = facts.flatMap((fact) => {
    const version = parseVersion(fact.value)
    return version ? [{ fact, version }] : []
  })
  return known.sort((a, b) => compareVersions(b.version, a.version))[0]?.fact
}

/** The first release of the next minor. */
export function nextMinor({ major, minor }: Version): Version {
  return { major, minor: minor + 1, patch: 0 }
}

/** `1.30`: how messages name a minor release. */
export function minorOf({ major, minor }: Version): string {
  return `${major}.${minor}`
}
