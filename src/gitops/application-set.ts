import path from 'node:path/posix'
import type { Cursor } from '../manifest/cursor'
import type { Element } from './filled-template'
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

/** A generator whose elements are known from the object alone, or from the folders of a repository; or why they are unknown. */
export type Generator =
  | { readonly kind: 'list'; readonly elements: readonly Element[] }
  | {
      readonly kind: 'git'
      /** Its kind as messages name it. */
      readonly name: string
      readonly repoURL: string
      readonly directories: readonly { readonly path: string; readonly exclude: boolean }[]
      readonly values: Element
    }
  | { readonly kind: 'unknown'; readonly reason: string }

export function readApplicationSet(root: Cursor): ApplicationSet {
  const spec = root.at('spec')
  return {
    generators: [...spec.at('generators').items()].map(generatorAt),
    template: spec.at('template'),
    templatePatch: spec.at('templatePatch'),
    goTemplate: spec.at('goTemplate').value === true,
  }
}

function generatorAt(generator: Cursor): Generator {
  const kinds = [...generator.entries()].map(([key]) => key).filter((key) => key !== 'selector')
  const name = kinds.join(', ') || '(none)'
  const unknown = (reason: string): Generator => ({ kind: 'unknown', reason })
  if (generator.at('selector').exists) return unknown(`the selector of its generator ${name} is not supported`)
  if (kinds.some((one) => generator.at(one, 'template').exists))
    return unknown(`the template of its generator ${name} is not supported`)
  const elements = generator.at('list', 'elements')
  if (elements.isList) return { kind: 'list', elements: [...elements.items()].map((one) => flattened(one)) }
  const git = generator.at('git')
  const directories = git.at('directories')
  if (!directories.isList)
    return unknown(`its generator ${name} is not supported; only lists of elements and git directories are`)
  return {
    kind: 'git',
    name,
    repoURL: textAt(git.at('repoURL')),
    directories: [...directories.items()].map((one) => ({
      path: textAt(one.at('path')),
      exclude: one.at('exclude').value === true,
    })),
    values: flattened(git.at('values'), 'values.'),
  }
}

/** The element of a folder: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Git/ */
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

function flattened(map: Cursor, prefix = ''): Element {
  return Object.fromEntries(
    [...map.entries()].flatMap(([key, item]) => {
      const name = `${prefix}${key}`
      if (item.isList) return Object.entries(indexed(name, [...item.items()].map(textAt)))
      return item.isMap ? Object.entries(flattened(item, `${name}.`)) : [[name, textAt(item)]]
    }),
  )
}
