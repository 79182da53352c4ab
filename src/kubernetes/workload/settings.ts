import type { Cursor } from '../../manifest/cursor'
import type { Switch } from './controller-facts'

/** What a controller is told by one of its flags, at the word that says it. */
export interface Setting {
  readonly at: Cursor
  /** Undefined where no file tells: a tool fills it in, or a ConfigMap of the cluster does. */
  readonly value: string | undefined
  /** Whether nothing may be said at all: no file tells what stands there. */
  readonly maybe?: true
}

/** What a controller is told, wherever that is written: flags are named without their dashes. */
export interface Settings {
  /** Where all of it stands. */
  readonly place: Cursor
  /** Where a flag that is missing has to be written. */
  placeOf(flag: string): Cursor
  /** Whether nothing of it can be told. */
  readonly opaque: boolean
  /** What a flag says; of several the one that counts. */
  get(flag: string): Setting | undefined
  /** What a flag says each time it is given. */
  all(flag: string): Setting[]
  /** Whether a flag is on that is true when it stands alone; undefined where no file tells. */
  isOn(flag: string, byDefault: boolean): boolean | undefined
  /** Whether a flag is given, or one below it: `a` by `a.b=c`. */
  has(flag: string): boolean
  /** The value of a variable of the process; undefined where no file tells. */
  variable(name: string): string | undefined
  /** The value of a variable of any process of its Pod; undefined where no file tells. */
  variableBeside(name: string): string | undefined
  /** What else it is read from, wherever it says what: an object that says nothing may once have. */
  readonly parts: readonly Cursor[]
  /** How a person sets a flag. */
  wordsFor(flag: string): string
}

/** The value of a flag; what holds without it when it is absent or empty. */
export function valueOr(settings: Settings, flag: string, byDefault: string): string | undefined {
  const given = settings.get(flag)
  return given?.value === '' || !given ? byDefault : given.value
}

/** Whether something is on; undefined where no file tells. */
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

/** The values of a flag that may name several, sorted; undefined where no file tells one of them. */
export function valuesOfFlag(settings: Settings, flag: string): string[] | undefined {
  const values = settings.all(flag).map(({ value }) => value)
  if (!values.every((value) => value !== undefined)) return undefined
  const names = values.flatMap((value) => value.split(',')).map((name) => name.trim())
  return [...new Set(names.filter(Boolean))].sort()
}
