import { abridged } from '../../listing'
import { startOf } from '../../region'
import { inside } from '../../sources/kustomization'
import type { Source } from '../../sources/source'
import { type Fields, fieldsOf, listOf, textOf } from '../../sources/untyped'
import { documentsIn } from '../common/document'
import { FileDeployments, releaseKey } from '../common/file-deployments'
import type { MissingValues } from '../common/missing-values'
import { folderOf, most, releaseLines } from './helmfile'
import { readHelmfileRelease } from './helmfile-release'
import { environmentOf, partsOf, stateOf } from './helmfile-state'
import { type Environment, filledIn, isMap, laidOver, readsMissingValue } from './helmfile-template'
import { plainPartsOf } from './plain-parts'

/** The releases that are judged although a template makes them: their names, by the file that lists them. */
export type Judged = Map<string, Set<string>>

/**
 * Reads the releases of a helmfile that are known only once it is filled in: of templates, and those that inherit from
 * one. It is filled in for each of its environments, and a release whose chart is in this repository is rendered.
 */
export async function readFilledHelmfile(
  file: string,
  text: string,
  deployments: FileDeployments,
  judged: Judged,
): Promise<void> {
  const lines = new Map([[file, releaseLines(text)]])
  const found = new FileDeployments(deployments.surroundings)
  const unjudged = new Set<string>()
  const written = await partsOf(file, plainPartsOf(text), deployments)
  const environments = [...new Set(written.flatMap((part) => Object.keys(fieldsOf(part.environments))))]
  const names = environments.length > 0 ? environments : ['default']
  const open = names.slice(most.environments)
  const failing: string[] = []
  const unfilled = new Set<string>()
  const outside = new Set<string>()
  for (const name of names.slice(0, most.environments)) {
    const environment = await environmentOf(name, file, written, deployments)
    const state = environment && (await stateOf(file, text, environment, deployments))
    if (!state && environment?.outside.length === 0 && readsMissingValue(text, environment)) failing.push(name)
    else if (!state || state.unfilled.length > 0) open.push(name)
    for (const part of state?.unfilled ?? []) unfilled.add(part)
    for (const one of environment?.outside ?? []) outside.add(one)
    for (const { path, value } of state?.releases ?? []) {
      const made = environment && releaseIn(value, state?.templates ?? {}, environment)
      const { one, filled } = await withFilledValues(made, file, environment, deployments)
      if (!one) {
        unjudged.add(releaseKey(path, textOf(value.name)))
        continue
      }
      if (!lines.has(path)) lines.set(path, releaseLines((await deployments.surroundings.checkout.text(path)) ?? ''))
      const [before, skipped, missing] = [found.sources.length, found.unread.length, found.missing.length]
      const [document] = documentsIn(path, JSON.stringify(one)).documents
      if (document)
        await readHelmfileRelease(document.root, {
          folder: folderOf(file),
          path,
          repositories: state?.repositories ?? new Map(),
          namespace: state?.namespace ?? '',
          cluster: names.length > 1 ? name : '',
          environment: name,
          isTemplate: false,
          passesOverMissing: state?.passesOverMissing ?? false,
          deployments: found,
        })
      const key = releaseKey(path, textOf(one.name))
      if (one.installed !== false && (found.sources.length === before || found.unread.length > skipped))
        unjudged.add(key)
      const files = [file, ...filled, ...(environment?.files ?? []), ...(state?.bases ?? [])]
      const region = startOf(lines.get(path)?.get(textOf(one.name)) ?? 1)
      for (const [index, source] of found.sources.entries())
        if (index >= before)
          found.sources[index] = named(
            {
              ...source,
              declaredAt: { path, region },
              definitionFiles: [...new Set([...(source.definitionFiles ?? []), ...files])],
              ...(source.kind === 'helm' && source.postRenderers
                ? { postRenderers: { ...source.postRenderers, at: { path, region } } }
                : {}),
              ...(environment && environment.outside.length > 0 ? { incomplete: true as const } : {}),
            },
            names.length > 1 ? ` for ${name}` : '',
          )
      for (const its of found.missing.splice(missing))
        found.missing.push(...(await asWritten(its, region.startLine, deployments)))
      for (const [index, its] of found.unread.entries()) if (index >= skipped) found.unread[index] = { ...its, region }
    }
    for (const { path, value } of state?.releases ?? []) addTo(judged, path, textOf(value.name))
  }
  for (const key of unjudged) {
    const [path, name] = JSON.parse(key) as [string, string]
    judged.get(path)?.delete(name)
  }
  take(found, deployments)
  listOutside(file, [...outside], deployments)
  if (failing.length + open.length === names.length) open.push(...failing)
  else listFailing(file, failing, deployments)
  if (open.length > 0) {
    listOpen(file, open, names, [...unfilled], deployments)
    return
  }
  for (const [index, { path, base }] of [...deployments.unread.entries()].reverse())
    if (path === file && base !== undefined) deployments.unread.splice(index, 1)
  if (unjudged.size > 0) return
  deployments.templates.delete(file)
  for (const [index, { by }] of [...deployments.taken.entries()].reverse())
    if (by === file) deployments.taken.splice(index, 1)
}

/** A file that is not there, at the line of its release that writes it; none for a path that is filled in. */
async function asWritten(
  missing: MissingValues,
  release: number,
  { surroundings: { checkout } }: FileDeployments,
): Promise<MissingValues[]> {
  const lines = ((await checkout.text(missing.path)) ?? '').split('\n')
  const at = lines.findIndex((line, index) => index >= release - 1 && line.includes(missing.written))
  return at === -1 ? [] : [{ ...missing, region: startOf(at + 1) }]
}

/** Lists the values files outside of this repository without which environments are filled in. */
function listOutside(file: string, outside: readonly string[], deployments: FileDeployments): void {
  if (outside.length === 0) return
  const [which, be] = [abridged(outside, most.names), outside.length > 1 ? 'are' : 'is']
  deployments.unread.push({
    path: file,
    region: startOf(1),
    reason: `its environments are filled in without ${which}, which ${be} not in this repository`,
  })
}

/**
 * Lists the environments that are not filled in, where others are: a template without any is listed whole. Where some part of
 * each is not, that part is listed.
 */
function listOpen(
  file: string,
  open: readonly string[],
  names: readonly string[],
  unfilled: readonly string[],
  deployments: FileDeployments,
): void {
  const isWhole = open.length === names.length
  if (isWhole && unfilled.length === 0) return
  const what = isWhole
    ? `its parts ${abridged(unfilled, most.names)}`
    : `its environments ${abridged(open, most.names)}`
  const effect = isWhole ? 'what they add is' : 'their releases are'
  deployments.unread.push({
    path: file,
    region: startOf(1),
    reason: `${what} are not filled in, as they need values from elsewhere, secrets or what only helmfile knows, so ${effect} not judged`,
  })
}

/** Lists the environments in which helmfile itself fails, such as a default one that is no one's. */
function listFailing(file: string, failing: readonly string[], { unread }: FileDeployments): void {
  if (failing.length === 0) return
  unread.push({
    path: file,
    region: startOf(1),
    reason: `its environments ${abridged(failing, most.names)} lack values that it reads, so helmfile fails in them, and nothing is judged for them`,
    failing: true,
  })
}

/** Adds what was found to what is known; a release that could be read as it is written stays so. */
function take(found: FileDeployments, deployments: FileDeployments): void {
  deployments.missing.push(...found.missing)
  for (const [file, why] of found.applied) deployments.applied.set(file, why)
  const known = new Set(deployments.sources.map(({ id }) => id))
  const written = new Set(deployments.sources.map(({ declaredAt, ...one }) => releaseKey(declaredAt.path, nameIn(one))))
  const isBetter = (one: Source) => deployments.sources.some(({ id, incomplete }) => id === one.id && incomplete)
  const taken = found.sources.filter((one) =>
    known.has(one.id)
      ? one.incomplete === undefined && isBetter(one)
      : !written.has(releaseKey(one.declaredAt.path, nameIn(one))),
  )
  const replaced = new Set(taken.map(({ id }) => id))
  for (const [index, { id }] of [...deployments.sources.entries()].reverse())
    if (replaced.has(id)) deployments.sources.splice(index, 1)
  deployments.sources.push(...taken)
  const now = new Set(taken.map((one) => releaseKey(one.declaredAt.path, nameIn(one))))
  const isNow = ({ path, release }: { path: string; release?: string }) => now.has(releaseKey(path, release ?? ''))
  for (const [index, one] of [...deployments.unread.entries()].reverse())
    if (isNow(one)) deployments.unread.splice(index, 1)
  for (const [index, { by = '' }] of [...deployments.taken.entries()].reverse())
    if (now.has(by)) deployments.taken.splice(index, 1)
  const listed = new Set<string>()
  for (const one of found.unread) {
    const key = JSON.stringify([one.path, one.release, one.reason])
    if (isNow(one) && !listed.has(key)) deployments.unread.push(one)
    listed.add(key)
  }
}

/** A release whose values in the helmfile are named as those of one environment. */
function named(source: Source, of: string): Source {
  if (source.kind === 'kustomize') return source
  return { ...source, values: source.values.map((one) => ('text' in one ? { ...one, name: `${one.name}${of}` } : one)) }
}

function nameIn(source: object): string {
  return 'release' in source ? textOf(source.release) : ''
}

function addTo(judged: Judged, path: string, name: string): void {
  judged.set(path, (judged.get(path) ?? new Set()).add(name))
}

/** The fields of a release that helmfile fills in once more, with the release's own name. */
const filledTwice = ['name', 'chart', 'namespace', 'version', 'installedTemplate']

/** A release with what it inherits, filled in; undefined where that is unknown. */
function releaseIn(written: Fields, templates: Fields, environment: Environment): Fields | undefined {
  const merged = inherited(written, templates, 0)
  if (!merged) return undefined
  const release = { Release: { Name: textOf(merged.name), Namespace: textOf(merged.namespace) } }
  const fill = (text: string) => filledIn(text, environment, release)
  const made: Record<string, unknown> = { ...merged }
  for (const key of filledTwice) {
    const text = merged[key]
    if (typeof text !== 'string') continue
    const filled = fill(text)
    if (filled === undefined) return undefined
    made[key] = filled
  }
  const paths = listOf(merged.values).map((one) => (typeof one === 'string' ? (fill(one) ?? one) : one))
  const { installedTemplate, condition } = made
  const isOff = typeof installedTemplate === 'string' && installedTemplate.trim() === 'false'
  const [key = ''] = textOf(condition).split('.')
  const state = fieldsOf(fieldsOf(environment.values)[key]).enabled
  return {
    ...made,
    values: paths,
    ...(isOff || (condition !== undefined && state !== true) ? { installed: false } : {}),
  }
}

/** A release with the values that helmfile fills in for it, and their files. */
async function withFilledValues(
  one: Fields | undefined,
  file: string,
  environment: Environment | undefined,
  { surroundings: { checkout } }: FileDeployments,
): Promise<{ one: Fields | undefined; filled: readonly string[] }> {
  if (!one || !environment) return { one: undefined, filled: [] }
  const release = { Release: { Name: textOf(one.name), Namespace: textOf(one.namespace) } }
  const [values, files]: [unknown[], string[]] = [[], []]
  for (const layer of listOf(one.values)) {
    const written = textOf(layer)
    const place = written.endsWith('.gotmpl') ? inside(folderOf(file), written) : undefined
    const text = place === undefined ? undefined : await checkout.text(place)
    const made = text === undefined ? undefined : filledIn(text, environment, release)
    const read = place === undefined || made === undefined ? undefined : documentsIn(place, made)
    const isRead = read !== undefined && read.faults.length === 0 && read.documents.length < 2
    values.push(isRead ? (read.documents[0]?.root.value ?? {}) : layer)
    if (isRead && place !== undefined) files.push(place)
  }
  return { one: { ...one, values }, filled: files }
}

/** A release over the templates that it names: lists are put together, and what is set first stays. */
function inherited(release: Fields, templates: Fields, depth: number): Fields | undefined {
  if (depth > 10) return undefined
  let sum: Fields = {}
  for (const one of listOf(release.inherit).map(fieldsOf)) {
    const template = templates[textOf(one.template)]
    const its = isMap(template) ? inherited(fieldsOf(template), templates, depth + 1) : undefined
    if (!its) return undefined
    const left = new Set(listOf(one.except).map(textOf))
    sum = joined(sum, Object.fromEntries(Object.entries(its).filter(([key]) => !left.has(key))))
  }
  const { inherit: _, ...own } = release
  return joined(sum, own)
}

function joined(sum: Fields, more: Fields): Fields {
  const entries = Object.entries(more).map(([key, value]): [string, unknown] => {
    const there = Object.hasOwn(sum, key) ? sum[key] : undefined
    if (Array.isArray(there) && Array.isArray(value)) return [key, [...there, ...value]]
    if (isMap(there) && isMap(value)) return [key, laidOver(value, there)]
    return [key, there ?? value]
  })
  return { ...sum, ...Object.fromEntries(entries) }
}
