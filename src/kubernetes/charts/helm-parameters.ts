import type { Cursor } from '../../manifest/cursor'
import { madeOf, type Placed } from '../../manifest/placed'

/** A map or list while parameters are put into it. */
interface ParameterMap {
  readonly at: Cursor
  readonly inside: Map<string | number, ParameterMap | { readonly at: Cursor; readonly scalar: unknown }>
}

/** No list of values that a person writes one by one is longer. */
const maxIndex = 100

/** The parameters of an Application, as values. */
export interface Parameters {
  /** Undefined where there are none. */
  readonly root: Cursor | undefined
  /** The names that are not read as paths of keys and items. */
  readonly unread: readonly string[]
  /** The names that lead into lists: they change items of a list that other values give. */
  readonly ofItems: readonly string[]
}

/** Reads parameters as the values that `--set` makes of them: `ingress.hosts[0].host`. */
export function readParameters(list: Cursor): Parameters {
  const root: ParameterMap = { at: list, inside: new Map() }
  const unread: string[] = []
  const ofItems: string[] = []
  for (const one of list.items()) {
    const name = one.at('name').string ?? ''
    const keys = keysOf(name)
    const last = keys?.at(-1)
    if (!keys || last === undefined) {
      unread.push(name)
      continue
    }
    if (keys.some((key) => typeof key === 'number')) ofItems.push(name)
    put(root, keys.slice(0, -1), one.at('value')).inside.set(last, { at: one.at('value'), scalar: meaningOf(one) })
  }
  if (root.inside.size === 0) return { root: undefined, unread, ofItems }
  const ref = { group: '', kind: '', namespace: '', name: '' }
  return { root: madeOf(placed(root), { ref, apiVersion: '', text: '' }, list.manifest).root, unread, ofItems }
}

function put(root: ParameterMap, keys: readonly (string | number)[], at: Cursor): ParameterMap {
  return keys.reduce<ParameterMap>((place, key) => {
    const there = place.inside.get(key)
    const next = there && 'inside' in there ? there : { at, inside: new Map() }
    place.inside.set(key, next)
    return next
  }, root)
}

/** `a.b[0].c` → a, b, 0, c. A dot after a backslash is part of its key. */
function keysOf(name: string): (string | number)[] | undefined {
  const keys: (string | number)[] = []
  for (const part of name.split(/(?<!\\)\./)) {
    const [, key, indexes = ''] = part.match(/^([^[\]{},=]+)((?:\[\d{1,3}\])*)$/) ?? []
    if (key === undefined) return undefined
    keys.push(key.replaceAll('\\', ''), ...[...indexes.matchAll(/\d+/g)].map(([digits]) => Number(digits)))
  }
  return keys.some((key) => typeof key === 'number' && key > maxIndex) ? undefined : keys
}

function placed({ at, inside }: ParameterMap): Placed {
  const entries = [...inside].map(([key, one]): [string | number, Placed] => [key, 'inside' in one ? placed(one) : one])
  if (entries.every(([key]) => typeof key === 'number')) {
    const length = Math.max(...entries.map(([key]) => Number(key))) + 1
    const items = new Map(entries)
    return { at, list: Array.from({ length }, (_, index) => items.get(index) ?? { at, scalar: null }) }
  }
  return { at, map: Object.fromEntries(entries) }
}

/** A parameter is text, and has the meaning that `--set` gives it. */
function meaningOf(parameter: Cursor): unknown {
  const { value } = parameter.at('value')
  if (typeof value !== 'string' || parameter.at('forceString').value === true) return value
  return /^(?:true|false|null|-?[1-9]\d{0,14}|0)$/.test(value) ? JSON.parse(value) : value
}
