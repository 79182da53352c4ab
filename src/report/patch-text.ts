import { structuredPatch } from 'diff'
import type { Patch } from '../finding/edited-text'
import type { Paint } from './terminal'
import { visible } from './words/visible'

/** Patches as a unified diff, in which characters that a terminal would interpret are escaped. */
export function patchText(patches: readonly Patch[], paint: Paint): string {
  return patches.map((patch) => textOf(patch, paint)).join('')
}

function textOf({ path, before, after }: Patch, paint: Paint): string {
  const { hunks } = structuredPatch(path, path, before ?? '', after)
  const name = visible(path)
  const head = [`--- ${before === undefined ? '/dev/null' : `a/${name}`}`, `+++ b/${name}`]
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: shown }) => [
    paint('cyan', `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...shown.map((line) => {
      const written = line.slice(0, 1) + visible(line.slice(1).replace(/\r$/, ''))
      return line.startsWith('+') ? paint('green', written) : line.startsWith('-') ? paint('red', written) : written
    }),
  ])
  return `${[...head.map((line) => paint('bold', line)), ...lines].join('\n')}\n`
}
