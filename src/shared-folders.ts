/** The number of upper folders that two files have in common. */
export function sharedFolders(one: string, other: string): number {
  const [own, its] = [one.split('/').slice(0, -1), other.split('/').slice(0, -1)]
  const end = own.findIndex((folder, index) => folder !== its[index])
  return end === -1 ? own.length : end
}
