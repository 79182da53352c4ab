/**
 * The file that is not there, from the root of the repository, by the words of kustomize: it follows links first
 * (api/internal/loader/loadrestrictions.go and kyaml/filesys/fsondisk.go of kubernetes-sigs/kustomize), but not for Flux, which
 * reads any file.
 */
export function absentIn(message: string, folder: string): string | undefined {
  if (!message.includes(': no such file or directory')) return undefined
  return between(message, `evalsymlink failure on '${folder}/`, "'") ?? between(message, `open ${folder}/`, ': no such')
}

function between(message: string, start: string, end: string): string | undefined {
  const from = message.lastIndexOf(start)
  const to = message.indexOf(end, from + start.length)
  return from === -1 || to === -1 ? undefined : message.slice(from + start.length, to)
}
