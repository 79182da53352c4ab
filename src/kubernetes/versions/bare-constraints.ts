import { actionsOf, type Term, termsOf } from '../../template/template-actions'
import type { TemplateFault } from '../../template/template-fault'

/**
 * Questions of templates for the release of a cluster that no cluster of EKS or GKE answers with yes: their versions are like
 * `v1.34.1-gke.100`, which `semverCompare` takes as a pre-release, and that matches no constraint without one.
 * https://github.com/Masterminds/semver#working-with-prerelease-versions
 */
export function bareConstraintsIn(template: string): TemplateFault[] {
  return actionsOf(template).flatMap(({ words }) => faultsIn(termsOf(words)))
}

function faultsIn(terms: readonly Term[]): TemplateFault[] {
  return terms.flatMap((term, at) => {
    if ('group' in term) return faultsIn(term.group)
    const asked = terms[at + 1]
    if (term.text !== 'semverCompare' || !asked || !('text' in asked)) return []
    const [constraint, compared] = [asked.text.slice(1, -1), terms[at + 2] ?? before(terms, at)]
    if (!compared || !('text' in compared) || !ofCluster.test(compared.text)) return []
    if (!isBare(constraint)) return []
    return {
      message: 'constraint' as const,
      from: asked.from,
      written: `${constraint} ${compared.text}`,
      text: `No version of a cluster of EKS or GKE meets "${constraint}", because it ends in -eks-… or -gke.…, which semverCompare takes as a pre-release, so the chart renders as for an old release there. Write "${constraint.trim()}-0".`,
    }
  })
}

/** The value that is piped to a command, as it is. */
function before(terms: readonly Term[], at: number): Term | undefined {
  const mark = terms[at - 1]
  return mark && 'text' in mark && mark.text === '|' ? terms[at - 2] : undefined
}

const ofCluster = /^\$?\.Capabilities\.KubeVersion\.(?:Git)?Version$/

/** Whether a constraint is a lower bound without a pre-release. Versions below an upper bound are seldom in use. */
function isBare(constraint: string): boolean {
  return /^\s*(?:>=?|=>|[\^~])\s*v?\d+(?:\.\d+){0,2}\s*$/.test(constraint)
}
