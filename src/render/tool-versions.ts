import path from 'node:path'
import type { Source } from '../sources/source'
import { type Limits, runTool } from './tool'

/** A tool that renders. */
export interface Tool {
  readonly name: string
  readonly version: string
}

/** The versions of the tools that render, each asked for once. */
export class ToolVersions {
  private readonly known = new Map<string, Promise<Tool>>()

  constructor(
    private readonly programs: Readonly<Record<Source['kind'], string | undefined>>,
    private readonly folder: string,
    private readonly limits: () => Limits,
    private readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  ) {}

  /** @returns nothing where there is no such program */
  async of(kind: Source['kind']): Promise<Tool | undefined> {
    const program = this.programs[kind]
    if (program === undefined) return undefined
    const asking = this.known.get(program) ?? this.inTurn(() => this.ask(program))
    this.known.set(program, asking)
    return asking
  }

  /** The tools that may render a source; nothing where a version is not known. */
  async identifying(source: Source): Promise<string[] | undefined> {
    const isOfHelm = source.kind === 'helm' && !source.postRenderers
    const tools = await Promise.all(
      (isOfHelm ? ['helm' as const] : ['helm' as const, 'kustomize' as const]).map((kind) => this.of(kind)),
    )
    if (tools.some((tool) => tool?.version === 'unknown')) return undefined
    return tools.map((tool) => (tool ? `${tool.name} ${tool.version}` : 'none'))
  }

  private async ask(program: string): Promise<Tool> {
    const name = path.basename(program)
    const args = name.startsWith('kubectl') ? ['version', '--client'] : ['version']
    const limits = this.limits()
    const asked = { ...limits, seconds: Math.min(10, limits.seconds), outputMiB: 1 }
    const { stdout } = await runTool(program, args, { cwd: this.folder, home: this.folder, limits: asked })
    return { name, version: stdout.match(/v?\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]*/)?.[0] ?? 'unknown' }
  }
}
