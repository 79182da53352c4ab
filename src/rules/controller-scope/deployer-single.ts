import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { comparisonKey } from '../../manifest/load'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/deployer-single',
  summary: 'An Application of Argo CD is written once in what is deployed together.',
  since: '1.8.0',
  scope: 'snapshot',
  kinds: [gitOpsKind.application],
  direct: true,
  messages: {
    // Source: https://github.com/argoproj/argo-cd, controller/state.go, DeduplicateTargetObjects: of two objects of one name it keeps the
    // last one
    replaced: ({ object, files, first, last }: Record<'object' | 'files' | 'first' | 'last', string>) =>
      `${object} is written twice, in ${files}: for ${first}, and for ${last}. Only the one that is applied last counts, so nothing deploys the other, and with prune its objects are deleted. Give one of them another name.`,
  },
  putBack: { replaced: 'changed' },
  *partners({ ref, origin }) {
    yield ref.name
    yield folderOf(origin.path)
  },
  check({ manifest, snapshot, report }) {
    const { ref, root, assumption } = manifest
    if (assumption || isPlaceholder(ref.name)) return
    const copies = snapshot.get(ref).filter((one) => !one.assumption)
    const [other, last, more] = copies.toSorted(byPath)
    if (!other || last !== manifest || more || comparisonKey(other.object) === comparisonKey(last.object)) return
    const [first, second] = [other, last].map(inWords)
    if (!first || !second || first === second || !areTogether(other, last, snapshot)) return
    const { path } = last.origin
    const files = other.origin.path === path ? path : `${other.origin.path} and ${path}`
    const ends = [root.at('metadata', 'name'), other.root.at('metadata', 'name')]
    report(ends, 'replaced', { object: nameOf(ref), files, first, last: second }, { keys: [] })
  },
})

/** The order of the statement: the change need not decide which of two files comes first. */
function byPath({ origin: { path: a } }: Manifest, { origin: { path: b } }: Manifest): number {
  return Number(a > b) - Number(a < b)
}

/** The folder or chart that an Application deploys, if it is one. */
function inWords({ root }: Manifest): string | undefined {
  const [source, ...more] = readApplication(root).sources
  const place = source && (textAt(source.path) || textAt(source.chart))
  return place && more.length === 0 ? place : undefined
}

/**
 * Whether two objects are applied together: one rendering or one file has both, or an Application deploys their folder as it is.
 * Other files of one folder are often applied to one cluster each.
 */
function areTogether({ origin: a }: Manifest, { origin: b }: Manifest, snapshot: Snapshot): boolean {
  if (a.kind === 'rendered' || b.kind === 'rendered')
    return a.kind === b.kind && a.kind === 'rendered' && a.id === (b as typeof a).id
  if (a.path === b.path) return true
  const folder = folderOf(a.path)
  if (folder === '' || folder !== folderOf(b.path)) return false
  const sources = snapshot.ofKind(gitOpsKind.application).flatMap(({ root }) => readApplication(root).sources)
  return sources.some(({ path, directory }) => {
    const isWhole = !directory.at('include').exists && !directory.at('exclude').exists
    return isWhole && partsOf(textAt(path)).join('/') === folder
  })
}

/** The parts of a path that name something. */
function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.')
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}
