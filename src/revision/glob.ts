/** Whether a pattern is of those that people write: others may take longer to try than a run has. */
export function isBoundedGlob(pattern: string): boolean {
  const segments = pattern.split('/')
  const deep = segments.filter((segment) => segment.includes('**')).length
  return pattern.length <= 1000 && deep <= 3 && segments.every((segment) => segment.split('*').length <= 4)
}
