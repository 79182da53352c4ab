import path from 'node:path/posix'
import { minimatch } from 'minimatch'
import { entryOf } from '../entry'
import type { Manifest } from '../manifest/manifest'
import { isBoundedGlob } from '../revision/glob'
import { type Fields, fieldsOf, listOf, textOf } from '../sources/untyped'
import { readApplication } from './argocd'
import type { GitOpsSources } from './gitops-sources'

/** The values of a generator for one Application, by the name a template uses. */
export type Element = Readonly<Record<string, string>>

/** Reads the Applications of an ApplicationSet whose elements are in the object or in the repository. */
export function readApplicationSet(manifest: Manifest, named: GitOpsSources): void {
  const spec = fieldsOf(manifest.root.at('spec').value)
  if (spec.templatePatch !== undefined) {
    named.skip(manifest, 'its templatePatch is not supported')
    return
  }
  for (const generator of listOf(spec.generators).map(fieldsOf)) {
    const elements = elementsOf(generator, spec.goTemplate === true, named)
    if (typeof elements === 'string') {
      named.skip(manifest, elements)
      continue
    }
    for (const element of elements) {
      const filled = fieldsOf(fill(spec.template, element))
      const filledText = JSON.stringify(filled)
      const from = filledText.indexOf('{{')
      const to = from === -1 ? -1 : filledText.indexOf('}}', from)
      const placeholder = to === -1 ? undefined : filledText.slice(from, to + 2)
      if (placeholder) {
        named.skip(manifest, `${placeholder} in its template cannot be filled in`)
        break
      }
      readApplication(manifest, textOf(fieldsOf(filled.metadata).name), filled.spec, named)
    }
  }
}

/** The elements of a generator, or why they are not known. */
export function elementsOf(generator: Fields, goTemplate: boolean, named: GitOpsSources): readonly Element[] | string {
  const kinds = Object.keys(generator).filter((key) => key !== 'selector')
  const kind = kinds.join(', ') || '(none)'
  if (generator.selector !== undefined) return `the selector of its generator ${kind} is not supported`
  if (kinds.some((one) => fieldsOf(entryOf(generator, one)).template !== undefined))
    return `the template of its generator ${kind} is not supported`
  const { elements } = fieldsOf(generator.list)
  if (Array.isArray(elements)) return elements.map((element) => flattened(fieldsOf(element)))
  const git = fieldsOf(generator.git)
  if (!Array.isArray(git.directories))
    return `its generator ${kind} is not supported; only lists of elements and git directories are`
  const url = textOf(git.repoURL)
  if (!named.isHere(url, '')) return `the directories of ${url} are not in this repository`
  if (!git.directories.every((rule) => isBoundedGlob(textOf(fieldsOf(rule).path))))
    return `the patterns of its generator ${kind} are not supported`
  const values = flattened(fieldsOf(git.values), 'values.')
  return matching(git.directories.map(fieldsOf), named).map((folder) => ({
    ...elementOfFolder(folder, goTemplate),
    ...values,
  }))
}

/** The folders that some rule takes and none leaves out; those that begin with a dot are never taken. */
function matching(rules: readonly Fields[], { repositoryIndex: { checkout } }: GitOpsSources): string[] {
  const folders = new Set<string>()
  for (const file of checkout.tree.entries.keys()) {
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) folders.add(file.slice(0, end))
  }
  // Matches like Go's path.Match, in which no star crosses a slash.
  const tests = rules.map((rule) => ({
    excludes: rule.exclude === true,
    matches: minimatch.filter(textOf(rule.path), { noglobstar: true, nobrace: true }),
  }))
  const isMatched = (folder: string, byExcluding: boolean) =>
    tests.some(({ excludes, matches }) => excludes === byExcluding && matches(folder))
  return [...folders].filter((folder) => isMatched(folder, false) && !isMatched(folder, true)).sort()
}

/** https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/ */
export function elementOfFolder(folder: string, goTemplate: boolean): Element {
  const basename = path.basename(folder)
  const segments = folder.split('/')
  const named = {
    'path.basename': basename,
    'path.basenameNormalized': basename
      .toLowerCase()
      .replace(/[^-a-z0-9.]/g, '-')
      .replace(/^[-.]+|(?<![-.])[-.]+$/g, ''),
  }
  return goTemplate
    ? { ...named, 'path.path': folder, ...indexed('path.segments', segments) }
    : { ...named, path: folder, ...indexed('path', segments) }
}

function indexed(name: string, items: readonly string[]): Element {
  return Object.fromEntries(items.map((item, index) => [`${name}[${index}]`, item]))
}

/** Fills `{{name}}`, `{{ .name }}` and `{{ index .list 0 }}` into every string of a template. */
export function fill(value: unknown, element: Element): unknown {
  if (typeof value === 'string')
    return value.replace(
      /\{\{-?\s*(?:index\s+\.([\w.]+)\s+(\d+)|\.?([\w.[\]-]+?))\s*-?\}\}/g,
      (written, list: string | undefined, index: string, name: string) =>
        entryOf(element, list === undefined ? name : `${list}[${index}]`) ?? written,
    )
  if (Array.isArray(value)) return value.map((item) => fill(item, element))
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, element)]))
  return value
}

function flattened(value: Fields, prefix = ''): Element {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      const name = `${prefix}${key}`
      if (Array.isArray(item)) return Object.entries(indexed(name, item.map(textOf)))
      return item !== null && typeof item === 'object'
        ? Object.entries(flattened(item as Fields, `${name}.`))
        : [[name, textOf(item)]]
    }),
  )
}
