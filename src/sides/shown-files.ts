import { dirname } from 'node:path/posix'
import type { Discovery } from '../discovery/discover'
import { defaultIgnore } from '../policy/config'
import { isKustomizationFile } from '../revision/kustomization-file'

/**
 * Whether a file is judged although `ignore` excludes it, because it is deployed: always if the glob is a default, and
 * otherwise if the change touches the file or starts to deploy it.
 */
export function showing(
  ignore: readonly string[],
  changed: ReadonlySet<string> | undefined,
  base: Discovery | undefined,
): (file: string) => boolean {
  if (ignore === defaultIgnore) return () => true
  return (file) => {
    if (!changed) return false
    if (changed.has(file) || (base && !base.ignorable.has(file))) return true
    // The files of a Kustomization are known once it is read.
    const beside = `${dirname(file)}/`
    return isKustomizationFile(file) && [...changed].some((path) => path.startsWith(beside))
  }
}
