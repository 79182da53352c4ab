/** The path of a file in an archive or a tree, if every tool writes it below the folder it unpacks to. */
export function safePath(name: string): string | undefined {
  if (name.startsWith('/') || /[\\\p{Cc}]/u.test(name) || /^[A-Za-z]:/.test(name)) return undefined
  const parts = name.split('/').filter((part) => part !== '.' && part !== '')
  return parts.length === 0 || parts.includes('..') ? undefined : parts.join('/')
}
