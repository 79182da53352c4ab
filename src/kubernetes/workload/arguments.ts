import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import { Environment } from './environment'
import type { NamedFlag, Setting, Settings } from './settings'

/** The syntax of a program's flags. */
interface Style {
  /** Whether `--Flag` is `--flag`. */
  readonly anyCase?: boolean
  /** The prefix of variables that replace flags: for `A_`, `--b-c` is `A_B_C`. */
  readonly variables?: string
  /** Whether variables count only where there is no flag at all. */
  readonly exclusive?: boolean
  /** The number of dashes before a flag. */
  readonly dashes?: string
  /** The variable in which it always has its Pod's namespace. */
  readonly namespaceVariable?: string
}

/** The command line of a container's process, with its variables resolved as the kubelet does. */
export class Arguments implements Settings {
  private readonly words: readonly Cursor[]
  private readonly environment: Environment

  constructor(
    private readonly container: Cursor,
    private readonly style: Style = {},
    private readonly snapshot?: Snapshot,
  ) {
    this.words = [...container.at('command').items(), ...container.at('args').items()]
    this.environment = new Environment(container, snapshot, style.namespaceVariable)
  }

  get place(): Cursor {
    const [args, command] = [this.container.at('args'), this.container.at('command')]
    return args.exists || !command.exists ? args : command
  }

  placeOf(): Cursor {
    return this.place
  }

  /** Whether a word is a program with this name. */
  runs(program: string): boolean {
    return this.words.some((word) => word.string?.split('/').at(-1) === program)
  }

  /** Whether there is any flag. */
  get hasFlags(): boolean {
    return this.words.some((word) => this.nameOf(word) !== undefined)
  }

  /** Whether a shell splits the words, which is not done here. */
  get inShell(): boolean {
    return this.words.some((word) => /^-[a-z]*c$/.test(word.string ?? '')) && !this.words.some(isLongFlag)
  }

  get opaque(): boolean {
    return this.inShell
  }

  get parts(): readonly Cursor[] {
    return this.variableOf('') === undefined ? [] : this.environment.holders
  }

  /** Flags with two dashes: with one dash, several flags of one letter may be meant. */
  get named(): readonly NamedFlag[] {
    if (this.inShell) return []
    return this.words.flatMap((at) => {
      const name = at.string?.startsWith('--') ? this.nameOf(at) : undefined
      return name === undefined || isPlaceholder(name) ? [] : [{ name, at }]
    })
  }

  below(section: string): readonly string[] | undefined {
    if (this.inShell || this.words.some(({ string = '' }) => isPlaceholder(string) && !string.includes('=')))
      return undefined
    const names = this.named.flatMap(({ name }) => {
      const [first, second] = name.toLowerCase().split('.')
      return first === section && second ? [second] : []
    })
    return [...new Set(names)]
  }

  wordsFor(flag: string): string {
    return `${this.style.dashes ?? '--'}${flag}`
  }

  get(flag: string): Setting | undefined {
    return this.all(flag).at(-1)
  }

  /** `--flag=value`, `--flag value`, and both with one dash; a variable counts if no flag is given. */
  all(flag: string): Setting[] {
    const given = this.words.flatMap((at, index) => {
      if (this.nameOf(at) !== flag) return []
      const written = at.string ?? ''
      const equals = written.indexOf('=')
      if (equals !== -1) return [this.environment.resolve(written.slice(equals + 1), at)]
      const next = this.words[index + 1]
      return [next ? this.environment.resolve(next.string ?? '', next) : { at, value: '' }]
    })
    const byVariable = given.length > 0 ? undefined : this.settingOf(flag)
    return byVariable ? [byVariable] : given
  }

  /**
   * Reads a flag that is true without a value: the next word is never its value. Source:
   * https://pkg.go.dev/github.com/spf13/pflag#readme-command-line-flag-syntax
   */
  isOn(flag: string, byDefault: boolean): boolean | undefined {
    const word = this.words.findLast((one) => this.nameOf(one) === flag)
    const written = word?.string ?? ''
    if (word && !written.includes('=')) return true
    const given = word ? this.environment.resolve(written.slice(written.indexOf('=') + 1), word) : this.settingOf(flag)
    if (!given) return byDefault
    return given.value === undefined ? undefined : /^(?:1|t|true)$/i.test(given.value)
  }

  has(flag: string): boolean {
    const below = (name: string, sign: string) => name === flag || name.startsWith(`${flag}${sign}`)
    if (this.words.some((word) => below(this.nameOf(word) ?? '', '.'))) return true
    const name = this.variableOf(flag)
    return name !== undefined && this.environment.names.some((key) => key === name || key.startsWith(`${name}_`))
  }

  variable(name: string): string | undefined {
    return this.environment.get(name)?.value
  }

  variableBeside(name: string): string | undefined {
    return [...podOf(this.container.manifest).at('spec', 'containers').items()]
      .map((one) => new Environment(one, this.snapshot).get(name)?.value)
      .find((value) => value !== undefined)
  }

  private nameOf(word: Cursor): string | undefined {
    // A list may be given item by item: `--flag[0]=value`.
    const name = word.string?.match(/^--?([a-zA-Z][^=]*)/)?.[1]?.replace(/\[\d+\]$/, '')
    return this.style.anyCase ? name?.toLowerCase() : name
  }

  private variableOf(flag: string): string | undefined {
    const { variables, exclusive } = this.style
    if (variables === undefined || (exclusive && this.hasFlags)) return undefined
    return variables + flag.replace(/[-.]/g, '_').toUpperCase()
  }

  /** The value of a variable for a flag; unknown if all variables come from a Secret or an unknown ConfigMap. */
  private settingOf(flag: string): Setting | undefined {
    const name = this.variableOf(flag)
    if (name === undefined) return undefined
    const { hidden } = this.environment
    return this.environment.get(name) ?? (hidden && { at: hidden, value: undefined, maybe: true })
  }
}

function isLongFlag(word: Cursor): boolean {
  return /^--[a-z]/.test(word.string ?? '')
}
