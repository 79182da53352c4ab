import { satisfies } from 'semver'
import type { Cursor } from '../manifest/cursor'
import type { ChartFacts, Condition, Part } from './chart-facts'
import type { ChartRelease } from './chart-release'
import { isPlaceholder } from './ingress'
import type { ReleaseValues } from './release-values'
import type { Setting, Settings } from './settings'

/** What a chart tells its controller: flags, each at the value that decides it. */
export class ChartSettings implements Settings {
  readonly opaque = false
  readonly place: Cursor
  readonly parts: readonly Cursor[]

  constructor(
    private readonly facts: ChartFacts,
    private readonly release: ChartRelease,
  ) {
    this.place = release.values.place
    this.parts = release.parts
  }

  placeOf(flag: string): Cursor {
    const [part] = this.partsOf(flag)
    return part ? this.decisive(part).at : this.place
  }

  get(flag: string): Setting | undefined {
    return this.all(flag).at(-1)
  }

  all(flag: string): Setting[] {
    const given = this.facts.more.flatMap(({ at, as }) => givenBy(this.release.values, at, as, flag))
    if (given.length > 0) return given
    const [made] = this.partsOf(flag).flatMap((part) => this.take(part) ?? [])
    return made ? [made] : []
  }

  isOn(flag: string, byDefault: boolean): boolean | undefined {
    const given = this.get(flag)
    if (!given) return byDefault
    return given.value === undefined ? undefined : /^(?:1|t|true|)$/i.test(given.value)
  }

  has(flag: string): boolean {
    const below = this.facts.flags.filter((one) => one.flag.startsWith(`${flag}.`) || one.flag === flag)
    return below.some((one) => this.get(one.flag) !== undefined)
  }

  variable(): undefined {
    return undefined
  }

  variableBeside(name: string): string | undefined {
    return this.get(name)?.value
  }

  wordsFor(flag: string): string {
    return `--${flag}`
  }

  /** What the chart makes of a part, such as its IngressClass; undefined where it makes none. */
  take(part: Part): Setting | undefined {
    if (!satisfies(this.release.version, part.charts ?? '*')) return undefined
    const { at, holds } = this.decisive(part)
    if (holds === undefined) return { at, value: undefined }
    if (!holds) return undefined
    const given = part.value === undefined ? undefined : this.release.values.get(part.value)
    if (given && !given.told) return { at: given.at, value: undefined }
    const written = textOf(given?.value)
    if (given && written !== '') return { at: given.at, value: written }
    // A default that is filled in is the template's, and stands for an empty value; any other is a value of the chart.
    if (given?.at.exists && !part.default?.includes('{')) return undefined
    const byDefault = part.default === undefined ? undefined : this.filled(part.default)
    return part.default === undefined ? undefined : { at: given?.at.exists ? given.at : at, value: byDefault }
  }

  /** Whether something holds that is on or off by a value; undefined where no file tells. */
  holds({ value, default: byDefault, is = true }: Condition): boolean | undefined {
    const given = this.release.values.get(value)
    if (!given.told) return undefined
    return (given.value === undefined ? byDefault : isTrue(given.value)) === is
  }

  private partsOf(flag: string): Part[] {
    const { version } = this.release
    return this.facts.flags.filter((one) => one.flag === flag && satisfies(version, one.charts ?? '*'))
  }

  /** The value by which a part is made or not: the one that is off, else the first. */
  private decisive({ when = [], value }: Part): { at: Cursor; holds: boolean | undefined } {
    const answers = when.map((one) => ({ at: this.release.values.get(one.value).at, holds: this.holds(one) }))
    const off = answers.find(({ holds }) => holds === false) ?? answers.find(({ holds }) => holds === undefined)
    const at = value === undefined ? this.place : this.release.values.get(value).at
    return off ?? answers[0] ?? { at, holds: true }
  }

  private filled(text: string): string | undefined {
    const { namespace } = this.release
    let told = true
    const value = text.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const [part] = this.facts.flags.filter((one) => one.value === name)
      const found =
        name === 'namespace' ? namespace : name === 'fullname' ? this.fullname() : part && this.take(part)?.value
      if (!found) told = false
      return found ?? ''
    })
    return told ? value : undefined
  }

  /**
   * How nearly every chart calls its objects.
   * Source: https://helm.sh/docs/chart_template_guide/named_templates/, the template that `helm create` writes
   */
  fullname(): string | undefined {
    const { name, values } = this.release
    const [full, short] = ['fullnameOverride', 'nameOverride'].map((key) => values.get(key))
    if (!full?.told || !short?.told) return undefined
    if (textOf(full.value)) return textOf(full.value)
    const chart = textOf(short.value) || this.facts.name
    return isPlaceholder(name) ? undefined : name.includes(chart) ? name : `${name}-${chart}`
  }
}

function givenBy(values: ReleaseValues, path: string, as: 'map' | 'list' | 'variables', flag: string): Setting[] {
  const meaning = (value: string, told: boolean) => (told && !isPlaceholder(value) ? value : undefined)
  if (as === 'list') {
    const { at: list, told } = values.get(path)
    return [...list.items()].flatMap((at) => {
      const [, name, value = ''] = at.string?.match(/^--?([^=\s]+)(?:[=\s](.*))?$/s) ?? []
      return name?.toLowerCase() === flag ? [{ at, value: meaning(value, told) }] : []
    })
  }
  const key = as === 'variables' ? flag.replace(/[-.]/g, '_') : flag
  for (const { at: map, told } of values.maps(path)) {
    const given = [...map.entries()].filter(([name]) => (as === 'variables' ? name.toLowerCase() : name) === key)
    if (given.length > 0)
      return given.map(([, at]) => ({ at, value: at.isMap ? undefined : meaning(textOf(at.value), told) }))
  }
  return []
}

/** What a template takes for true. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}
