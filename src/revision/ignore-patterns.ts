import { minimatch } from 'minimatch'
import { goGlob, isBoundedGlob } from './glob'

/** A pattern of a `.gitignore` or `.sourceignore`. */
export interface IgnorePattern {
  /** The folders above its file. */
  readonly folders: readonly string[]
  readonly includes: boolean
  readonly foldersOnly: boolean
  /** Whether it is matched from its folder on, and not by any single name. */
  readonly anchored: boolean
  readonly parts: readonly PatternSegment[]
}

/** A segment of a pattern: any number of folders, an empty one, or names. */
type PatternSegment = '**' | '' | ((name: string) => boolean)

/**
 * The patterns of a file. Flux reads them with go-git, which differs from Git: a file below an excluded folder can be
 * included again. https://github.com/go-git/go-git/blob/v5.16.4/plumbing/format/gitignore/pattern.go
 *
 * @param file the path of the file; its patterns are for what is next to it and below
 */
export function ignorePatternsIn(text: string, file = ''): IgnorePattern[] {
  const folders = file.split('/').slice(0, -1)
  return text.split(/\r?\n/).flatMap((line) => {
    if (line.startsWith('#') || line.trim() === '') return []
    const includes = line.startsWith('!')
    const behind = includes ? line.slice(1) : line
    const trimmed = behind.endsWith('\\ ') ? behind : behind.replace(/(?<! ) +$/, '')
    const foldersOnly = trimmed.endsWith('/')
    const pattern = foldersOnly ? trimmed.slice(0, -1) : trimmed
    const anchored = pattern.includes('/')
    return [{ folders, includes, foldersOnly, anchored, parts: pattern.split('/').map((one) => partOf(one, anchored)) }]
  })
}

function partOf(written: string, anchored: boolean): PatternSegment {
  if (anchored && (written === '**' || written === '')) return written
  // Go's filepath.Match knows no `**` and no braces; go-git matches nothing with two stars next to other characters.
  if ((anchored && written.includes('**')) || !isBoundedGlob(written)) return () => false
  return minimatch.filter(written, goGlob)
}

/** Whether a pattern matches a path, given by its names. */
export function takes({ folders, foldersOnly, anchored, parts }: IgnorePattern, file: readonly string[]): boolean {
  if (file.length <= folders.length || folders.some((folder, index) => file[index] !== folder)) return false
  const own = file.slice(folders.length)
  if (anchored) return takesFrom(parts, own, foldersOnly)
  const [matches] = parts
  if (typeof matches !== 'function') return false
  const at = own.findIndex((name) => matches(name))
  return at !== -1 && !(foldersOnly && at === own.length - 1)
}

/** Matches without backtracking: after `**` the first folder that matches the next segment is used. */
function takesFrom(parts: readonly PatternSegment[], file: readonly string[], foldersOnly: boolean): boolean {
  let at = 0
  let isFound = false
  let mayPass = false
  for (const [index, part] of parts.entries()) {
    if (part === '') {
      mayPass = false
      continue
    }
    if (part === '**') {
      if (index === parts.length - 1) break
      mayPass = true
      continue
    }
    if (at >= file.length) return false
    if (mayPass) {
      const next = file.findIndex((name, place) => place >= at && part(name))
      isFound = next !== -1
      at = isFound ? next + 1 : file.length
      mayPass = false
    } else {
      if (!part(file[at] ?? '')) return false
      isFound = true
      at++
    }
  }
  return isFound && !(foldersOnly && at >= file.length)
}
