import { minVersion, satisfies } from 'semver'
import type { Cursor } from '../../manifest/cursor'
import { componentFacts } from './component-facts'
import { type Breach, type MatrixSubject, releaseIn } from './matrix'
import type { MatrixRow } from './matrix-facts'

const severities = ['error', 'warning', 'notice'] as const

/** The gravest severity of some rows. */
export function gravest(breaches: readonly Breach[]): MatrixRow['severity'] {
  return severities.find((severity) => breaches.some(({ row }) => row.severity === severity)) ?? 'notice'
}

/** The image, or the mode, and then where the settings and the facts stand that the rows asked for: of each object the first. */
export function endsOf({ at }: MatrixSubject, breaches: readonly Breach[]): Cursor[] {
  const settings = breaches.flatMap((breach) => breach.settings).filter(({ manifest }) => manifest !== at.manifest)
  const facts = breaches.flatMap(({ grounds }) => grounds.map(({ fact }) => fact.at)).filter((one) => one !== at)
  const read = [...settings, ...facts]
  return [at, ...read.filter((one, index) => read.findIndex(({ manifest }) => manifest === one.manifest) === index)]
}

/** What a message says of rows that do not hold: beside what the subject stands, why it does not work, and what to do. */
export function wordsOf(subject: MatrixSubject, breaches: readonly Breach[], rows: readonly MatrixRow[]) {
  const grounds = breaches.flatMap(({ grounds }) => grounds).filter(({ fact }) => fact.at !== subject.at)
  const remedies = unique(breaches.map((breach) => remedyOf(breach, subject, rows))).join('; ')
  return {
    name: subject.name,
    // A row on the mode alone is about nothing beside it.
    grounds:
      unique(grounds.map(({ words }) => words))
        .join(', ')
        .replace(/, (?=[^,]*$)/, ' and ') || 'this cluster',
    reasons: unique(breaches.map(({ row }) => row.reason)).join('; '),
    remedies: remedies.charAt(0).toUpperCase() + remedies.slice(1),
  }
}

function remedyOf({ row, grounds }: Breach, subject: MatrixSubject, rows: readonly MatrixRow[]): string {
  const title = componentFacts.find(({ name }) => name === row.component)?.title ?? row.component
  const { kernel, notOn, kubernetes, kubeProxyMode, containerd } = row.requires ?? {}
  if (row.fixed) return `use ${title} ${row.fixed.join(', ').replace(/, ([^,]*)$/, ' or $1')}, or a later release`
  if (kernel)
    return `use a kernel ${kernel} on these nodes${row.when?.kubeProxyMode ? ', or run kube-proxy in another mode' : ''}`
  if (kubeProxyMode) return `run kube-proxy in ${kubeProxyMode.join(' or ')} mode`
  if (containerd) return `use containerd ${containerd} on these nodes`
  if (notOn) return `use another release of ${title}`
  // Another release mends what a release is made for, and not what a setting asks of all of them.
  const fitting = row.when === undefined ? fittingRelease(row, subject, rows, grounds) : undefined
  return `${fitting ? `use ${title} ${fitting}, or` : 'use'} Kubernetes ${kubernetes}`
}

/** The next release that a row calls fit for the cluster's Kubernetes; of older ones the newest. */
function fittingRelease(
  { component }: MatrixRow,
  { release }: MatrixSubject,
  rows: readonly MatrixRow[],
  grounds: Breach['grounds'],
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
