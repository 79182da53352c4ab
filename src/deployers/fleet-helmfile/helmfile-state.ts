import { inside } from '../../sources/kustomization'
import { type Fields, fieldsOf, listOf, textOf } from '../../sources/untyped'
import { documentsIn } from '../common/document'
import type { FileDeployments } from '../common/file-deployments'
import { folderOf, most } from './helmfile'
import { filledPath } from './helmfile-paths'
import { type Environment, filledIn, filledValues, isMap, laidOver } from './helmfile-template'
import { plainPartsOf } from './plain-parts'

/** The documents of a helmfile and of its bases, as values; parts of templates that are no plain YAML are left out. */
export async function partsOf(file: string, text: string, deployments: FileDeployments): Promise<Fields[]> {
  const own = documentsIn(file, text).documents.map(({ root }) => fieldsOf(root.value))
  const bases = own.flatMap((one) => listOf(one.bases).map(textOf)).slice(0, most.bases)
  const found: Fields[] = []
  for (const base of bases) {
    const place = inside(folderOf(file), base)
    const written = place === undefined ? undefined : await deployments.surroundings.checkout.text(place)
    if (place !== undefined && written !== undefined)
      found.push(...documentsIn(place, plainPartsOf(written)).documents.map(({ root }) => fieldsOf(root.value)))
  }
  return [...found, ...own]
}

/**
 * The values of an environment; undefined where some are not in this repository, or are encrypted. A file outside of it that
 * the helmfile allows to be missing is left out.
 */
export async function environmentOf(
  name: string,
  file: string,
  parts: readonly Fields[],
  { surroundings: { checkout } }: FileDeployments,
): Promise<Environment | undefined> {
  const own = parts.map((part) => fieldsOf(fieldsOf(part.environments)[name]))
  if (own.some(({ secrets }) => listOf(secrets).length > 0)) return undefined
  const mayMiss = [...parts, ...own].some(({ missingFileHandler: is }) => is !== undefined && is !== 'Error')
  let values: object = {}
  const files: string[] = []
  const outside: string[] = []
  for (const layer of [...parts, ...own].flatMap((one) => listOf(one.values))) {
    if (isMap(layer)) {
      values = laidOver(values, layer)
      continue
    }
    const path = filledPath(textOf(layer), { name: '', namespace: '', environment: name })
    if (mayMiss && path.startsWith('/')) {
      outside.push(path)
      continue
    }
    const place = inside(folderOf(file), path)
    if (place === undefined || /\{\{|[*?[]/.test(path)) return undefined
    const text = await checkout.text(place)
    if (text === undefined && mayMiss) continue
    const isTemplate = place.endsWith('.gotmpl')
    const filled = text !== undefined && isTemplate ? filledValues(text, { name, values }) : text
    const read = filled === undefined ? undefined : documentsIn(place, filled)
    const value = read?.documents[0]?.root.value ?? {}
    if (!read || read.faults.length > 0 || read.documents.length > 1 || !isMap(value)) return undefined
    values = laidOver(values, value)
    files.push(place)
  }
  return { name, values, files, outside }
}

/** The content of a helmfile that was filled in for an environment. */
export interface State {
  readonly releases: readonly { readonly path: string; readonly value: Fields }[]
  readonly templates: Fields
  readonly repositories: ReadonlyMap<string, string>
  readonly namespace: string
  readonly passesOverMissing: boolean
  readonly bases: readonly string[]
  /** The bases that cannot be filled in, and the bases and releases over the limit. */
  readonly unfilled: readonly string[]
}

export async function stateOf(
  file: string,
  text: string,
  environment: Environment,
  deployments: FileDeployments,
): Promise<State | undefined> {
  const filled = filledIn(text, environment)
  const read = filled === undefined ? undefined : documentsIn(file, filled)
  if (!read || read.faults.length > 0) return undefined
  const [bases, unfilled, parts]: [string[], string[], Fields[]] = [[], [], []]
  let releases: State['releases'] = []
  for (const { root } of read.documents) {
    const own = fieldsOf(root.value)
    const listed: State['releases'][number][] = []
    const written = listOf(own.bases).map(textOf)
    unfilled.push(...written.slice(most.bases))
    for (const base of written.slice(0, most.bases)) {
      const place = inside(folderOf(file), base)
      const its = place === undefined ? undefined : await deployments.surroundings.checkout.text(place)
      const made = its === undefined ? undefined : filledIn(its, environment)
      const documents = place === undefined || made === undefined ? undefined : documentsIn(place, made)
      if (place === undefined || !documents || documents.faults.length > 0) {
        if (!isOfSettings(its)) unfilled.push(base)
        continue
      }
      bases.push(place)
      for (const one of documents.documents.map((document) => fieldsOf(document.root.value))) {
        parts.push(one)
        listed.push(...listOf(one.releases).map((value) => ({ path: place, value: fieldsOf(value) })))
      }
    }
    parts.push(own)
    listed.push(...listOf(own.releases).map((value) => ({ path: file, value: fieldsOf(value) })))
    // Bases are added to a part, and the list of the last part replaces the others.
    if (listed.length > 0) releases = listed.slice(0, most.releases)
    unfilled.push(...listed.slice(most.releases).map(({ value }) => textOf(value.name)))
  }
  const repositories = parts
    .flatMap((part) => listOf(part.repositories).map(fieldsOf))
    .map(({ name, url, oci }) => [textOf(name), `${oci === true ? 'oci://' : ''}${textOf(url)}`] as const)
  return {
    releases,
    templates: Object.assign({}, ...parts.map(({ templates }) => fieldsOf(templates))),
    repositories: new Map(repositories),
    namespace: textOf(parts.findLast(({ namespace }) => namespace !== undefined)?.namespace),
    passesOverMissing: parts.some(({ missingFileHandler: is }) => is !== undefined && is !== 'Error'),
    bases,
    unfilled,
  }
}

/** The keys of a helmfile that do not change what is deployed. */
const settings: ReadonlySet<string> = new Set(['helmBinary', 'hooks', 'kustomizeBinary', 'lockFilePath'])

/** Whether a base that cannot be filled in has nothing but settings of helmfile itself. */
function isOfSettings(text = ''): boolean {
  const { documents, faults } = documentsIn('', text)
  const keys = documents.flatMap(({ root }) => Object.keys(fieldsOf(root.value)))
  return keys.length > 0 && faults.length === 0 && keys.every((key) => settings.has(key))
}
