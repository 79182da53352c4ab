import { entryOf } from '../../entry'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import type { Setting } from './settings'

/** The config of a controller, apart from its arguments. */
export interface ControllerConfig {
  /** The content; undefined if it is in no manifest. */
  readonly root: Cursor | undefined
  /** The place that names the config. */
  readonly at: Cursor
  /** Its name in messages: `traefik.yml of ConfigMap edge/traefik`. */
  readonly name: string
  /** Whether it overrides flags and variables for its settings. */
  readonly instead: boolean
  /**
   * The places of the flags that it may give; undefined where it may give every one, at its own name and in any case.
   */
  readonly keys: Readonly<Record<string, readonly string[]>> | undefined
}

/** Whether a config can contain the setting of a flag. */
export function mayContain({ keys }: ControllerConfig, flag: string): boolean {
  return keys === undefined || entryOf(keys, flag) !== undefined
}

/** The setting of a flag in a config: one setting, for a list with all of its values. */
export function settingInConfig(config: ControllerConfig, flag: string): Setting | undefined {
  const at = placeIn(config, flag)
  if (!config.root) return { at, value: undefined, maybe: true }
  const { value } = at
  // A key without a value has no effect.
  if (value === undefined || value === null) return undefined
  const text = textOf(value)
  return { at, value: isPlaceholder(text) ? undefined : text }
}

/** The place of a setting in a config, else where it would be: the nearest existing place. */
export function placeIn({ root, at, keys }: ControllerConfig, flag: string): Cursor {
  if (!root) return at
  const paths = keys ? (entryOf(keys, flag) ?? []).map((path) => path.split('.')) : []
  const places = keys ? paths.map((path) => root.at(...path)) : [inAnyCase(root, flag.split('.'))]
  return places.find(({ exists }) => exists) ?? places[0] ?? root
}

/** The spelling of a flag in the config. */
export function keyOf({ keys }: ControllerConfig, flag: string): string {
  return entryOf(keys, flag)?.[0] ?? flag
}

/** Each key, ignoring case. */
function inAnyCase(root: Cursor, path: readonly string[]): Cursor {
  return path.reduce((cursor, wanted) => {
    const written = [...cursor.entries()].find(([key]) => key.toLowerCase() === wanted)?.[0]
    return cursor.at(written ?? wanted)
  }, root)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  // An empty map turns a setting on.
  return typeof value === 'object' ? 'true' : String(value)
}
