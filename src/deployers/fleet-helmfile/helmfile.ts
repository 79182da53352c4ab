import path from 'node:path/posix'
import { layoutFolderOf } from '../../cluster/clusters'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { startOf } from '../../region'
import { inside } from '../../sources/kustomization'
import type { Source } from '../../sources/source'
import { textOf } from '../../sources/untyped'
import { documentsIn } from '../common/document'
import { FileDeployments } from '../common/file-deployments'
import { filesFor, filledPath } from './helmfile-paths'
import { type Helmfile, readHelmfileRelease } from './helmfile-release'
import { linesInBlocks, plainPartsOf } from './plain-parts'

const byName = /(?:^|\/)(?:helmfile\.ya?ml|helmfile\.d\/[^/]+\.ya?ml)(?:\.gotmpl)?$/

/** More files or releases than these are no one's work. */
export const most = { bases: 50, releases: 1000, environments: 30, globs: 200, names: 20, characters: 500 }

/** Words in helmfiles of other names: each has one of these. */
export const helmfileWord = 'releases'
export const helmfilesWord = 'helmfiles'

/** Whether a file may be helmfile's: it takes a file of any name by `--file`. */
export function mayBeHelmfile(file: string, text: string): boolean {
  if (byName.test(file)) return true
  if (text.includes(helmfilesWord) && listsHelmfiles.test(text)) return true
  return text.includes(helmfileWord) && /^["']?releases["']?\s*:/m.test(text) && /\bchart["']?\s*:/.test(text)
}

const listsHelmfiles = /^["']?helmfiles["']?[ \t]*:/m

/** Whether a file has a name that helmfile takes by itself. */
export function isHelmfile(file: string): boolean {
  return byName.test(file)
}

/** Whether helmfile reads a file by its default name. */
export function isDefaultHelmfile(file: string): boolean {
  return ['helmfile.yaml', 'helmfile.yaml.gotmpl'].includes(path.basename(file))
}

/** Whether a helmfile may have releases that are known only once it is filled in. */
export function mayNeedFilling(text: string): boolean {
  return /\{\{|\.gotmpl|\b(?:inherit|bases)["']?\s*:/.test(text)
}

/** Whether a helmfile may be laid over another one, whose templates its releases then inherit. */
export function mayHaveBase(text: string, base: string): boolean {
  return /\bbases["']?\s*:/.test(text) && text.includes(path.basename(base))
}

/** Whether a file may be a helmfile although it is no YAML: other helmfiles name templates of any name. */
export function isTemplateOfHelmfile(file: string): boolean {
  return /\.ya?ml\.gotmpl$/.test(file)
}

/**
 * Reads a helmfile: releases in plain YAML. The content of a template is listed by its releases.
 * https://helmfile.readthedocs.io/en/stable/
 */
export async function readHelmfile(file: string, text: string, deployments: FileDeployments): Promise<void> {
  const { documents, faults } = documentsIn(file, text)
  const isTemplate =
    (isTemplateOfHelmfile(file) && text.includes('{{')) ||
    faults.some(({ reason }) => reason.startsWith('it is a template'))
  if (isTemplate) {
    if (!byName.test(file) && entriesIn(text).next().done && !listsHelmfiles.test(text)) return
    deployments.files.add(file)
    deployments.templates.add(file)
    await readPlainParts(file, text, deployments)
    return
  }
  if (!byName.test(file) && !documents.some((one) => holdsReleases(one) || holdsHelmfiles(one))) return
  deployments.files.add(file)
  if (faults.length > 0 && byName.test(file)) {
    for (const { reason, region } of faults) deployments.unread.push({ path: file, region, reason, unreadable: true })
  }
  await readDocuments(file, documents, deployments, { isTemplate: false })
}

/**
 * Reads the releases of remote charts that a template names in plain YAML: their values can be judged alone. Only
 * helmfile knows which of the releases are installed, and with which further values.
 */
async function readPlainParts(file: string, text: string, deployments: FileDeployments): Promise<void> {
  const { documents, faults } = documentsIn(file, plainPartsOf(text))
  if (faults.length > 0) return
  const found = new FileDeployments(deployments.surroundings)
  await readDocuments(file, documents, found, { isTemplate: true })
  deployments.releases.push(...found.releases)
  deployments.taken.push(...found.taken)
  const uncertain = linesInBlocks(text)
  deployments.missing.push(...found.missing.filter(({ region }) => !uncertain.has(region.startLine)))
}

async function readDocuments(
  file: string,
  documents: readonly Manifest[],
  deployments: FileDeployments,
  { isTemplate }: Pick<Helmfile, 'isTemplate'>,
): Promise<void> {
  if (documents.some(({ root }) => root.at('apiVersion').exists && root.at('kind').exists)) return
  const folder = folderOf(file)
  const bases = await basesOf(folder, documents, deployments)
  const parts = [...bases, ...documents]
  const named = (key: string) => parts.map(({ root }) => root.at(key)).filter(({ exists }) => exists)
  const repositories = named('repositories')
    .flatMap((list) => [...list.items()])
    .map((one) => [textOf(one.at('name').value), urlOf(one)] as const)
  for (const [, url] of repositories) deployments.places.add(url)
  const environments = [...new Set(named('environments').flatMap((list) => [...list.entries()].map(([name]) => name)))]
  const helmfile: Helmfile = {
    folder,
    path: file,
    repositories: new Map(repositories),
    namespace: textOf(named('namespace').at(-1)?.value),
    cluster: clusterOf(file),
    environment: environments.length > 1 ? undefined : (environments[0] ?? 'default'),
    isTemplate,
    passesOverMissing: named('missingFileHandler').some(({ value }) => value !== 'Error'),
    deployments,
  }
  takeValuesOfEnvironments(file, parts, deployments)
  // The list of the last part replaces the others.
  const own = documents.map(({ root }) => root.at('releases')).findLast(({ exists }) => exists)
  const releases = [...(own?.items() ?? [])]
  if (environments.length > most.environments) {
    const [list] = named('environments')
    const reason = `it has ${environments.length} environments; only the first ${most.environments} are read`
    if (list) deployments.skip(list, reason)
  }
  const [beyond] = releases.slice(most.releases)
  if (beyond) deployments.skip(beyond, `it has ${releases.length} releases; only the first ${most.releases} are read`)
  for (const release of releases.slice(0, most.releases)) {
    const own = environmentsOf(release, environments.slice(0, most.environments), helmfile)
    for (const one of own.length > 0 ? own : [helmfile]) await readHelmfileRelease(release, one)
  }
}

/** The environments that have files of their own for a release; each is deployed to another cluster. */
function environmentsOf(release: Cursor, names: readonly string[], helmfile: Helmfile): readonly Helmfile[] {
  const { checkout } = helmfile.deployments.surroundings
  const paths = [...release.at('values').items()].map(({ value }) => textOf(value))
  const templated = paths.filter((one) => one.includes('.Environment.Name'))
  if (names.length < 2 || templated.length === 0) return []
  const variables = { name: textOf(release.at('name').value), namespace: helmfile.namespace }
  return names
    .filter((environment) =>
      templated.some((one) => {
        const place = inside(helmfile.folder, filledPath(one, { ...variables, environment }))
        return place !== undefined && checkout.has(place)
      }),
    )
    .map((environment) => ({ ...helmfile, environment, cluster: helmfile.cluster || environment }))
}

/** Whether a document lists releases as helmfile does. */
function holdsReleases({ root }: Manifest): boolean {
  const releases = [...root.at('releases').items()]
  return (
    releases.length > 0 &&
    releases.every((one) => textOf(one.at('name').value) !== '' && (one.at('chart').exists || one.at('inherit').exists))
  )
}

/** Whether a document lists other helmfiles, as helmfile does. */
function holdsHelmfiles({ root }: Manifest): boolean {
  const paths = [...root.at('helmfiles').items()].map((one) => textOf(one.at('path').value) || textOf(one.value))
  return paths.length > 0 && paths.every((one) => one !== '')
}

/** A file with another name is passed to helmfile explicitly, and each may be deployed to another cluster. */
function clusterOf(file: string): string {
  return byName.test(file) || layoutFolderOf(file) !== undefined ? '' : file
}

/** The plain states that a helmfile is laid over; they have no bases of their own. */
async function basesOf(
  folder: string,
  documents: readonly Manifest[],
  deployments: FileDeployments,
): Promise<readonly Manifest[]> {
  const written = documents.flatMap(({ root }) => [...root.at('bases').items()])
  const found: Manifest[] = []
  const [beyond] = written.slice(most.bases)
  if (beyond) deployments.skip(beyond, `it has ${written.length} bases; only the first ${most.bases} are read`)
  for (const base of written.slice(0, most.bases)) {
    const name = textOf(base.value)
    const place = inside(folder, name)
    const text = place === undefined ? undefined : await deployments.surroundings.checkout.text(place)
    if (place === undefined || text === undefined) {
      const why =
        place === undefined ? 'leads out of this repository, and is not followed' : 'is not in this repository'
      deployments.skip(base, `its base ${name} ${why}`)
      continue
    }
    const read = documentsIn(place, text)
    if (place.endsWith('.gotmpl') || read.faults.length > 0)
      deployments.unread.push({
        path: base.manifest.origin.path,
        region: base.region,
        reason: `its base ${name} is a template, which only helmfile fills in`,
        base: place,
      })
    else found.push(...read.documents)
  }
  return found
}

/** The values of environments and of other helmfiles, from which templates are filled in. */
function takeValuesOfEnvironments(file: string, parts: readonly Manifest[], deployments: FileDeployments): void {
  const templates = 'for templates that only helmfile fills in'
  for (const { root } of parts) {
    const environments = [root, ...[...root.at('environments').entries()].map(([, one]) => one)]
    takeValues(file, environments, `an environment of ${file} uses it ${templates}`, deployments)
    const others = [...root.at('helmfiles').items()]
    takeValues(file, others, `${file} passes it to another helmfile ${templates}`, deployments)
  }
}

function takeValues(file: string, takers: readonly Cursor[], reason: string, deployments: FileDeployments): void {
  const values = takers.flatMap((one) => [...one.at('values').items(), ...one.at('secrets').items()])
  const written = new Set(values.map(({ value }) => textOf(value)).filter(Boolean))
  for (const name of [...written].slice(0, most.globs))
    for (const place of filesFor(folderOf(file), name, deployments.surroundings.checkout))
      deployments.taken.push({ path: place, reason, by: file })
}

function urlOf(repository: Cursor): string {
  const url = textOf(repository.at('url').value)
  return repository.at('oci').value === true && !url.includes('://') ? `oci://${url}` : url
}

/** The parts of the other helmfiles on which the list of a template depends. */
interface Listed {
  /** The names of the releases that are rendered with what fills the template in. */
  readonly judged: ReadonlySet<string> | undefined
  /** Whether another helmfile may have releases that inherit from it. */
  readonly isBase: boolean
}

/** Lists the releases that a template names, and claims the files that it takes. */
export function listTemplate(
  file: string,
  text: string,
  { judged, isBase }: Listed,
  deployments: FileDeployments,
): void {
  const names = [...releaseLines(text).keys()].filter((name) => !judged?.has(name))
  const shown = names.slice(0, most.names).join(', ')
  const more = names.length > most.names ? ` and ${names.length - most.names} more` : ''
  const what = names.length > 0 ? `its releases ${shown}${more} are not judged` : 'its releases are not judged'
  // A base whose releases are all judged where they are filled in.
  if (names.length === 0 && judged !== undefined && judged.size > 0) {
    deployments.templates.delete(file)
    return
  }
  deployments.unread.push({
    path: file,
    region: startOf(1),
    reason: `it is a template, which only helmfile fills in: ${what}`,
    names,
  })
  const reason = `a release in ${file} uses it, and only helmfile fills in that template`
  const used = new Set(deployments.sources.flatMap(valuesFilesOf))
  const own = isBase ? [] : namesIn(text)
  for (const place of filesIn(file, text, own, deployments))
    if (!used.has(place)) deployments.taken.push({ path: place, reason })
}

function valuesFilesOf(source: Source): string[] {
  return source.kind === 'helm' ? source.values.flatMap((one) => ('path' in one ? one.path : [])) : []
}

/** The names of releases in a text that may be no YAML, with their lines. */
export function releaseLines(text: string): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const [name, line] of entriesIn(text)) if (!name.includes('{{') && !names.has(name)) names.set(name, line)
  return names
}

/** An action on a line of its own that prints, as far as its first word shows. */
const prints = /^[ -]*\{\{-? *(?!(?:if|else|end|range|with|define|block)\b|\/\*|\$\w+ *:?=)/

/** A name in a map in braces, as a release may have it that is no entry. */
const namesInBraces = /[{,] *["']?name["']?:/

/**
 * The names of the releases in a text, where they are all written in it; a part of a name that is filled in may be any
 * word.
 */
function namesIn(text: string): readonly string[] {
  const entries = [...entriesIn(text)]
  const depth = entries[0]?.[2] ?? 0
  const mayHaveMore = (line: string) =>
    namesInBraces.test(line) || (line.includes('{{') && line.indexOf('{{') <= depth && prints.test(line))
  if (text.split('\n').some(mayHaveMore)) return []
  const names = entries.map(([name]) => {
    const [plain = '', ...rest] = name.split('{{')
    return rest.length > 0 ? `${plain}*` : name
  })
  return [...new Set(names)].slice(0, most.releases)
}

/** The `name:` of each entry in the list of releases, not deeper, with its place; a part of it may be filled in. */
function* entriesIn(text: string): Generator<readonly [name: string, line: number, column: number], void> {
  let depth: number | undefined
  let isList = false
  for (const [index, line] of text.split('\n').entries()) {
    if (/^["']?[A-Za-z]/.test(line)) isList = /^["']?releases["']?[ \t]*:/.test(line)
    const [, blank = '', mark, name] = /^( *)(- +)?["']?name["']?:[ \t]*["']?([^\s"'#]+)/.exec(line) ?? []
    if (!isList || name === undefined) continue
    const place = blank.length + (mark?.length ?? 0)
    depth ??= place
    if (place === depth) yield [name, index + 1, place]
  }
}

/**
 * The files of the repository that strings of a template name; a variable may be any word.
 *
 * @param names those of its releases, the only words for that variable; empty where they are unknown
 */
function* filesIn(
  file: string,
  text: string,
  names: readonly string[],
  { surroundings: { checkout }, unread }: FileDeployments,
): Iterable<string> {
  const written = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    const isLong = line.length > most.characters
    if (isLong || written.size >= most.globs) {
      const why = isLong
        ? `this line has more than ${most.characters} characters, and is not searched`
        : `it names more than ${most.globs} files, and the rest of it is not searched`
      unread.push({ path: file, region: startOf(index + 1), reason: `${why} for files that its releases use` })
      if (isLong) continue
      break
    }
    // The value of a key, or an item of a list.
    const value = (line.split(' #')[0] ?? '').trim().split(/: |- /).at(-1) ?? ''
    const string = value.replace(/^["']|["']$/g, '')
    if (/\.(?:ya?ml|json)(?:\.gotmpl)?$/.test(string)) written.add(string)
  }
  for (const one of written) {
    const filled = names.map((name) => filledPath(one, { name, namespace: undefined, environment: undefined }))
    for (const path of new Set(names.length > 0 ? filled : [one])) yield* filesFor(folderOf(file), path, checkout)
  }
}

export function folderOf(file: string): string {
  return file.includes('/') ? path.dirname(file) : ''
}
