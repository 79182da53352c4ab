import type { Cursor } from '../../manifest/cursor'
import type { Switch } from './controller-facts'

/** The value of one of a controller's flags, at the word that sets it. */
export interface Setting {
  readonly at: Cursor
  /** Undefined if it is unknown: a tool fills it in, or a ConfigMap of the cluster does. */
  readonly value: string | undefined
  /** Whether it may be missing altogether. */
  readonly maybe?: true
}

/** A flag of a command line, with its name. */
export interface NamedFlag {
  readonly name: string
  readonly at: Cursor
}

/** The settings of a controller from all places: flags are named without their dashes. */
export interface Settings {
  /** The place of all of it. */
  readonly place: Cursor
  /** The place for a missing flag. */
  placeOf(flag: string): Cursor
  /** Whether all of it is unknown. */
  readonly opaque: boolean
  /** The value of a flag; of several, the one that counts. */
  get(flag: string): Setting | undefined
  /** The value of a flag for each time it is given. */
  all(flag: string): Setting[]
  /** Whether a flag that is true without a value is on; undefined if it is unknown. */
  isOn(flag: string, byDefault: boolean): boolean | undefined
  /** Whether a flag is given, or one below it: `a` by `a.b=c`. */
  has(flag: string): boolean
  /** The value of a variable of the process; undefined if it is unknown. */
  variable(name: string): string | undefined
  /** The value of a variable of any process of its Pod; undefined if it is unknown. */
  variableBeside(name: string): string | undefined
  /** The other objects from which it is read, also empty ones: they may have had settings before. */
  readonly parts: readonly Cursor[]
  /** The flags that the program gets by their names, each where it is written; others may come from elsewhere. */
  readonly named: readonly NamedFlag[]
  /** The names directly below a flag, in lower case: `b` of `a.b.c=d`; undefined where there may be others. */
  below(section: string): readonly string[] | undefined
  /** The spelling of a flag for a person. */
  wordsFor(flag: string): string
}

/** The value of a flag; the default when it is absent or empty. */
export function valueOr(settings: Settings, flag: string, byDefault: string): string | undefined {
  const given = settings.get(flag)
  return given?.value === '' || !given ? byDefault : given.value
}

/** Whether a setting is on; undefined if it is unknown. */
export function isSwitchedOn(settings: Settings, by: Switch): boolean | undefined {
  if ('on' in by) return settings.isOn(by.on, by.default)
  if ('off' in by) return inverted(settings.isOn(by.off, false))
  if ('variable' in by) return by.is.includes(settings.variableBeside(by.variable) ?? '')
  const value = valueOr(settings, 'given' in by ? by.given : by.missing, '')
  const given = value === undefined ? undefined : value !== ''
  return 'given' in by ? given : inverted(given)
}

function inverted(on: boolean | undefined): boolean | undefined {
  return on === undefined ? undefined : !on
}

/** The values of a flag that may have several, sorted; undefined if one of them is unknown. */
export function valuesOfFlag(settings: Settings, flag: string): string[] | undefined {
  const values = settings.all(flag).map(({ value }) => value)
  if (!values.every((value) => value !== undefined)) return undefined
  const names = values.flatMap((value) => value.split(',')).map((name) => name.trim())
  return [...new Set(names.filter(Boolean))].sort()
}
