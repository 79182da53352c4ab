import { statSync } from 'node:fs'
import path from 'node:path'
import { isolationHere, type Limits, runTool } from './tool'

/** A program that renders, as reports name it. */
export interface Tool {
  readonly name: string
  readonly version: string
}

/** Asks a program for its version, in a folder and within limits. */
type AskVersion = (folder: string, limits: Limits) => Promise<Tool>

const unknown = 'unknown'

/** The versions and abilities of the tools of this machine; each is determined once. */
export class ToolProbes {
  private readonly versions = new Map<string, Promise<Tool>>()
  private isolating: Promise<readonly string[]> | undefined

  /** The command prefix that removes the network, as `isolationHere` finds it. */
  isolation(folder: string): Promise<readonly string[]> {
    this.isolating ??= isolationHere(folder)
    return this.isolating
  }

  /** @param when runs the question when it is its turn */
  versionOf(program: string, when: (ask: AskVersion) => Promise<Tool>): Promise<Tool> {
    const key = keyOf(program)
    const known = this.versions.get(key)
    if (known) return known
    const asking = when((folder, limits) => ask(program, folder, limits)).then((tool) => {
      // A run that ends meanwhile ends the question, too.
      if (tool.version === unknown) this.versions.delete(key)
      return tool
    })
    this.versions.set(key, asking)
    return asking
  }
}

async function ask(program: string, folder: string, limits: Limits): Promise<Tool> {
  const name = path.basename(program)
  const args = name.startsWith('kubectl') ? ['version', '--client'] : ['version']
  const { stdout } = await runTool(program, args, { cwd: folder, home: folder, limits })
  return { name, version: stdout.match(/v?\d{1,6}\.\d{1,6}\.\d{1,6}[\w.+-]*/)?.[0] ?? unknown }
}

/** A program that was replaced since is another one. */
function keyOf(program: string): string {
  const { ino, mtimeMs, size } = statSync(program)
  return `${program} ${ino} ${mtimeMs} ${size}`
}
