// The version of a policy that is being made: a candidate, whose hash is not in policies/released.json yet.
import { readFileSync, writeFileSync } from 'node:fs'
import semver from 'semver'
import { bundledPolicies } from '../src/host/bundled'
import type { Policy } from '../src/policy/policy'

/** The hashes of the versions that never change again, by path. */
export function readReleased(): Record<string, string> {
  return JSON.parse(readFileSync('policies/released.json', 'utf8'))
}

/** The candidates that may still change. */
export function openCandidates(): Policy[] {
  const released = readReleased()
  return bundledPolicies(process.cwd()).filter(
    ({ path, file }) => semver.prerelease(file.version) !== null && released[path] === undefined,
  )
}

/**
 * The candidate of a policy that may still change. Where there is none, the newest version is copied to the next minor
 * one.
 *
 * @returns undefined when there is no such policy
 */
export function candidateOf(policy: string): { path: string; version: string } | undefined {
  const versions = bundledPolicies(process.cwd())
    .filter(({ file }) => file.policy === policy)
    .sort((a, b) => semver.rcompare(a.file.version, b.file.version))
  const [newest] = versions
  if (!newest) return undefined
  const open = openCandidates().find(({ path }) => path === newest.path)
  if (open) return { path: open.path, version: open.file.version }
  const isCandidate = semver.prerelease(newest.file.version) !== null
  const version = isCandidate
    ? semver.inc(newest.file.version, 'prerelease')
    : `${semver.inc(newest.file.version, 'minor')}-rc.1`
  const path = `policies/${policy}/${version}.yaml`
  const text = readFileSync(newest.path, 'utf8')
    .replace(/^version: .*$/m, `version: ${version}`)
    .replace(/^changes: .*(?:\n .*)*\n/m, '')
  writeFileSync(path, text)
  return { path, version: String(version) }
}

/** Adds a rule to a candidate as an error, and says so under `changes`. */
export function addRule(path: string, id: string): void {
  const name = id.slice(id.indexOf('/') + 1)
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const changes = lines.findIndex((line) => line.startsWith('changes: '))
  if (changes === -1) lines.splice(lines.indexOf('rules:'), 0, `changes: Adds ${name}.`)
  else lines[changes] += ` Adds ${name}.`
  const later = lines.findIndex((line) => (line.match(/^ {2}([a-z0-9-]+\/[a-z0-9-]+):/)?.[1] ?? '') > id)
  lines.splice(later === -1 ? lines.length : later, 0, `  ${id}: { level: error }`)
  writeFileSync(path, `${lines.join('\n')}\n`)
}
