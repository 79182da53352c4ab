import type { Cursor } from '../manifest/cursor'
import { isPlaceholder } from './ingress'
import type { Setting, Settings } from './settings'

/** How a program takes its flags. */
interface Style {
  /** Whether `--Flag` is `--flag`. */
  readonly anyCase?: boolean
  /** The prefix of the variables that say what no flag does: of `A_`, `--b-c` is `A_B_C`. */
  readonly variables?: string
  /** Flags that name a place where the others stand. */
  readonly elsewhere?: readonly string[]
}

/** What a container's process is given, with its variables resolved as the kubelet does. */
export class Arguments implements Settings {
  private readonly words: readonly Cursor[]

  constructor(
    private readonly container: Cursor,
    private readonly style: Style = {},
  ) {
    this.words = [...container.at('command').items(), ...container.at('args').items()]
  }

  get place(): Cursor {
    const [args, command] = [this.container.at('args'), this.container.at('command')]
    return args.exists || !command.exists ? args : command
  }

  placeOf(): Cursor {
    return this.place
  }

  /** Whether a word is a program of this name. */
  runs(program: string): boolean {
    return this.words.some((word) => word.string?.split('/').at(-1) === program)
  }

  /** Whether a shell takes the words apart, which is not done here. */
  get inShell(): boolean {
    return this.words.some((word) => /^-[a-z]*c$/.test(word.string ?? '')) && !this.words.some(isLongFlag)
  }

  get opaque(): boolean {
    return this.inShell || (this.style.elsewhere ?? []).some((flag) => this.has(flag))
  }

  get(flag: string): Setting | undefined {
    return this.all(flag).at(-1)
  }

  /** `--flag=value`, `--flag value`, and both with one dash; a variable says what no flag does. */
  all(flag: string): Setting[] {
    const given = this.words.flatMap((at, index) => {
      if (this.nameOf(at) !== flag) return []
      const written = at.string ?? ''
      const equals = written.indexOf('=')
      if (equals !== -1) return [{ at, value: this.resolve(written.slice(equals + 1)) }]
      const next = this.words[index + 1]
      return [next ? { at: next, value: this.resolve(next.string ?? '') } : { at, value: '' }]
    })
    const byVariable = given.length > 0 ? undefined : this.settingOf(flag)
    return byVariable ? [byVariable] : given
  }

  /**
   * A flag that is true when it stands alone: its value is never the next word.
   * Source: https://pkg.go.dev/github.com/spf13/pflag#readme-command-line-flag-syntax
   */
  isOn(flag: string, byDefault: boolean): boolean | undefined {
    const at = this.words.findLast((word) => this.nameOf(word) === flag)?.string
    const byVariable = at === undefined ? this.settingOf(flag) : undefined
    if (at === undefined && !byVariable) return byDefault
    if (at !== undefined && !at.includes('=')) return true
    const value = byVariable ? byVariable.value : this.resolve(at?.slice(at.indexOf('=') + 1) ?? '')
    return value === undefined ? undefined : /^(?:1|t|true)$/i.test(value)
  }

  has(flag: string): boolean {
    const below = (name: string, sign: string) => name === flag || name.startsWith(`${flag}${sign}`)
    if (this.words.some((word) => below(this.nameOf(word) ?? '', '.'))) return true
    const name = this.variableOf(flag)
    return name !== undefined && this.entries().some(([key]) => key === name || key.startsWith(`${name}_`))
  }

  variable(name: string): string | undefined {
    return this.valueOf(name, 0)
  }

  private nameOf(word: Cursor): string | undefined {
    // A list may be given item by item: `--flag[0]=value`.
    const name = word.string?.match(/^--?([a-zA-Z][^=]*)/)?.[1]?.replace(/\[\d+\]$/, '')
    return this.style.anyCase ? name?.toLowerCase() : name
  }

  private variableOf(flag: string): string | undefined {
    const { variables } = this.style
    return variables === undefined ? undefined : variables + flag.replace(/[-.]/g, '_').toUpperCase()
  }

  /** What a variable says of a flag; where a ConfigMap or Secret brings all of its own, nobody can tell. */
  private settingOf(flag: string): Setting | undefined {
    const name = this.variableOf(flag)
    if (name === undefined) return undefined
    const entry = this.entries().findLast(([key]) => key === name)?.[1]
    if (entry) return { at: entry.at('value').exists ? entry.at('value') : entry, value: this.valueOf(name, 0) }
    const from = this.container.at('envFrom')
    return [...from.items()].length > 0 ? { at: from, value: undefined } : undefined
  }

  private entries(): [string, Cursor][] {
    return [...this.container.at('env').items()].map((entry) => [entry.at('name').string ?? '', entry])
  }

  /**
   * Puts variables in: `$(NAME)`, where `$$(NAME)` is text. Undefined when one of them is not written here.
   * Source: https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/
   */
  private resolve(written: string, depth = 0): string | undefined {
    if (isPlaceholder(written.replace(/\$?\$\([^)]*\)/g, ''))) return undefined
    let told = true
    const value = written.replace(/(\$?)\$\(([^)]*)\)/g, (whole, doubled: string, name: string) => {
      if (doubled) return whole.slice(1)
      const resolved = this.valueOf(name, depth)
      if (resolved === undefined) told = false
      return resolved ?? whole
    })
    return told ? value : undefined
  }

  private valueOf(name: string, depth: number): string | undefined {
    const entry = this.entries().findLast(([key]) => key === name)?.[1]
    const field = entry?.at('valueFrom', 'fieldRef', 'fieldPath').string
    if (field !== undefined) return this.fieldOf(field)
    if (!entry || entry.at('valueFrom').exists || depth > deepestVariable) return undefined
    return this.resolve(entry.at('value').string ?? '', depth + 1)
  }

  /**
   * What the Pod is known to have before it runs.
   * Source: https://kubernetes.io/docs/concepts/workloads/pods/downward-api/
   */
  private fieldOf(path: string): string | undefined {
    const { ref, root } = this.container.manifest
    const pod = root.at('spec', 'template')
    if (path === 'metadata.namespace') return ref.namespace || undefined
    if (path === 'spec.serviceAccountName') return pod.at('spec', 'serviceAccountName').string
    const [, labels, key] = path.match(/^metadata\.(labels|annotations)\['(.+)'\]$/) ?? []
    return labels && key ? pod.at('metadata', labels, key).string : undefined
  }
}

/** Variables may name variables before them; nobody goes further. */
const deepestVariable = 8

function isLongFlag(word: Cursor): boolean {
  return /^--[a-z]/.test(word.string ?? '')
}
