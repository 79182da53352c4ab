import type { DeclarationSite, Source } from '../sources/source'
import type { FetchedInput } from './fetched-input'

/** The fetched dependencies of charts: their files where helm looks for them, and the lines that request them, by folder. */
export interface FetchedDependencies {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly entries: ReadonlyMap<string, DeclarationSite>
}

/** The inputs of the Kustomizations and charts for which something was fetched. */
export class FetchedInputs {
  /**
   * @param ofSources the inputs, by the ids of sources
   * @param ofCharts the inputs with dependencies, by the folders of the charts
   */
  constructor(
    private readonly ofSources: ReadonlyMap<string, FetchedInput> = new Map(),
    private readonly ofCharts: ReadonlyMap<string, FetchedInput> = new Map(),
  ) {}

  withSources(added: Iterable<readonly [string, FetchedInput]>): FetchedInputs {
    return new FetchedInputs(new Map([...this.ofSources, ...added]), this.ofCharts)
  }

  withCharts(folders: Iterable<string>, input: FetchedInput): FetchedInputs {
    const added = [...folders].map((folder) => [folder, input] as const)
    return new FetchedInputs(this.ofSources, new Map([...this.ofCharts, ...added]))
  }

  of(source: Source): FetchedInput | undefined {
    const own = this.ofSources.get(source.id)
    return own ?? (source.kind === 'helm' ? this.ofCharts.get(source.chart) : undefined)
  }

  /** Whether a part was fetched: an entry of a Kustomization by its text, a chart by its folder. */
  includes(part: string): boolean {
    return [...this.ofSources.values(), ...this.ofCharts.values()].some(
      ({ checkout }) => checkout.inPlaceOf.has(part) || checkout.has(`${part}/Chart.yaml`),
    )
  }

  /** Whether a source has fetched parts. */
  isPartOf(source: Source): boolean {
    if (source.kind === 'helm' && source.fetched !== undefined) return true
    const { entries, hasCharts } = this.of(source) ?? {}
    return hasCharts === true || (entries !== undefined && entries.size > 0)
  }
}
