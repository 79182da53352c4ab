import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Policy, readPolicy } from '../policy/policy'

/**
 * Reads the policies that are shipped with the tool.
 *
 * @param root the folder of the package
 */
export function bundledPolicies(root: string): Policy[] {
  const folder = path.join(root, 'policies')
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'facts')
    .flatMap((entry) => readdirSync(path.join(folder, entry.name)).map((file) => `${entry.name}/${file}`))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => readPolicy(readFileSync(path.join(folder, file), 'utf8'), `policies/${file}`))
}
