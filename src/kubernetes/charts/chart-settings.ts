import { satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import { isPlaceholder } from '../ingress/ingress'
import type { NamedFlag, Setting, Settings } from '../workload/settings'
import type { Cases, ChartFacts, ValueCondition, ValueSetting } from './chart-facts'
import type { ChartRelease } from './chart-release'
import type { ReleaseValue } from './release-values'

/** A controller's settings in a chart: flags, each at the value that decides it. */
export class ChartSettings implements Settings {
  readonly opaque = false
  readonly place: Cursor
  readonly parts: readonly Cursor[]

  constructor(
    private readonly facts: Pick<ChartFacts, 'name' | 'namespace' | 'fullname' | 'flags' | 'more'>,
    private readonly release: Pick<ChartRelease, 'name' | 'namespace' | 'version' | 'values' | 'parts'>,
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
    const given = this.more.flatMap((more) => this.givenBy(more, flag))
    const parts = this.partsOf(flag)
    const made = this.take(parts)
    if (given.length > 0) return made && parts.some(({ adds }) => adds) ? [made, ...given] : given
    if (made) return [made]
    // A value that no file sets may be set by a file that is not in this repository.
    const hidden = this.more.map((more) => this.placeIn(more, flag)).find(({ isKnown }) => !isKnown)
    return hidden ? [{ at: hidden.at, value: undefined, maybe: true }] : []
  }

  isOn(flag: string, byDefault: boolean): boolean | undefined {
    const given = this.get(flag)
    if (!given) return byDefault
    return given.value === undefined ? undefined : /^(?:1|t|true|)$/i.test(given.value)
  }

  has(flag: string): boolean {
    return this.get(flag) !== undefined || this.listed.some((name) => name === flag || name.startsWith(`${flag}.`))
  }

  /** The chart may give more. */
  below(): undefined {
    return undefined
  }

  variable(): undefined {
    return undefined
  }

  variableBeside(name: string): string | undefined {
    return this.get(name)?.value
  }

  /** The flags that values give literally. */
  get named(): readonly NamedFlag[] {
    const { values } = this.release
    return this.more.flatMap(({ at, as }): NamedFlag[] => {
      if (as === 'list') return argumentsIn(values.get(at).at)
      if (as === 'variables') return []
      const given = values.mapsAt(at).flatMap((map) => [...map.entries()])
      return given.flatMap(([name, at]) => (at.value === null || isPlaceholder(name) ? [] : [{ name, at }]))
    })
  }

  wordsFor(flag: string): string {
    return `--${flag}`
  }

  /** The first object that the chart creates of this kind, such as its IngressClass; undefined if it creates none. */
  take(parts: readonly ValueSetting[]): Setting | undefined {
    for (const part of parts) {
      const made = this.isOfVersion(part.charts) ? this.made(part) : undefined
      if (made) return made
    }
    return undefined
  }

  /** The value that decides whether the chart creates such an object. */
  placeOfParts(parts: readonly ValueSetting[]): Cursor {
    const part = parts.find(({ charts }) => this.isOfVersion(charts))
    return part ? this.decisive(part).at : this.place
  }

  private made(part: ValueSetting): Setting | undefined {
    const { at, holds } = this.decisive(part)
    if (holds === undefined) return { at, value: undefined }
    if (!holds) return undefined
    const given = part.value === undefined ? undefined : this.release.values.get(part.value)
    if (given && !given.isKnown) return { at: given.at, value: undefined }
    const written = valueText(given?.value)
    if (given && written !== '') return { at: given.at, value: written }
    // A filled-in default belongs to the template, and replaces an empty value; any other is a value of the chart.
    if (given?.at.exists && !part.default?.includes('{')) return undefined
    const byDefault = part.default === undefined ? undefined : this.filled(part.default)
    return part.default === undefined ? undefined : { at: given?.at.exists ? given.at : at, value: byDefault }
  }

  /** Whether one of several cases is known to apply: that no part of it runs, for example. */
  isCase(cases: Cases = []): boolean {
    return this.ofVersion(cases).some(({ when }) => when.every((one) => this.holds(one) === true))
  }

  /** Whether none of several cases applies, as is known. */
  isNoCase(cases: Cases): boolean {
    return this.ofVersion(cases).every(({ when }) => when.some((one) => this.holds(one) === false))
  }

  /** The first value that decides whether one of several cases applies. */
  placeOfCase(cases: Cases = []): Cursor {
    const values = this.ofVersion(cases).flatMap(({ when }) =>
      when.map(({ value }) => this.release.values.get(value).at),
    )
    return values.find(({ exists }) => exists) ?? values[0] ?? this.place
  }

  private ofVersion(cases: Cases): Cases {
    return cases.filter(({ charts }) => this.isOfVersion(charts))
  }

  /** The namespace of its objects; undefined if it is unknown. */
  get namespace(): string | undefined {
    const other = this.take(this.facts.namespace ?? [])
    return other ? other.value : this.release.namespace
  }

  /** Whether a value meets a condition; undefined if the value is unknown. */
  private holds({ value, default: byDefault, is = true }: ValueCondition): boolean | undefined {
    const given = this.release.values.get(value)
    if (!given.isKnown) return undefined
    if (given.value === undefined) return byDefault === is
    return (typeof is === 'string' ? valueText(given.value) : isTrue(given.value)) === is
  }

  private isOfVersion(charts = '*'): boolean {
    return satisfies(this.release.version, charts)
  }

  private partsOf(flag: string): ChartFacts['flags'] {
    return this.facts.flags.filter((one) => one.flag === flag && this.isOfVersion(one.charts))
  }

  /** The names of the flags that are given as a list. */
  private get listed(): string[] {
    const lists = this.more.filter(({ as }) => as === 'list')
    return lists.flatMap(({ at }) => argumentsIn(this.release.values.get(at).at).map(({ name }) => name))
  }

  private get more() {
    return this.facts.more.filter(({ charts }) => this.isOfVersion(charts))
  }

  /** The place of a flag among the literal ones. */
  private placeIn({ at, as }: ChartFacts['more'][number], flag: string): ReleaseValue {
    const { values } = this.release
    if (as === 'list') return values.get(at)
    if (as !== 'variables') return values.get(`${at}.${flag}`)
    const name = flag.replace(/[-.]/g, '_')
    const inCapitals = values.get(`${at}.${name.toUpperCase()}`)
    return inCapitals.at.exists ? inCapitals : values.get(`${at}.${name}`)
  }

  private givenBy(more: ChartFacts['more'][number], flag: string): Setting[] {
    const given = this.placeIn(more, flag)
    const { at, isKnown } = given
    if (!at.exists) return []
    if (more.as === 'list') {
      const found = argumentsIn(at).filter(({ name }) => name === flag)
      return found.map(({ at, value }) => ({ at, value: isKnown && !isPlaceholder(value) ? value : undefined }))
    }
    const value = more.as === 'switches' && !isTrue(given.value) ? '' : valueText(given.value)
    return [{ at, value: isKnown && !at.isMap ? value : undefined }]
  }

  /** The value that decides whether a part is created: the one that is off, else the first. */
  private decisive({ when = [], value }: ValueSetting): { at: Cursor; holds: boolean | undefined } {
    const answers = when.map((one) => ({ at: this.release.values.get(one.value).at, holds: this.holds(one) }))
    const off = answers.find(({ holds }) => holds === false) ?? answers.find(({ holds }) => holds === undefined)
    const at = value === undefined ? this.place : this.release.values.get(value).at
    return off ?? answers[0] ?? { at, holds: true }
  }

  private filled(text: string): string | undefined {
    let isKnown = true
    const value = text.replace(/\{([^{}:]+)(?::([^{}]*))?\}/g, (_, name: string, byDefault: string | undefined) => {
      const found = this.textNamed(name, byDefault)
      if (!found) isKnown = false
      return found ?? ''
    })
    // A longer one is cut, but each chart cuts another part of it.
    return isKnown && value.split('/').every((one) => one.length <= longestName) ? value : undefined
  }

  private textNamed(name: string, byDefault: string | undefined): string | undefined {
    if (name === 'release') return isPlaceholder(this.release.name) ? undefined : this.release.name
    if (name === 'namespace') return this.namespace
    if (name === 'fullname') return this.fullname()
    const given = this.release.values.get(name)
    return given.isKnown ? valueText(given.value) || byDefault : undefined
  }

  /**
   * The usual name of a chart's objects. Source: https://helm.sh/docs/chart_template_guide/named_templates/, the
   * template that `helm create` writes
   */
  fullname(): string | undefined {
    const own = this.take(this.facts.fullname ?? [])
    if (own) return own.value && shortened(own.value)
    const { name, values } = this.release
    const [full, short] = ['fullnameOverride', 'nameOverride'].map((key) => values.get(key))
    if (!full?.isKnown || !short?.isKnown) return undefined
    if (valueText(full.value)) return shortened(valueText(full.value))
    const chart = valueText(short.value) || this.facts.name
    if (isPlaceholder(name)) return undefined
    return shortened(name.includes(chart) ? name : `${name}-${chart}`)
  }
}

/** Charts cut names where those of Services and labels end. */
const longestName = 63

function shortened(name: string): string {
  return name.slice(0, longestName).replace(/-$/, '')
}

function argumentsIn(list: Cursor): { at: Cursor; name: string; value: string }[] {
  return [...list.items()].flatMap((at) => {
    const [, name, value = ''] = at.string?.match(/^--?([^=\s]+)(?:[=\s](.*))?$/s) ?? []
    return name === undefined ? [] : [{ at, name: name.toLowerCase(), value }]
  })
}

/** Values that a template treats as true. */
function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

/** A value as a template prints it; empty where there is none. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(',')
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value)
}
