import type { Finding } from './report'

/** By path, line, column, rule; then by anything that distinguishes two findings at one place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (a, b) =>
      compare(a.location.path, b.location.path) ||
      a.location.region.startLine - b.location.region.startLine ||
      a.location.region.startColumn - b.location.region.startColumn ||
      compare(a.rule, b.rule) ||
      compare(a.fingerprint, b.fingerprint),
  )
}

/** By code unit, the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
