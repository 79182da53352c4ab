import type { Source } from '../../sources/source'
import type { Limits } from './tool'
import type { Tool, ToolProbes } from './tool-probes'

/** The versions of the tools that render. */
export class ToolVersions {
  constructor(
    private readonly programs: Readonly<Record<Source['kind'], string | undefined>>,
    private readonly folder: () => string,
    private readonly limits: () => Limits,
    private readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>,
    private readonly probes: ToolProbes,
  ) {}

  /** @returns undefined if there is no such program */
  async of(kind: Source['kind']): Promise<Tool | undefined> {
    const program = this.programs[kind]
    if (program === undefined) return undefined
    const limits = this.limits()
    const asked = { ...limits, seconds: Math.min(10, limits.seconds), outputMiB: 1 }
    return this.probes.versionOf(program, (ask) => this.inTurn(() => ask(this.folder(), asked)))
  }

  /** The tools that may render a source; undefined if a version is unknown. */
  async identifying(source: Source): Promise<string[] | undefined> {
    const isOfHelm = source.kind === 'helm' && !source.postRenderers
    const tools = await Promise.all(
      (isOfHelm ? ['helm' as const] : ['helm' as const, 'kustomize' as const]).map((kind) => this.of(kind)),
    )
    if (tools.some((tool) => tool?.version === 'unknown')) return undefined
    return tools.map((tool) => (tool ? `${tool.name} ${tool.version}` : 'none'))
  }
}
