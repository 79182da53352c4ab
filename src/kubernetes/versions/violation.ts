import { minVersion, satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import { componentFacts } from './component-facts'
import { type MatrixSubject, releaseIn, type Violation } from './matrix'
import type { MatrixRow } from './matrix-facts'

const severities = ['error', 'warning', 'notice'] as const

/** The highest severity of some rows. */
export function highestSeverity(violations: readonly Violation[]): MatrixRow['severity'] {
  return severities.find((severity) => violations.some(({ row }) => row.severity === severity)) ?? 'notice'
}

/** The image, or the mode, and then the settings and facts that the rows asked for: the first of each object. */
export function endsOf({ at }: MatrixSubject, violations: readonly Violation[]): Cursor[] {
  const settings = violations
    .flatMap((violation) => violation.settings)
    .filter(({ manifest }) => manifest !== at.manifest)
  const facts = violations
    .flatMap(({ checkedFacts }) => checkedFacts.map(({ fact }) => fact.at))
    .filter((one) => one !== at)
  const read = [...settings, ...facts]
  return [at, ...read.filter((one, index) => read.findIndex(({ manifest }) => manifest === one.manifest) === index)]
}

/**
 * The parts of a message about violated rows: the platform the subject runs on, why it does not work, and what to do.
 */
export function violationWords(subject: MatrixSubject, violations: readonly Violation[], rows: readonly MatrixRow[]) {
  const grounds = violations.flatMap(({ checkedFacts }) => checkedFacts).filter(({ fact }) => fact.at !== subject.at)
  const remedies = unique(violations.map((violation) => remedyOf(violation, subject, rows))).join('; ')
  return {
    name: subject.name,
    // A row about the mode alone has no other facts.
    grounds:
      unique(grounds.map(({ words }) => words))
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' and ') || 'this cluster',
    reasons: unique(violations.map(({ row }) => row.reason)).join('; '),
    remedies: remedies.charAt(0).toUpperCase() + remedies.slice(1),
  }
}

function remedyOf({ row, checkedFacts }: Violation, subject: MatrixSubject, rows: readonly MatrixRow[]): string {
  const title = componentFacts.find(({ name }) => name === row.component)?.title ?? row.component
  const { kernel, notOn, kubernetes, kubeProxyMode, containerd } = row.requires ?? {}
  if (row.fixed) return `use ${title} ${row.fixed.join(', ').replace(/, ([^,]*)$/, ' or $1')}, or a later release`
  if (kernel)
    return `use a kernel ${kernel} on these nodes${row.when?.kubeProxyMode ? ', or run kube-proxy in another mode' : ''}`
  if (kubeProxyMode) return `run kube-proxy in ${kubeProxyMode.join(' or ')} mode`
  if (containerd) return `use containerd ${containerd} on these nodes`
  if (notOn) return `use another release of ${title}`
  // Another release fixes a requirement of the release, not one of a setting in every release.
  const fitting = row.when === undefined ? fittingRelease(row, subject, rows, checkedFacts) : undefined
  return `${fitting ? `use ${title} ${fitting}, or` : 'use'} Kubernetes ${kubernetes}`
}

/** The next release that a row calls fit for the cluster's Kubernetes; of older ones the newest. */
function fittingRelease(
  { component }: MatrixRow,
  { release }: MatrixSubject,
  rows: readonly MatrixRow[],
  grounds: Violation['checkedFacts'],
) {
  const kubernetes = grounds.find(({ of }) => of === 'kubernetes')
  const version = kubernetes && releaseIn(kubernetes.fact.value)
  if (!version) return undefined
  const fit = rows.flatMap(({ component: other, versions, requires, severity }) => {
    const isRange = other === component && severity === 'warning' && requires?.kubernetes !== undefined
    return isRange && satisfies(version, requires.kubernetes ?? '') ? (minVersion(versions)?.version ?? []) : []
  })
  return fit.find((one) => release === undefined || satisfies(one, `>${release}`)) ?? fit.at(-1)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
