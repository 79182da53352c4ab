import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gateRules } from '../finding/gate-finding'
import { type Policy, readPolicy } from '../policy/policy'
import type { PolicyFile } from '../policy/schema'
import type { ToolDescription } from '../report/sarif'
import { rules } from '../rules/index'
import { ruleIds, rulePage, versionIn } from './package'
import { parsedPolicies } from './parsed-policies'

/** The tool itself, from its package. */
export function toolIn(root: string): ToolDescription {
  const ofGate = new Map<string, string>(Object.entries(gateRules))
  const pages = new Set(ruleIds(root))
  return {
    version: versionIn(root),
    describe(id) {
      const summary = rules.find((one) => one.id === id)?.summary ?? ofGate.get(id) ?? id
      return { summary, ...(pages.has(id) ? { page: rulePage(root, id) } : {}) }
    },
  }
}

/**
 * The policies that are shipped with the tool.
 *
 * @param root the folder of the package
 */
export function bundledPolicies(root: string): Policy[] {
  const folder = path.join(root, 'policies')
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => readdirSync(path.join(folder, entry.name)).map((file) => `${entry.name}/${file}`))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => policyIn(root, path.posix.join('policies', file)))
}

function policyIn(root: string, file: string): Policy {
  let content: PolicyFile | undefined
  return {
    path: file,
    name: path.posix.basename(path.posix.dirname(file)),
    version: path.posix.basename(file, '.yaml'),
    get file() {
      if (content) return content
      const text = readFileSync(path.join(root, file), 'utf8')
      content = parsedPolicies.get(createHash('sha1').update(text).digest('hex')) ?? readPolicy(text)
      return content
    },
  }
}
