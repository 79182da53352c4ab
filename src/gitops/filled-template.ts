import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { entryOf } from '../entry'
import type { LoadedObject } from '../manifest/load'
import { Manifest, ownGroup } from '../manifest/manifest'
import { findPair } from '../manifest/map-pairs'
import { evaluateTemplate } from './template-functions'
import { textAt } from './text'

/** The values that a generator gives for one Application, by the names that a template calls them by. */
export type Element = Readonly<Record<string, string>>

/**
 * The Application that an ApplicationSet makes for an element. Its values have the places of the template.
 *
 * @returns undefined when the set has no template
 */
export function makeApplication(set: LoadedObject, element: Element): LoadedObject | undefined {
  const template = under(under(set.node, 'spec', set), 'template', set)
  if (!template) return undefined
  const goTemplate = under(under(set.node, 'spec', set), 'goTemplate', set)
  const isGo = isScalar(goTemplate) && goTemplate.value === true
  const node = filled(template, (text) => (isGo ? fillGo(text, element) : fill(text, element)), set, new Map())
  const region = set.regionOf(template)
  const ref = { group: ownGroup, kind: 'Application', namespace: set.ref.namespace, name: '' }
  const { root } = new Manifest({ ...set, ref, node, region }, 'head', { kind: 'file', path: '' }, [])
  const name = textAt(root.at('metadata', 'name'))
  return { ...set, ref: { ...ref, name }, node, content: JSON.stringify(root.value), region, duplicateKeys: [] }
}

function under(map: Node | undefined, key: string, set: LoadedObject): Node | undefined {
  const resolve = (alias: Alias) => set.resolve(alias)
  const value = isMap(map) ? findPair(map, key, resolve)?.value : undefined
  return (isAlias(value) ? resolve(value) : value) as Node | undefined
}

/**
 * A template with an element's values in it, each where it is written.
 *
 * @param holding whether the targets of aliases hold placeholders, as far as that is known: they may name each other
 * many times
 */
function filled(node: Node, fillIn: (text: string) => string, set: LoadedObject, holding: Map<Node, boolean>): Node {
  const inside = (one: unknown) => (isNode(one) ? filled(one, fillIn, set, holding) : one)
  if (isAlias(node)) {
    const target = set.resolve(node)
    return target && hasPlaceholder(target, set, holding) ? placedAt(node, filled(target, fillIn, set, holding)) : node
  }
  if (isScalar(node) && typeof node.value === 'string' && node.value.includes('{{'))
    return placedAt(node, new Scalar(fillIn(node.value)))
  if (isMap(node)) {
    const map = placedAt(node, new YAMLMap())
    map.items = node.items.map(({ key, value }) => new Pair(key, inside(value)))
    return map
  }
  if (isSeq(node)) {
    const list = placedAt(node, new YAMLSeq())
    list.items = node.items.map(inside)
    return list
  }
  return node
}

function isNode(value: unknown): value is Node {
  return isAlias(value) || isScalar(value) || isMap(value) || isSeq(value)
}

function hasPlaceholder(node: unknown, set: LoadedObject, known: Map<Node, boolean>): boolean {
  if (isAlias(node)) {
    const target = set.resolve(node)
    if (!target) return false
    const has = known.get(target) ?? hasPlaceholder(target, set, known)
    known.set(target, has)
    return has
  }
  if (isMap(node)) return node.items.some(({ value }) => hasPlaceholder(value, set, known))
  if (isSeq(node)) return node.items.some((item) => hasPlaceholder(item, set, known))
  return isScalar(node) && typeof node.value === 'string' && node.value.includes('{{')
}

/** A node at the place of another one, which is not changed. */
function placedAt<T extends Node>({ range }: Node, node: T): T {
  if (range) node.range = range
  return node
}

/** The same with the functions of Go templates. */
function fillGo(text: string, element: Element): string {
  return fill(text, element).replace(/\{\{-?([^{}]*?)-?\}\}/g, (written, expression: string) => {
    return evaluateTemplate(expression, (name) => entryOf(element, name)) ?? written
  })
}

/** Fills `{{name}}`, `{{ .name }}` and `{{ index .list 0 }}` into a text. */
export function fill(text: string, element: Element): string {
  return text.replace(
    /\{\{-?\s*(?:index\s+\.([\w.]+)\s+(\d+)|\.?([\w.[\]-]+?))\s*-?\}\}/g,
    (written, list: string | undefined, index: string, name: string) =>
      entryOf(element, list === undefined ? name : `${list}[${index}]`) ?? written,
  )
}
