import type { Cursor } from '../manifest/cursor'
import { isPlaceholder } from './ingress'
import type { Setting, Settings } from './settings'

/** What a container's process is given, with its variables resolved as the kubelet does. */
export class Arguments implements Settings {
  private readonly words: readonly Cursor[]

  constructor(private readonly container: Cursor) {
    this.words = [...container.at('command').items(), ...container.at('args').items()]
  }

  /** Where an argument that is missing has to be written. */
  get place(): Cursor {
    const [args, command] = [this.container.at('args'), this.container.at('command')]
    return args.exists || !command.exists ? args : command
  }

  /** Whether a word is a program of this name. */
  runs(program: string): boolean {
    return this.words.some((word) => word.string?.split('/').at(-1) === program)
  }

  /** Whether a shell takes the words apart, which is not done here. */
  get inShell(): boolean {
    return this.words.some((word) => /^-[a-z]*c$/.test(word.string ?? '')) && !this.words.some(isLongFlag)
  }

  /** `--flag=value`, `--flag value`, and both with one dash; the last one counts. */
  get(flag: string): Setting | undefined {
    return this.all(flag).at(-1)
  }

  all(flag: string): Setting[] {
    return this.words.flatMap((at, index) => {
      if (nameOf(at) !== flag) return []
      const written = at.string ?? ''
      const equals = written.indexOf('=')
      if (equals !== -1) return [{ at, value: this.resolve(written.slice(equals + 1)) }]
      const next = this.words[index + 1]
      return [next ? { at: next, value: this.resolve(next.string ?? '') } : { at, value: '' }]
    })
  }

  /**
   * A flag that is true when it stands alone: its value is never the next word. Undefined where no file tells.
   * Source: https://pkg.go.dev/github.com/spf13/pflag#readme-command-line-flag-syntax
   */
  isOn(flag: string, byDefault: boolean): boolean | undefined {
    const at = this.words.findLast((word) => nameOf(word) === flag)?.string
    if (at === undefined) return byDefault
    const equals = at.indexOf('=')
    if (equals === -1) return true
    const value = this.resolve(at.slice(equals + 1))
    return value === undefined ? undefined : /^(?:1|t|true)$/i.test(value)
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
      const resolved = this.variable(name, depth)
      if (resolved === undefined) told = false
      return resolved ?? whole
    })
    return told ? value : undefined
  }

  private variable(name: string, depth: number): string | undefined {
    const entry = [...this.container.at('env').items()].findLast((one) => one.at('name').string === name)
    if (entry?.at('valueFrom', 'fieldRef', 'fieldPath').string === 'metadata.namespace')
      return this.container.manifest.ref.namespace || undefined
    if (!entry || entry.at('valueFrom').exists || depth > deepestVariable) return undefined
    return this.resolve(entry.at('value').string ?? '', depth + 1)
  }
}

/** Variables may name variables before them; nobody goes further. */
const deepestVariable = 8

function isLongFlag(word: Cursor): boolean {
  return /^--[a-z]/.test(word.string ?? '')
}

function nameOf(word: Cursor): string | undefined {
  return word.string?.match(/^--?([a-zA-Z][^=]*)/)?.[1]
}
