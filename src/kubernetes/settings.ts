import type { Cursor } from '../manifest/cursor'
import type { Switch } from './controller-facts'

/** What a controller is told by one of its flags, at the word that says it. */
export interface Setting {
  readonly at: Cursor
  /** Undefined where no file tells: a tool fills it in, or a ConfigMap of the cluster does. */
  readonly value: string | undefined
}

/** What a controller is told, wherever that is written: flags are named without their dashes. */
export interface Settings {
  /** Where a flag that is missing has to be written. */
  readonly place: Cursor
  /** What a flag says; of several the one that counts. */
  get(flag: string): Setting | undefined
  /** What a flag says each time it is given. */
  all(flag: string): Setting[]
  /** Whether a flag is on that is true when it stands alone; undefined where no file tells. */
  isOn(flag: string, byDefault: boolean): boolean | undefined
}

/** The value of a flag; what holds without it when it is absent or empty. */
export function valueOr(settings: Settings, flag: string, byDefault: string): string | undefined {
  const given = settings.get(flag)
  return given?.value === '' || !given ? byDefault : given.value
}

/** Whether something is on; undefined where no file tells. */
export function isSwitchedOn(settings: Settings, by: Switch): boolean | undefined {
  if ('on' in by) return settings.isOn(by.on, by.default)
  const off = settings.isOn(by.off, false)
  return off === undefined ? undefined : !off
}
