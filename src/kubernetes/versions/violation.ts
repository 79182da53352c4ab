import { compare, minVersion, satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import { componentFacts } from './component-facts'
import { endsOfLife } from './defect-facts'
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
 *
 * @param today YYYY-MM-DD
 */
export function violationWords(
  subject: MatrixSubject,
  violations: readonly Violation[],
  rows: readonly MatrixRow[],
  today: string,
) {
  const grounds = violations.flatMap(({ checkedFacts }) => checkedFacts).filter(({ fact }) => fact.at !== subject.at)
  const remedies = remediesOf(violations, subject, rows, today).join('; ')
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

/** One remedy where a release of the component is enough for all; else one for each row. */
function remediesOf(
  violations: readonly Violation[],
  subject: MatrixSubject,
  rows: readonly MatrixRow[],
  today: string,
): string[] {
  const byKubernetes = violations.filter(({ row }) => isOnKubernetes(row))
  const others = violations.filter(({ row }) => !isOnKubernetes(row))
  if (byKubernetes.length === 0) return unique(others.map((violation) => remedyOf(violation, subject)))
  const release = enoughFor(byKubernetes, subject, rows, today)
  // A setting asks for its Kubernetes in every release.
  const ranges = unique(byKubernetes.map(({ row }) => row.requires?.kubernetes ?? '')).join(' and ')
  const isCovered = ({ row }: Violation) => release !== undefined && !satisfies(release, row.versions)
  return unique([
    ...others.filter((one) => !isCovered(one)).map((violation) => remedyOf(violation, subject)),
    `${release ? `use ${subject.advise(release)}, or` : 'use'} Kubernetes ${ranges}`,
  ])
}

/** Whether only another Kubernetes, or another release, meets a row. */
function isOnKubernetes({ requires }: MatrixRow): boolean {
  const { kernel, notOn, kubernetes, kubeProxyMode, containerd } = requires ?? {}
  return kubernetes !== undefined && !kernel && !kubeProxyMode && !containerd && !notOn
}

function remedyOf({ row }: Violation, subject: MatrixSubject): string {
  const title = componentFacts.find(({ name }) => name === row.component)?.title ?? row.component
  const { kernel, notOn, kubernetes, kubeProxyMode, containerd } = row.requires ?? {}
  if (row.fixed) {
    const named = row.fixed.map((release) => (subject.isBrought ? subject.advise(release) : `${title} ${release}`))
    const short = named.map((name, index) => (index > 0 ? name.replace(`${title} `, '') : name))
    return `use ${short.join(', ').replace(/, ([^,]*)$/, ' or $1')}, or a later release`
  }
  if (kernel)
    return `use a kernel ${kernel} on these nodes${row.when?.kubeProxyMode ? ', or run kube-proxy in another mode' : ''}`
  if (kubeProxyMode) return `run kube-proxy in ${kubeProxyMode.join(' or ')} mode`
  if (containerd) return `use containerd ${containerd} on these nodes`
  if (notOn) return `use another release of ${title}`
  return `use Kubernetes ${kubernetes}`
}

/**
 * The next release that all rows call fit for the cluster's Kubernetes and that gets fixes, if any release does; of
 * older ones the newest. None where a row hangs on a setting, which another release would have, too.
 */
function enoughFor(
  violations: readonly Violation[],
  subject: MatrixSubject,
  rows: readonly MatrixRow[],
  today: string,
): string | undefined {
  const [first] = violations
  const kubernetes = first?.checkedFacts.find(({ of }) => of === 'kubernetes')
  const version = kubernetes && releaseIn(kubernetes.fact.value)
  if (!first || !version || violations.some(({ row }) => row.when !== undefined)) return undefined
  const { component } = first.row
  const own = rows.filter((row) => row.component === component && isOnKubernetes(row))
  const candidates = own
    .filter(({ severity, fixed }) => severity === 'warning' || fixed)
    .flatMap(({ versions, fixed }) => fixed ?? minVersion(versions)?.version ?? [])
  const isFit = (one: string) =>
    own.every(({ versions, when, requires }) =>
      when !== undefined || !satisfies(one, versions) ? true : satisfies(version, requires?.kubernetes ?? ''),
    ) &&
    !endsOfLife.some(
      (end) =>
        end.component === component && end.versions !== '*' && satisfies(one, end.versions) && end.ended <= today,
    )
  const fit = candidates.filter(isFit).sort(compare)
  const { release } = subject
  return fit.find((one) => release === undefined || satisfies(one, `>${release}`)) ?? fit.at(-1)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
