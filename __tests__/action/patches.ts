import { structuredPatch } from 'diff'
import type { Delivery } from '../../src/action/deliver'

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

/** An Action that writes nothing but a review. */
export const suggesting: Delivery = {
  annotations: 'none',
  comment: 'never',
  suggestions: true,
  checkName: 'gate',
  token: 'ghs_token',
}
