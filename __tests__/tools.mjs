import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Brings the pinned tools, and has every test find them first. */
export default function bringTools() {
  const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
  execFileSync(process.execPath, [path.join(root, 'scripts', 'tools.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] })
  process.env.PATH = `${path.join(root, '.tools', 'bin')}${path.delimiter}${process.env.PATH}`
}
