import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { uniqueCopy } from '../object/named-object'
import { Arguments } from '../workload/arguments'
import { type ControllerConfig, keyOf, mayContain, placeIn, settingInConfig } from '../workload/config-settings'
import { mountedAt } from '../workload/container-file'
import type { ConfigFacts, ControllerFacts } from '../workload/controller-facts'
import type { NamedFlag, Setting, Settings } from '../workload/settings'

/**
 * The settings of a controller in a container: arguments and variables, and the objects that they name or its volumes
 * mount.
 */
export function settingsOf(facts: ControllerFacts, container: Cursor, snapshot: Snapshot | undefined): Settings {
  const args = new Arguments(container, facts, snapshot)
  if (args.inShell) return args
  // No variable names a config file.
  const { variables: _, ...style } = facts
  const flags = new Arguments(container, style, snapshot)
  const configs = (facts.config ?? []).flatMap((one) => configOf(one, flags, container, snapshot) ?? [])
  return configs.reduce<Settings>((settings, config) => new Configured(settings, config), args)
}

/**
 * The settings of a controller of a release: its values, unless they name a config file, which is not followed there.
 */
export function settingsOfRelease({ config = [] }: ControllerFacts, values: Settings): Settings {
  return config.reduce((settings, { flags, instead, keys }) => {
    const named = flags.map((flag) => values.get(flag)).find((given) => given && !given.maybe)
    if (!named) return settings
    return new Configured(settings, { root: undefined, at: named.at, name: '', instead: instead === true, keys })
  }, values)
}

/** Settings with others layered over or under them. */
class Configured implements Settings {
  readonly opaque: boolean
  readonly place: Cursor
  readonly parts: readonly Cursor[]

  constructor(
    private readonly others: Settings,
    private readonly config: ControllerConfig,
  ) {
    this.opaque = others.opaque || (config.instead && !config.keys && !config.root)
    this.place = config.keys || !config.root ? others.place : config.root
    this.parts = config.keys ? others.parts : config.root ? [config.root] : []
  }

  placeOf(flag: string): Cursor {
    return this.counts(flag) ? placeIn(this.config, flag) : this.others.placeOf(flag)
  }

  get(flag: string): Setting | undefined {
    return this.counts(flag) ? settingInConfig(this.config, flag) : this.others.get(flag)
  }

  all(flag: string): Setting[] {
    if (!this.counts(flag)) return this.others.all(flag)
    const setting = settingInConfig(this.config, flag)
    return setting ? [setting] : []
  }

  isOn(flag: string, byDefault: boolean): boolean | undefined {
    if (!this.counts(flag)) return this.others.isOn(flag, byDefault)
    const setting = this.get(flag)
    if (!setting) return byDefault
    return setting.value === undefined ? undefined : /^(?:1|t|true)$/i.test(setting.value)
  }

  has(flag: string): boolean {
    return this.counts(flag) ? this.get(flag) !== undefined : this.others.has(flag)
  }

  variable(name: string): string | undefined {
    return this.others.variable(name)
  }

  variableBeside(name: string): string | undefined {
    return this.others.variableBeside(name)
  }

  get named(): readonly NamedFlag[] {
    return this.others.named
  }

  below(section: string): readonly string[] | undefined {
    if (this.config.keys || !this.config.instead) return this.others.below(section)
    return this.config.root && [...placeIn(this.config, section).entries()].map(([name]) => name.toLowerCase())
  }

  wordsFor(flag: string): string {
    const isThere = this.counts(flag) && (this.config.instead || this.get(flag))
    return isThere ? `${keyOf(this.config, flag)} in ${this.config.name}` : this.others.wordsFor(flag)
  }

  /** Whether the config decides a flag. */
  private counts(flag: string): boolean {
    return mayContain(this.config, flag) && (this.config.instead || this.others.get(flag) === undefined)
  }
}

/** The value that a row of facts reads, at its place; undefined if it is missing. */
function configOf(
  facts: ConfigFacts,
  args: Arguments,
  container: Cursor,
  snapshot: Snapshot | undefined,
): ControllerConfig | undefined {
  const [named] = facts.flags.flatMap((flag) => args.get(flag) ?? [])
  const found = facts.object
    ? named && objectAt(named, facts.object, args, snapshot)
    : fileAt(named, facts.files ?? [], args, container, snapshot)
  return found && { ...found, instead: facts.instead === true, keys: facts.keys }
}

type ConfigObject = Pick<ControllerConfig, 'root' | 'at' | 'name'>

function objectAt(
  { at, value }: Setting,
  { kind: groupKind, variable, default: byDefault }: NonNullable<ConfigFacts['object']>,
  args: Arguments,
  snapshot: Snapshot | undefined,
): ConfigObject {
  const [name = '', inNamespace] = (value ?? '').split('/').reverse()
  const namespace = inNamespace ?? (variable && args.variable(variable)) ?? byDefault ?? ''
  const [kind = '', ...group] = groupKind.split('.')
  const ref = { group: group.join('.'), kind, namespace, name }
  return { root: uniqueCopy(snapshot?.get(ref) ?? [])?.root, at, name: nameOf(ref) }
}

/**
 * The file that a flag names, else the first one at the default places. A default file does not matter where flags
 * override it.
 */
function fileAt(
  named: Setting | undefined,
  files: readonly string[],
  args: Arguments,
  container: Cursor,
  snapshot: Snapshot | undefined,
): ConfigObject | undefined {
  const at = named?.at ?? container.at('volumeMounts')
  for (const path of named ? [named.value ?? ''] : files) {
    const file = mountedAt(path, container, snapshot)
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (file && file !== 'unknown') {
      const { text } = file
      return { root: readable(text, name), at, name: `${name} of ${nameOf(text.manifest.ref)}` }
    }
    if (named || (file && !args.hasFlags)) return { root: undefined, at, name }
  }
  return undefined
}

/** The settings in a text; undefined if they are not YAML. A text with comments alone is empty. */
function readable(text: Cursor, name: string): Cursor | undefined {
  const { nested } = text
  if (nested) return nested.isMap && !name.endsWith('.toml') ? nested : undefined
  return (text.string ?? '').split('\n').every((line) => /^\s*(?:#.*)?$/.test(line)) ? text : undefined
}
