import path from 'node:path/posix'
import { entryOf } from '../entry'
import type { Cursor } from '../manifest/cursor'
import type { Element } from './filled-template'
import { normalized } from './template-functions'
import { textAt } from './text'

/**
 * An ApplicationSet, each field where it is written.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/
 */
export interface ApplicationSet {
  readonly generators: readonly Generator[]
  readonly template: Cursor
  readonly templatePatch: Cursor
  readonly goTemplate: boolean
}

/** A generator whose elements are known from the object alone, or from the repository; or why they are unknown. */
export type Generator =
  | { readonly kind: 'list'; readonly elements: readonly Element[] }
  | {
      readonly kind: 'git'
      /** Its kind as messages name it. */
      readonly name: string
      readonly repoURL: string
      readonly directories: readonly PathRule[]
      readonly values: Element
    }
  | {
      readonly kind: 'git files'
      readonly repoURL: string
      readonly files: readonly PathRule[]
      readonly values: Element
    }
  /** Each element of the first with each of the second, which may use the first's. */
  | { readonly kind: 'matrix'; readonly generators: readonly [Generator, Generator] }
  /** The elements of the first generator, with the fields of later ones that have the same keys. */
  | { readonly kind: 'merge'; readonly keys: readonly string[]; readonly generators: readonly Generator[] }
  /** Those elements of a generator that a selector takes. */
  | { readonly kind: 'selected'; readonly selector: Selector; readonly generators: readonly [Generator] }
  /** The clusters that Argo CD knows: its own one is read in place of all. */
  | { readonly kind: 'clusters'; readonly values: Element }
  | { readonly kind: 'unknown'; readonly reason: string }

/** The element of a generator for Argo CD's own cluster. */
export const ownCluster: Element = {
  name: 'in-cluster',
  nameNormalized: 'in-cluster',
  server: 'https://kubernetes.default.svc',
}

/** The reason why the elements of a generator of clusters are unknown. */
export const clustersUnknown =
  'the clusters of its generator clusters are known to Argo CD alone, and not to this repository'

/** Whether the elements of a generator depend on the clusters that Argo CD knows. */
export function isOfClusters(generator: Generator): boolean {
  return generator.kind === 'clusters' || ('generators' in generator && generator.generators.some(isOfClusters))
}

/** A selector of labels, which are the values of an element here. */
export interface Selector {
  readonly labels: Element
  readonly expressions: readonly {
    readonly key: string
    readonly operator: string
    readonly values: readonly string[]
  }[]
}

/** A pattern of paths that are taken or left out. */
export interface PathRule {
  readonly path: string
  readonly exclude: boolean
}

export function readApplicationSet(root: Cursor): ApplicationSet {
  const spec = root.at('spec')
  return {
    generators: [...spec.at('generators').items()].map((one) => generatorAt(one)),
    template: spec.at('template'),
    templatePatch: spec.at('templatePatch'),
    goTemplate: spec.at('goTemplate').value === true,
  }
}

/** The git generators of a list of generators, also those in others. */
export function gitGeneratorsIn(generators: Cursor, depth = 0): { repoURL: Cursor; revision: Cursor }[] {
  return [...generators.items()].flatMap((one) => {
    const git = one.at('git')
    const inner = depth < 3 ? ['matrix', 'merge'].map((kind) => one.at(kind, 'generators')) : []
    const own = git.exists ? [{ repoURL: git.at('repoURL'), revision: git.at('revision') }] : []
    return [...own, ...inner.flatMap((its) => gitGeneratorsIn(its, depth + 1))]
  })
}

/** A generator with its selector, if it has one. */
function generatorAt(generator: Cursor, depth = 0): Generator {
  const one = plainGeneratorAt(generator, depth)
  const selector = generator.at('selector')
  if (!selector.exists || one.kind === 'unknown') return one
  if (isOfClusters(one)) return { kind: 'unknown', reason: clustersUnknown }
  const expressions = [...selector.at('matchExpressions').items()].map((entry) => ({
    key: textAt(entry.at('key')),
    operator: textAt(entry.at('operator')),
    values: [...entry.at('values').items()].map(textAt),
  }))
  const isKnown = expressions.every(({ operator }) => operators.includes(operator))
  if (!isKnown) return { kind: 'unknown', reason: 'the selector of its generator has an unknown operator' }
  return {
    kind: 'selected',
    selector: { labels: flattened(selector.at('matchLabels')), expressions },
    generators: [one],
  }
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors */
export function isSelected(element: Element, { labels, expressions }: Selector): boolean {
  return (
    Object.entries(labels).every(([key, value]) => entryOf(element, key) === value) &&
    expressions.every(({ key, operator, values }) => {
      const value = entryOf(element, key)
      switch (operator) {
        case 'In':
          return value !== undefined && values.includes(value)
        case 'NotIn':
          return value === undefined || !values.includes(value)
        case 'Exists':
          return value !== undefined
        default:
          return value === undefined
      }
    })
  )
}

function plainGeneratorAt(generator: Cursor, depth: number): Generator {
  const kinds = [...generator.entries()].map(([key]) => key).filter((key) => key !== 'selector')
  const name = kinds.join(', ') || '(none)'
  const unknown = (reason: string): Generator => ({ kind: 'unknown', reason })
  if (kinds.some((one) => generator.at(one, 'template').exists))
    return unknown(`the template of its generator ${name} is not supported`)
  const elements = generator.at('list', 'elements')
  if (elements.isList) return { kind: 'list', elements: [...elements.items()].map((one) => flattened(one)) }
  if (kinds.length === 1 && depth < 2) {
    const inner = (kind: string) =>
      [...generator.at(kind, 'generators').items()].map((one) => generatorAt(one, depth + 1))
    const [first, second, third] = inner('matrix')
    // The elements of the second generator may depend on the cluster.
    if (first && second && isOfClusters(first) && JSON.stringify(second).includes('{{')) return unknown(clustersUnknown)
    if (first && second && !third) return { kind: 'matrix', generators: [first, second] }
    const keys = [...generator.at('merge', 'mergeKeys').items()].map(textAt)
    const merged = inner('merge')
    if (merged.some(isOfClusters)) return unknown(clustersUnknown)
    if (keys.length > 0 && merged.length > 1) return { kind: 'merge', keys, generators: merged }
  }
  const git = generator.at('git')
  const rulesOf = (field: string) =>
    [...git.at(field).items()].map((one) => ({
      path: textAt(one.at('path')),
      exclude: one.at('exclude').value === true,
    }))
  const values = flattened(git.at('values'), 'values.')
  const repoURL = textAt(git.at('repoURL'))
  if (git.at('pathParamPrefix').exists) return unknown(`the pathParamPrefix of its generator ${name} is not read`)
  if (git.at('directories').isList) return { kind: 'git', name, repoURL, directories: rulesOf('directories'), values }
  if (git.at('files').isList) return { kind: 'git files', repoURL, files: rulesOf('files'), values }
  if (generator.at('clusters').exists)
    return { kind: 'clusters', values: flattened(generator.at('clusters', 'values'), 'values.') }
  return unknown(`its generator ${name} is not supported; list, git, matrix and merge are`)
}

/** The elements of a file, which may hold one map or a list of them. */
export function elementsOfFile(file: string, root: Cursor, goTemplate: boolean): Element[] {
  const folder = path.dirname(file)
  const filename = path.basename(file)
  const own = {
    ...elementOfFolder(folder, goTemplate),
    'path.filename': filename,
    'path.filenameNormalized': normalized(filename),
  }
  const maps = root.isList ? [...root.items()] : [root]
  return maps.map((map) => ({ ...flattened(map), ...own }))
}

/** The element of a folder: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/ */
export function elementOfFolder(folder: string, goTemplate: boolean): Element {
  const basename = path.basename(folder)
  const segments = folder.split('/')
  const named = {
    'path.basename': basename,
    'path.basenameNormalized': normalized(basename),
  }
  return goTemplate
    ? { ...named, 'path.path': folder, ...indexed('path.segments', segments) }
    : { ...named, path: folder, ...indexed('path', segments) }
}

function indexed(name: string, items: readonly string[]): Element {
  return Object.fromEntries(items.map((item, index) => [`${name}[${index}]`, item]))
}

function flattened(map: Cursor, prefix = ''): Element {
  return Object.fromEntries(
    [...map.entries()].flatMap(([key, item]) => {
      const name = `${prefix}${key}`
      if (item.isList) return Object.entries(indexed(name, [...item.items()].map(textAt)))
      return item.isMap ? Object.entries(flattened(item, `${name}.`)) : [[name, textAt(item)]]
    }),
  )
}
