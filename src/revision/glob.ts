/** The options by which minimatch matches as Go's `path.Match` does, which knows no `**`, no braces and no comments. */
export const goGlob = {
  dot: true,
  nobrace: true,
  noext: true,
  noglobstar: true,
  nocomment: true,
  nonegate: true,
} as const

/** Whether a pattern has a usual form: others may take longer to match than the time limit of a run. */
export function isBoundedGlob(pattern: string): boolean {
  const segments = pattern.split('/')
  const deep = segments.filter((segment) => segment.includes('**')).length
  return pattern.length <= 1000 && deep <= 3 && segments.every((segment) => segment.split('*').length <= 4)
}
