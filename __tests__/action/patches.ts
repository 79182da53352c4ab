import { structuredPatch } from 'diff'

/** The patch of a file as GitHub gives it: hunks without the names above them. */
export function patchOf(before = '', after = ''): string {
  const { hunks } = structuredPatch('a', 'a', before, after, '', '', { context: 3 })
  return hunks
    .flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => {
      const [from, to] = [oldLines === 0 ? oldStart - 1 : oldStart, newLines === 0 ? newStart - 1 : newStart]
      return [`@@ -${from},${oldLines} +${to},${newLines} @@`, ...lines]
    })
    .join('\n')
}
