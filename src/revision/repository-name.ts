/**
 * One name for all the ways a repository is written: `https://github.com/Org/repo.git`,
 * `ssh://git@github.com:22/org/repo` and `git@github.com:org/repo` are all `github.com/org/repo`.
 */
export function repositoryName(url: string): string {
  const written = url.trim().toLowerCase()
  const rest = written.replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
  const address = rest.replace(/^[^/@]+@/, '')
  // After a scheme, a colon precedes a port; in scp's syntax, the path.
  const path = rest === written ? address.replace(/^([^/:]+):\/*/, '$1/') : address.replace(/^([^/:]+):\d+(?=\/)/, '$1')
  return path
    .replace(/^(?:www|ssh)\.(?=github\.com\/)/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .replace(/(?<!\/)\/+/g, '/')
}

/** Whether a remote is a folder of this machine, which an object cannot name. */
export function isFolder(remote: string): boolean {
  return /^(?:file:|[./~\\]|[a-z]:[\\/])/i.test(remote.trim())
}
