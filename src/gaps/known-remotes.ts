/** Whether a remote place is among the known ones, in any version. */
export function isKnown(text: string, knownRemotes: readonly string[]): boolean {
  return knownRemotes.some((one) => withoutVersion(one) === withoutVersion(text))
}

/**
 * `https://github.com/org/repo//deploy?ref=v1` without its `?ref=v1`; a raw file's URL without the branch or tag in it.
 */
export function withoutVersion(url: string): string {
  return url.replace(/\?.*/, '').replace(/\/(?:download\/|raw\/|tags\/)?v?\d[^/]*(?=\/)/g, '/*')
}
