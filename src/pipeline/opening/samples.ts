import { fieldsOf, listOf } from '../../sources/untyped'
import { actionsOf } from '../../template/template-actions'
import { isRoute, isRouted, type TemplateText } from './switches'
import { itemKey, type Use, usesIn } from './template-uses'

/** A value that is supposed for one that the chart leaves empty. */
export interface Sample {
  readonly path: string
  readonly value: unknown
  /** The templates that use it, by their paths in the chart. */
  readonly files: ReadonlySet<string>
  /** Whether a comment of the values file shows it. */
  readonly isExample?: boolean
}

/** The most samples of one chart: with more, a fault of one template more often hides the others. */
const most = 40

/**
 * Finds samples for the values that the templates of routes, certificates and Services use, or those that the change
 * touches, and that the chart leaves empty: annotations, hosts, TLS entries, classes. The templates of both sides decide
 * the shape of a sample; where they do not agree, or do not show one, there is none. Other lists whose items a changed
 * template goes through get the example of the values file, if it shows one. Those that the change touches come first.
 *
 * @param values the default values, of each side
 * @param templates those of both sides
 * @param examples those of the values files, by the paths of the values
 */
export function samplesIn(
  values: readonly unknown[],
  templates: readonly TemplateText[],
  examples: ReadonlyMap<string, unknown> = new Map(),
): Sample[] {
  const root = newNode()
  const wanted = new Map<string, Set<string>>()
  const ofChange = new Set<string>()
  for (const template of templates) {
    const isWanted = template.isChanged || isRouted(template.text)
    for (const { path: own, how } of usesIn(actionsOf(template.text))) {
      const path = own[0] === 'global' ? own : [...template.above, ...own]
      if (how === 'compared') continue
      note(root, path, how)
      if (!isWanted && !(isHelper(template.file) && path.some((key) => blocks.test(key)))) continue
      const written = (
        sampledOf(path) ?? (template.isChanged ? ofChangedTemplate(path, values, examples) : undefined)
      )?.join('.')
      if (written === undefined) continue
      wanted.set(written, (wanted.get(written) ?? new Set()).add(template.file))
      if (template.isChanged) ofChange.add(written)
    }
  }
  const found = [...wanted]
    .sort(([one], [other]) => Number(ofChange.has(other)) - Number(ofChange.has(one)) || (one < other ? -1 : 1))
    .flatMap(([path, files]): Sample[] => {
      const keys = path.split('.')
      const node = nodeAt(root, keys)
      if (!node) return []
      if (!values.every((side) => isFree(side, keys))) {
        const value = completedList(node, keys, values)
        return value === undefined ? [] : [{ path, value, files }]
      }
      const empty = values.map((side) => valueAt(side, keys)).filter((one) => one !== undefined && one !== null)
      const own = sampleOf(node, keys)
      const value = own ?? (node.ways.has('items') ? examples.get(path) : undefined)
      const isExample = own === undefined
      return value !== undefined && empty.every((one) => isLike(one, value)) ? [{ path, value, files, isExample }] : []
    })
  return [...choicesIn(values, templates), ...found].slice(0, most)
}

/**
 * The texts that a changed template of a route compares values with, where it has none for the default value: without
 * them, it makes nothing.
 */
function choicesIn(values: readonly unknown[], templates: readonly TemplateText[]): Sample[] {
  const found = new Map<string, Sample>()
  for (const { file, text, above, isChanged } of templates) {
    if (!isChanged || !isRoute(text)) continue
    const all = usesIn(actionsOf(text)).filter(({ how }) => how === 'compared')
    for (const { path: own, with: value } of all) {
      const keys = own[0] === 'global' ? own : [...above, ...own]
      const path = keys.join('.')
      const its = values.map((side) => valueAt(side, keys))
      const others = all.filter((use) => use.path.join('.') === own.join('.')).map((use) => use.with)
      const isText = its.every((one) => one === undefined || one === null || typeof one === 'string')
      if (!isText || !keys.every(isPlain) || its.some((one) => others.some((other) => other === one))) continue
      if (!found.has(path)) found.set(path, { path, value, files: new Set([file]) })
    }
  }
  return [...found.values()]
}

/** The uses of a value in all templates, and of what is in it. */
interface Node {
  readonly ways: Set<Use['how']>
  readonly below: Map<string, Node>
}

function newNode(): Node {
  return { ways: new Set(), below: new Map() }
}

function note(root: Node, path: readonly string[], how: Use['how']): void {
  let node = root
  for (const key of path) {
    const next = node.below.get(key) ?? newNode()
    node.below.set(key, next)
    node = next
  }
  node.ways.add(how)
}

function nodeAt(root: Node, keys: readonly string[]): Node | undefined {
  return keys.reduce<Node | undefined>((node, key) => node?.below.get(key), root)
}

/** Keys that are given a sample, by what they hold. */
const kinds = {
  notes: /annotations$|labels$/i,
  tls: /^(?:extra|ingress)?tls$/i,
  hosts: /hosts$|host_?names$|^domains$/i,
  paths: /^(?:extra)?paths$/i,
  class: /^(?:ingress)?class(?:name)?$/i,
  issuer: /issuer(?:name|ref)?$/i,
  secret: /^secretnames?$|^(?:tls|cert(?:ificate)?)_?secret(?:_?names?)?$/i,
  host: /host(?:_?name)?$|fqdn$|domain(?:name)?$/i,
} as const

type Kind = keyof typeof kinds

const lists: ReadonlySet<Kind> = new Set(['tls', 'hosts', 'paths'])

/** Keys of values of routes and certificates. */
const blocks = /ingress|route|gateway|cert|tls|host|domain/i

function kindOf(key: string): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].test(key))
}

/** The kind of a value: by its key, or by that of the map that it is in: `hostName.auth`. */
function kindAt(keys: readonly string[]): Kind | undefined {
  const own = kindOf(keys.at(-1) ?? '')
  if (own) return own
  const above = kindOf(keys.at(-2) ?? '')
  return above === 'host' || above === 'secret' ? above : undefined
}

/** The path of the value that is given a sample, for the path of something in it. */
function sampledOf(path: readonly string[]): readonly string[] | undefined {
  const end = path.indexOf(itemKey)
  const keys = end === -1 ? path : path.slice(0, end)
  for (let length = 1; length <= keys.length; length++) {
    const part = keys.slice(0, length)
    const kind = kindOf(part.at(-1) ?? '')
    if (kind === 'notes' || (kind !== undefined && lists.has(kind) && (end !== -1 || length === keys.length)))
      return part
  }
  return end === -1 && kindAt(keys) ? keys : undefined
}

/** The path of a value that is given a sample where a changed template uses it, for the path of something in it. */
function ofChangedTemplate(
  path: readonly string[],
  values: readonly unknown[],
  examples: ReadonlyMap<string, unknown>,
): readonly string[] | undefined {
  if (!isNamespace(path)) return exampledOf(path, examples)
  // In a chart that has no such value on one side, everything would seem to move.
  return values.every((side) => valueAt(side, path) !== undefined) ? path : undefined
}

/** Whether a value is the namespace of all that a chart makes, in place of the release's own. */
function isNamespace(keys: readonly string[]): boolean {
  return keys.length === (keys[0] === 'global' ? 2 : 1) && /^namespace(?:Override)?$/.test(keys.at(-1) ?? '')
}

/** The path of the value that has an example, for the path of something in it. */
function exampledOf(path: readonly string[], examples: ReadonlyMap<string, unknown>): readonly string[] | undefined {
  const end = path.findIndex((_, index) => examples.has(path.slice(0, index + 1).join('.')))
  return end === -1 ? undefined : path.slice(0, end + 1)
}

/** Whether values have nothing at a path, and only maps above it. */
function isFree(values: unknown, keys: readonly string[]): boolean {
  let value = values
  for (const key of keys) {
    if (!isPlain(key)) return false
    if (value === undefined || value === null) return true
    if (typeof value !== 'object' || Array.isArray(value)) return false
    value = fieldsOf(value)[key]
  }
  return value === undefined || isEmpty(value)
}

/** Whether a key can be given to helm without an escape. */
function isPlain(key: string): boolean {
  return /^[\w-]+$/.test(key)
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

function valueAt(values: unknown, keys: readonly string[]): unknown {
  return keys.reduce((value, key) => fieldsOf(value)[key], values)
}

/** Whether an empty value is of the type of a sample. */
function isLike(empty: unknown, sample: unknown): boolean {
  return typeof empty === typeof sample && Array.isArray(empty) === Array.isArray(sample)
}

function sampleOf(node: Node, keys: readonly string[]): unknown {
  const kind = kindAt(keys)
  const name = nameOf(keys)
  const has = (how: Use['how']) => node.ways.has(how)
  if (kind === 'notes') return has('text') ? undefined : notesOf(keys)
  if (isNamespace(keys)) return has('text') && node.below.size === 0 ? 'sample' : undefined
  if (kind === undefined) return undefined
  if (!lists.has(kind)) return has('text') && node.below.size === 0 && !has('yaml') ? textOf(kind, name) : undefined
  if (has('text')) return undefined
  const item = node.below.get(itemKey)
  if (item) {
    const value = itemOf(item, kind, name)
    return value === undefined ? undefined : [value]
  }
  if (!has('yaml') || node.below.size > 0) return undefined
  if (kind === 'tls') return [tlsOf(name)]
  return kind === 'hosts' ? [textOf('host', name)] : undefined
}

/**
 * The items that a list has by default, with samples of the lists in them that are empty: `hosts: [{host: a, paths: []}]`.
 *
 * @returns undefined where they have no such lists, or the templates show no shape of what is in them
 */
function completedList(node: Node, keys: readonly string[], values: readonly unknown[]): unknown {
  const item = node.below.get(itemKey)
  const sides = values.map((side) => valueAt(side, keys)).filter((one) => one !== undefined)
  const items = sides.flatMap(listOf)
  if (!item || !sides.every(Array.isArray) || !items.every((one) => Object.keys(fieldsOf(one)).length > 0))
    return undefined
  const isLeftEmpty = (key: string) => items.every((one) => isEmpty(fieldsOf(one)[key] ?? null))
  const samples = [...item.below].flatMap(([key, field]) => {
    const kind = kindOf(key)
    const isList = kind !== undefined && lists.has(kind) && field.below.has(itemKey)
    const value = isList && isLeftEmpty(key) ? fieldOf(key, field, 'hosts', nameOf(keys)) : undefined
    return value === undefined ? [] : [[key, value] as const]
  })
  if (samples.length === 0) return undefined
  return listOf(sides.at(-1)).map((one) => ({ ...fieldsOf(one), ...Object.fromEntries(samples) }))
}

/**
 * Two annotations or labels, as the first of several lines is often the only one at its place. Their names are other
 * than those of other values, which may be written into the same map.
 */
function notesOf(keys: readonly string[]): Record<string, string> {
  const name = keys
    .join('-')
    .replace(/[^a-zA-Z-]/g, '')
    .slice(-50)
    .replace(/^-+/, '')
  return { [`example.com/${name}-one`]: 'sample', [`example.com/${name}-two`]: 'sample' }
}

function tlsOf(name: string) {
  return { hosts: [textOf('host', name)], secretName: textOf('secret', name) }
}

function itemOf(item: Node, kind: Kind, name: string): unknown {
  const isText = item.ways.has('text')
  if (item.below.size === 0) {
    if (item.ways.has('yaml')) return kind === 'tls' && !isText ? tlsOf(name) : undefined
    return isText && kind !== 'tls' ? textOf(kind, name) : undefined
  }
  if (isText || item.ways.has('items')) return undefined
  const fields = [...item.below].map(([key, field]) => [key, fieldOf(key, field, kind, name)] as const)
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

function fieldOf(key: string, field: Node, above: Kind, name: string): unknown {
  const kind = kindOf(key)
  if (kind === 'notes') return field.ways.has('text') ? undefined : notesOf([name, key])
  const item = field.below.get(itemKey)
  if (kind !== undefined && lists.has(kind)) {
    if (item) {
      const value = itemOf(item, kind, name)
      return value === undefined ? undefined : [value]
    }
    return kind === 'hosts' && field.ways.has('yaml') ? [textOf('host', name)] : undefined
  }
  if (item) return undefined
  if (field.below.size > 0) {
    const inner = [...field.below].map(([its, node]) => [its, fieldOf(its, node, above, name)] as const)
    return Object.fromEntries(inner.filter(([, value]) => value !== undefined))
  }
  if (!field.ways.has('text')) return undefined
  if (kind !== undefined) return textOf(kind, name)
  if (key === 'name' && above === 'hosts') return textOf('host', name)
  if (key === 'path') return '/'
  if (key === 'pathType') return 'Prefix'
  if (/port$|^number$/i.test(key)) return 80
  return field.ways.has('optional') ? undefined : 'sample'
}

function textOf(kind: Kind, name: string): string {
  if (kind === 'host' || kind === 'hosts') return [...(name === '' ? [] : [name]), 'sample.example.com'].join('.')
  if (kind === 'secret') return [...(name === '' ? [] : [name]), 'sample-tls'].join('-')
  if (kind === 'paths') return '/'
  return 'sample'
}

/** `server-ingress` for `server.ingress.hosts`: all samples beside each other are of the same host. */
function nameOf(keys: readonly string[]): string {
  const others = keys.filter((key) => kindOf(key) === undefined).map((key) => key.toLowerCase().replaceAll('_', '-'))
  return others.join('-').slice(0, 40)
}

function isHelper(file: string): boolean {
  return /(?:^|\/)_[^/]*$|\.tpl$/.test(file)
}
