import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { type ArtifactGenerator, type Copy, readArtifactGenerator } from '../../gitops/artifact-generator'
import type { Manifest } from '../../manifest/manifest'
import { goGlob, isBoundedGlob } from '../../revision/glob'
import { inside } from '../../sources/kustomization'
import type { ArtifactContent, ArtifactPart, NotFollowed } from './composed-artifact'

/** The number of folders that a `pathPattern` may match, and of artifacts that are made of all. */
const mostFolders = 300
const mostArtifacts = 3_000

/** An ExternalArtifact that an ArtifactGenerator makes. */
export interface GeneratedArtifact {
  readonly name: string
  readonly generator: Manifest
  readonly sources: ArtifactGenerator['sources']
  readonly copies: readonly Copy[]
}

/**
 * The artifacts of an ArtifactGenerator.
 *
 * @param folders the folders of this repository, for a pattern of paths
 */
export function artifactsOf(generator: Manifest, folders: () => Iterable<string>): GeneratedArtifact[] | NotFollowed {
  const { sources, pathPattern, artifacts } = readArtifactGenerator(generator.root)
  const made = artifacts.map((one) => ({ ...one, generator, sources }))
  if (pathPattern === '') return made
  const found = capturesOf(pathPattern, folders())
  if ('reason' in found) return found
  if (found.length * made.length > mostArtifacts) return { reason: `it makes more than ${mostArtifacts} artifacts` }
  return found.flatMap((captures) =>
    made.map((one) => ({
      ...one,
      // Names are in lower case, paths as they are.
      name: filled(one.name, captures).toLowerCase(),
      copies: one.copies.map((copy) => ({
        ...copy,
        from: filled(copy.from, captures),
        to: filled(copy.to, captures),
      })),
    })),
  )
}

/** The texts by which the folders that match `@alias/apps/{app}` differ. */
function capturesOf(pattern: string, folders: Iterable<string>): ReadonlyMap<string, string>[] | NotFollowed {
  const segments = pattern.replace(/\/$/, '').split('/').slice(1)
  const names = segments.map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1])
  if (segments.some((segment, index) => names[index] === undefined && /[{}*?[\]]/.test(segment)))
    return { reason: `its pathPattern ${pattern} is not read` }
  const found: ReadonlyMap<string, string>[] = []
  for (const folder of folders) {
    const parts = folder.split('/')
    const isMatch = parts.length === segments.length && parts.every((part, at) => names[at] || part === segments[at])
    if (!isMatch) continue
    if (found.length === mostFolders) return { reason: `more than ${mostFolders} folders match ${pattern}` }
    found.push(new Map(parts.flatMap((part, at) => (names[at] ? [[names[at], part] as const] : []))))
  }
  return found
}

function filled(text: string, captures: ReadonlyMap<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (written, name: string) => captures.get(name) ?? written)
}

/**
 * The part of an artifact that a step copies, as `cp` does.
 * https://github.com/fluxcd/source-watcher/blob/v2.2.1/internal/builder/builder.go
 *
 * @param contentOf the artifact of an alias
 */
export function partOf(copy: Copy, contentOf: (alias: string, folder: string) => ArtifactContent): ArtifactPart {
  const [, alias = '', written = ''] = /^@([^/]+)\/(.*)$/.exec(copy.from) ?? []
  const target = /^@artifact\/(.*)$/.exec(copy.to)?.[1]
  const to = target === undefined ? undefined : inside('', target || '.')
  const isGlob = /[*?[\]]/.test(written)
  const contents = /^((?:[^*?[\]]*\/)?)\*\*$/.exec(written)?.[1]
  const from = inside('', (isGlob ? (contents ?? '') : written) || '.')
  const unknown = (reason: string) => ({ to: to ?? '', from: from ?? '', content: { reason }, takes: () => true })
  if (alias === '' || to === undefined || from === undefined)
    return unknown(`it copies ${copy.from} to ${copy.to}, which leads out of it`)
  if (copy.strategy !== 'Overwrite') return unknown(`${copy.from} is put together with other files (${copy.strategy})`)
  if (![...copy.exclude, written].every(isBoundedGlob)) return unknown(`the patterns of ${copy.from} are not read`)
  const content = contentOf(alias, from)
  const excluded = copy.exclude.map((pattern) =>
    minimatch.filter(pattern, { dot: true, matchBase: !pattern.includes('/') }),
  )
  const start = isGlob ? from : ''
  const isExcluded = (place: string) => {
    const folders = place.split('/').map((_, end, all) => all.slice(0, end + 1).join('/'))
    const below = (one: string) => (start === '' ? one : path.relative(start, one))
    return folders.some((one) => excluded.some((matches) => matches(one) || matches(below(one))))
  }
  if (contents !== undefined) return { to, from, content, takes: (place) => !isExcluded(place) }
  if (isGlob) {
    const matches = (place: string) => matchesPart(written, place)
    return { to, from: '', content, takes: (place) => matches(place) && !isExcluded(place) }
  }
  const isFile = isFileOf(content, from)
  // A file can get another name; a folder keeps its own.
  const named = isFile && target !== '' && !copy.to.endsWith('/') ? to : path.join(to, path.basename(from))
  return { to: named === '.' ? '' : named, from, content, takes: (place) => !isExcluded(place) }
}

function isFileOf(content: ArtifactContent, place: string): boolean {
  if ('reason' in content) return false
  return 'files' in content ? content.files.has(place) && content.isFile(place) : content.fileAt(place) !== undefined
}

/** Whether a glob of Go matches a path, a folder above it, or what its start has in common with it. */
function matchesPart(pattern: string, place: string): boolean {
  const [segments, parts] = [pattern.split('/'), place === '' ? [] : place.split('/')]
  const length = Math.min(segments.length, parts.length)
  return minimatch(parts.slice(0, length).join('/'), segments.slice(0, length).join('/'), goGlob)
}
