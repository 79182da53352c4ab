import type { FileDeployments } from '../common/file-deployments'

/** Helmfiles that a change renames, by their old paths: most of the releases of the old one are in a new one. */
export function movedHelmfiles(base: FileDeployments, head: FileDeployments): Map<string, string> {
  const [before, after] = [namesByFile(base), namesByFile(head)]
  const moved = new Map<string, string>()
  for (const [path, names] of before) {
    if (after.has(path)) continue
    const shared = [...after]
      .filter(([file]) => !before.has(file) && ![...moved.values()].includes(file))
      .map(([file, its]) => ({ file, count: [...names].filter((name) => its.has(name)).length }))
      .sort((a, b) => b.count - a.count)[0]
    if (shared && shared.count * 2 > names.size) moved.set(path, shared.file)
  }
  return moved
}

function namesByFile({ written }: FileDeployments): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const key of written.keys()) {
    const [path, name] = JSON.parse(key) as [string, string]
    found.set(path, (found.get(path) ?? new Set()).add(name))
  }
  return found
}
