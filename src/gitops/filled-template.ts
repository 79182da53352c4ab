import { entryOf } from '../entry'
import type { Key, LoadedObject } from '../manifest/load'
import { Manifest, ownGroup } from '../manifest/manifest'
import { findPair } from '../manifest/map-pairs'
import {
  type Alias,
  isAlias,
  isList,
  isMap,
  isScalar,
  ListNode,
  MapNode,
  type Node,
  Pair,
  Scalar,
} from '../manifest/nodes'
import { fillGoTemplate } from '../template/go-template'
import { readGenerated } from './generated-file'
import { withDefaults, withPatch } from './template-overlays'
import { textAt } from './text'

/**
 * The values that a generator gives for one Application, by the names that a template calls them by: texts by their whole
 * names, and for Go templates anything that JSON has.
 */
export type Element = Readonly<Record<string, unknown>>

/** Why there is no Application. */
export interface NotMade {
  readonly reason: string
  readonly remedy: string
}

/**
 * The Application that an ApplicationSet makes for an element. Its values have the places of the template.
 *
 * @param own where the template of the generator is, which goes over that of the set
 */
export function makeApplication(
  set: LoadedObject,
  element: Element,
  own: readonly Key[] | undefined,
): LoadedObject | NotMade {
  const spec = nodeAt(set, ['spec'])
  const common = under(spec, 'template', set)
  const resolve = (alias: Alias) => set.resolve(alias)
  const template = own ? withDefaults(nodeAt(set, own), common, resolve) : common
  if (!template) return { reason: 'it has no template', remedy: 'Add `spec.template`.' }
  const goTemplate = under(spec, 'goTemplate', set)
  const isGo = isScalar(goTemplate) && goTemplate.value === true
  const fillIn = (text: string) => fillText(text, element, isGo)
  let node = filled(template, fillIn, set, new Map())
  const patch = under(spec, 'templatePatch', set)
  if (isScalar(patch) && typeof patch.value === 'string') {
    const text = fillIn(patch.value)
    const placeholder = placeholderIn(text)
    if (placeholder)
      return { reason: `${placeholder} in its templatePatch cannot be filled in`, remedy: notFilledRemedy }
    const value = text.trim() === '' ? {} : readGenerated(text)?.value
    if (typeof value !== 'object' || value === null || text.includes('$patch'))
      return {
        reason: 'its templatePatch cannot be read',
        remedy:
          'Write a templatePatch that is a map of YAML without `$patch` when it is filled in, or move these fields to `spec.template`.',
      }
    node = withPatch(node, value, patch, resolve)
  }
  const region = set.regionOf(common ?? template)
  const ref = { group: ownGroup, kind: 'Application', namespace: set.ref.namespace, name: '' }
  const { root } = new Manifest({ ...set, ref, node, region }, 'head', { kind: 'file', path: '' }, [])
  const name = textAt(root.at('metadata', 'name'))
  return { ...set, ref: { ...ref, name }, node, content: JSON.stringify(root.value), region, duplicateKeys: [] }
}

/** What fills in a placeholder that is left. */
export const notFilledRemedy =
  'Give each element every field that the template uses, and use only functions that Argo CD has; or write the Applications themselves.'

/** The first placeholder that is left in a text. */
export function placeholderIn(text: string): string | undefined {
  const from = text.indexOf('{{')
  const to = from === -1 ? -1 : text.indexOf('}}', from)
  return to === -1 ? undefined : text.slice(from, to + 2)
}

function nodeAt(set: LoadedObject, path: readonly Key[]): Node | undefined {
  return path.reduce((at: Node | undefined, key) => under(at, key, set), set.node)
}

function under(parent: Node | undefined, key: Key, set: LoadedObject): Node | undefined {
  const resolve = (alias: Alias) => set.resolve(alias)
  const item = typeof key === 'number' && isList(parent) ? parent.items[key] : undefined
  const value = typeof key === 'string' && isMap(parent) ? findPair(parent, key, resolve)?.value : item
  return isAlias(value) ? resolve(value) : value
}

/**
 * A template with an element's values in it, each where it is written.
 *
 * @param holding whether the targets of aliases hold placeholders, as far as that is known: they may name each other
 * many times
 */
function filled(node: Node, fillIn: (text: string) => string, set: LoadedObject, holding: Map<Node, boolean>): Node {
  const inside = (one: Node) => filled(one, fillIn, set, holding)
  const { from, to } = node
  if (isAlias(node)) {
    const target = set.resolve(node)
    if (!target || !hasPlaceholder(target, set, holding)) return node
    const copy = inside(target)
    copy.from = from
    copy.to = to
    return copy
  }
  if (isScalar(node) && typeof node.value === 'string' && node.value.includes('{{'))
    return new Scalar(fillIn(node.value), from, to)
  if (isMap(node)) {
    const pairs = node.pairs.map(({ key, value }) => Pair.of(key, inside(value)))
    return new MapNode(pairs, from, to)
  }
  if (isList(node)) return new ListNode(node.items.map(inside), from, to)
  return node
}

function hasPlaceholder(node: Node, set: LoadedObject, known: Map<Node, boolean>): boolean {
  if (isAlias(node)) {
    const target = set.resolve(node)
    if (!target) return false
    const has = known.get(target) ?? hasPlaceholder(target, set, known)
    known.set(target, has)
    return has
  }
  if (isMap(node)) return node.pairs.some(({ value }) => hasPlaceholder(value, set, known))
  if (isList(node)) return node.items.some((item) => hasPlaceholder(item, set, known))
  return isScalar(node) && typeof node.value === 'string' && node.value.includes('{{')
}

/** Fills an element into a text. */
export function fillText(text: string, element: Element, goTemplate: boolean): string {
  return goTemplate ? fillGoTemplate(text, element) : fill(text, element)
}

/** Fills `{{name}}` into a text. */
function fill(text: string, element: Element): string {
  return text.replace(/\{\{-?\s*\.?([\w./[\]-]+?)\s*-?\}\}/g, (written, name: string) => {
    const value = entryOf(element, name)
    return typeof value === 'string' ? value : written
  })
}
