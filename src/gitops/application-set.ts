import path from 'node:path/posix'
import { entryOf } from '../entry'
import { alternatives } from '../listing'
import type { Cursor } from '../manifest/cursor'
import type { Key } from '../manifest/load'
import { itemOf, normalized } from '../template/template-functions'
import type { Element } from './filled-template'
import { textAt } from './text'

/**
 * An ApplicationSet, each field where it is written.
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/
 */
export interface ApplicationSet {
  readonly generators: readonly SetGenerator[]
  readonly template: Cursor
}

/** A generator with the place of its own template, if it has one. */
export interface SetGenerator {
  readonly generator: Generator
  readonly template: readonly Key[] | undefined
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
      readonly prefix: string
    }
  | {
      readonly kind: 'git files'
      readonly repoURL: string
      readonly files: readonly PathRule[]
      readonly values: Element
      readonly prefix: string
    }
  /** Each element of the first with each of the second, which may use the first's. */
  | { readonly kind: 'matrix'; readonly generators: readonly [Generator, Generator] }
  /** The elements of the first generator, with the fields of later ones that have the same keys. */
  | { readonly kind: 'merge'; readonly keys: readonly string[]; readonly generators: readonly Generator[] }
  /** Those elements of a generator that a selector takes. */
  | { readonly kind: 'selected'; readonly selector: Selector; readonly generators: readonly [Generator] }
  /** A text with a list of elements. */
  | { readonly kind: 'text'; readonly text: string }
  /** The clusters that Argo CD knows: its own one is read in place of all, or those that the repository has files for. */
  | { readonly kind: 'clusters'; readonly labels: Element; readonly values: Element }
  | ({ readonly kind: 'unknown' } & NotResolved)

/** Why the elements of a generator are unknown, and what changes that. */
interface NotResolved {
  readonly reason: string
  readonly remedy: string
}

const writeThem = 'or write the Applications themselves.'

/** The elements of a generator of clusters. */
export const clustersUnknown: NotResolved = {
  reason: 'the clusters of its generator `clusters` are known to Argo CD alone, and not to this repository',
  remedy: `Replace \`clusters\` by a generator \`list\` with one element for each cluster (with all fields that the template uses), ${writeThem}`,
}

/** The fields by which a list may name clusters of Argo CD. */
export const clusterNames = ['name', 'nameNormalized', 'server']

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

/** Whether its templates are Go templates. */
export function isGoTemplate(root: Cursor): boolean {
  return root.at('spec', 'goTemplate').value === true
}

export function readApplicationSet(root: Cursor): ApplicationSet {
  const spec = root.at('spec')
  const goTemplate = isGoTemplate(root)
  return {
    generators: [...spec.at('generators').items()].flatMap((one) =>
      kindsOf(one).map((kind) => {
        const template = one.at(kind, 'template')
        return {
          generator: generatorAt(one, kind, goTemplate, 0),
          template: template.exists ? template.path : undefined,
        }
      }),
    ),
    template: spec.at('template'),
  }
}

/** An entry of a list may hold several generators. */
function kindsOf(generator: Cursor): readonly string[] {
  const kinds = [...generator.entries()].map(([key]) => key).filter((key) => key !== 'selector')
  return kinds.length > 0 ? kinds : ['(none)']
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
function generatorAt(generator: Cursor, kind: string, goTemplate: boolean, depth: number): Generator {
  const one = plainGeneratorAt(generator, kind, goTemplate, depth)
  const selector = generator.at('selector')
  if (!selector.exists || one.kind === 'unknown') return one
  if (isOfClusters(one)) return { kind: 'unknown', ...clustersUnknown }
  const expressions = [...selector.at('matchExpressions').items()].map((entry) => ({
    key: textAt(entry.at('key')),
    operator: textAt(entry.at('operator')),
    values: [...entry.at('values').items()].map(textAt),
  }))
  const isKnown = expressions.every(({ operator }) => operators.includes(operator))
  if (!isKnown)
    return {
      kind: 'unknown',
      reason: 'the selector of its generator has an unknown operator',
      remedy: `Use one of the operators ${alternatives(operators)} in the selector.`,
    }
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
    Object.entries(labels).every(([key, value]) => labelOf(element, key) === value) &&
    expressions.every(({ key, operator, values }) => {
      const value = labelOf(element, key)
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

/** A value of an element as a label, by its key or by those that lead to it. */
export function labelOf(element: Element, key: string): string | undefined {
  const value = entryOf(element, key) ?? valueBelow(element, key.split('.'))
  return typeof value === 'object' || value === undefined ? undefined : String(value)
}

function valueBelow(value: unknown, [first, ...rest]: readonly string[]): unknown {
  return first === undefined ? value : valueBelow(itemOf(value, first), rest)
}

function plainGeneratorAt(generator: Cursor, kind: string, goTemplate: boolean, depth: number): Generator {
  const one = generator.at(kind)
  const unknown = (reason: string, remedy: string): Generator => ({ kind: 'unknown', reason, remedy })
  const values = valuesOf(one.at('values'), goTemplate)
  const inner = [...one.at('generators').items()].map((its): Generator => {
    const [first = '', second] = kindsOf(its)
    if (second !== undefined)
      return unknown(
        `an entry of its generator \`${kind}\` has more than one generator`,
        'Write each generator as an entry of its own.',
      )
    return depth < 2
      ? generatorAt(its, first, goTemplate, depth + 1)
      : unknown(
          'its generators are nested too deep',
          `Nest at most two levels of \`matrix\` and \`merge\`, ${writeThem}`,
        )
  })
  const git = {
    name: kind,
    repoURL: textAt(one.at('repoURL')),
    values,
    prefix: textAt(one.at('pathParamPrefix')),
  }
  const rulesOf = (field: string) =>
    [...one.at(field).items()].map((its) => ({
      path: textAt(its.at('path')),
      exclude: its.at('exclude').value === true,
    }))
  switch (kind) {
    case 'list': {
      const written = textAt(one.at('elementsYaml'))
      if (written !== '') return { kind: 'text', text: written }
      if (!one.at('elements').isList) break
      return { kind, elements: [...one.at('elements').items()].map((its) => elementOf(its, goTemplate)) }
    }
    case 'matrix': {
      const [first, second, third] = inner
      if (first && second && !third) return { kind, generators: [first, second] }
      // Source: Argo CD, applicationset/generators/matrix.go, ErrLessThanTwoGenerators and ErrMoreThanTwoGenerators
      return unknown(
        'its generator `matrix` does not have two generators, as Argo CD requires',
        'Give it exactly two generators.',
      )
    }
    case 'merge': {
      const keys = [...one.at('mergeKeys').items()].map(textAt)
      const [first, ...others] = inner
      // Lists name clusters by one of their own fields.
      const areNamed = first?.kind === 'clusters' && keys.length === 1 && clusterNames.includes(keys[0] ?? '')
      if (inner.some(isOfClusters) && !(areNamed && others.every((one) => one.kind === 'list')))
        return { kind: 'unknown', ...clustersUnknown }
      if (keys.length > 0 && inner.length > 1) return { kind, keys, generators: inner }
      // Source: Argo CD, applicationset/generators/merge.go, ErrLessThanTwoGeneratorsInMerge and ErrNoMergeKeys
      return unknown(
        'its generator `merge` does not have `mergeKeys` and two generators, as Argo CD requires',
        'Give it `mergeKeys` and at least two generators.',
      )
    }
    case 'git':
      if (one.at('directories').isList) return { kind, ...git, directories: rulesOf('directories') }
      if (one.at('files').isList) return { kind: 'git files', ...git, files: rulesOf('files') }
      break
    case 'clusters':
      if (one.at('flatList').value === true) return { kind: 'unknown', ...clustersUnknown }
      return { kind, labels: flattened(one.at('selector', 'matchLabels')), values }
  }
  return unknown(
    `its generator \`${kind}\` is not supported, only \`list\`, \`git\`, \`clusters\`, \`matrix\` and \`merge\` with their fields are`,
    `Replace it by a generator \`list\` with the same elements, ${writeThem}`,
  )
}

/** The elements of a file, which may hold one map or a list of them. */
export function elementsOfFile(file: string, root: Cursor, goTemplate: boolean, prefix = ''): Element[] {
  const maps = root.isList ? [...root.items()] : [root]
  const own = elementOfFolder(path.dirname(file), goTemplate, prefix, path.basename(file))
  return maps.map((map) => ({ ...elementOf(map, goTemplate), ...own }))
}

/** A map as a template gets it. */
export function elementOf(map: Cursor, goTemplate: boolean): Element {
  return goTemplate && map.isMap ? (map.value as Element) : flattened(map)
}

/** The element of a folder: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/ */
export function elementOfFolder(folder: string, goTemplate: boolean, prefix = '', filename?: string): Element {
  const basename = path.basename(folder)
  const segments = folder.split('/')
  const named = {
    basename,
    basenameNormalized: normalized(basename),
    ...(filename === undefined ? {} : { filename, filenameNormalized: normalized(filename) }),
  }
  if (goTemplate) {
    const own = { path: { ...named, path: folder, segments } }
    return prefix === '' ? own : { [prefix]: own }
  }
  const before = prefix === '' ? 'path' : `${prefix}.path`
  const fields = Object.entries(named).map(([key, value]) => [`${before}.${key}`, value])
  return { ...Object.fromEntries(fields), [before]: folder, ...indexed(before, segments) }
}

function indexed(name: string, items: readonly string[]): Element {
  return Object.fromEntries(items.map((item, index) => [`${name}[${index}]`, item]))
}

/** The values that a generator adds to its elements. */
function valuesOf(values: Cursor, goTemplate: boolean): Element {
  return goTemplate ? { values: flattened(values) } : flattened(values, 'values.')
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
