import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { selectsLabels } from './label-selector'

/** The label by which Argo CD finds the Secrets of its clusters. */
export const clusterLabel = 'argocd.argoproj.io/secret-type'

/** The metadata of Secrets, as they are written and as controllers make them. */
const metadataOf: Readonly<Record<string, readonly string[]>> = {
  Secret: ['metadata'],
  'SealedSecret.bitnami.com': ['spec', 'template', 'metadata'],
  'ExternalSecret.external-secrets.io': ['spec', 'target', 'template', 'metadata'],
}

/** An ApplicationSet that takes a cluster of Argo CD no longer, both as they are at the head. */
export interface Deselection {
  readonly set: Manifest
  readonly secret: Manifest
  /** The part of both that decides it. */
  readonly selector: Cursor
  readonly label: Cursor
}

/** Whether a Secret is that of a cluster of Argo CD. */
export function isOfCluster(manifest: Manifest): boolean {
  return labelsIn(manifest)?.at(clusterLabel).string === 'cluster'
}

/**
 * The clusters that ApplicationSets select at the base by their labels, and not at the head. A Secret that is removed is
 * passed over: without it Argo CD cannot delete anything in its cluster.
 *
 * @param before an object of the base that differs at the head
 */
export function* deselections(
  before: Manifest,
  after: Manifest,
  base: Snapshot,
  head: Snapshot,
): Iterable<Deselection> {
  if (isOfCluster(before)) {
    for (const set of base.ofKind(gitOpsKind.applicationSet)) {
      const [now] = head.get(set.ref)
      if (now) yield* deselected({ set, secret: before }, { set: now, secret: after })
    }
  }
  if (groupKindOf(before.ref) !== gitOpsKind.applicationSet || selectorsOf(before).length === 0) return
  for (const secret of Object.keys(metadataOf).flatMap((kind) => base.ofKind(kind))) {
    // One that differs is compared with all sets above.
    const [now] = head.get(secret.ref)
    if (now?.object.content === secret.object.content)
      yield* deselected({ set: before, secret }, { set: after, secret: now })
  }
}

function* deselected(
  was: Pick<Deselection, 'set' | 'secret'>,
  is: Pick<Deselection, 'set' | 'secret'>,
): Iterable<Deselection> {
  const selector = selectorsOf(was.set).find((one) => selects(one, was.secret))
  if (!selector || selectorsOf(is.set).some((one) => selects(one, is.secret))) return
  const labels = is.secret.root.at(...(labelsIn(was.secret)?.path ?? []))
  const keys = [...selector.at('matchLabels').entries()].map(([key]) => key)
  const expressions = [...selector.at('matchExpressions').items()].map((one) => one.at('key').string ?? '')
  const differs = (key: string) => labels.at(key).string !== labelsIn(was.secret)?.at(key).string
  const key = [clusterLabel, ...keys, ...expressions].find(differs)
  const label = key === undefined || !labels.at(key).exists ? labels : labels.at(key)
  yield { ...is, selector: is.set.root.at(...selector.path), label }
}

/** A generator of clusters without a selector takes all of them. */
function selects(selector: Cursor, secret: Manifest): boolean {
  const labels = labelsIn(secret)
  if (!labels || !isOfCluster(secret)) return false
  return !selector.exists || selectsLabels(selector, labels)
}

function labelsIn({ ref, root }: Manifest): Cursor | undefined {
  const metadata = entryOf(metadataOf, groupKindOf(ref))
  return metadata && root.at(...metadata, 'labels')
}

/**
 * The selectors of the generators of clusters of an ApplicationSet, also of those in others:
 * https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster/
 */
function selectorsOf({ root }: Manifest): Cursor[] {
  return selectorsIn(root.at('spec', 'generators'), 0)
}

function selectorsIn(generators: Cursor, depth: number): Cursor[] {
  return [...generators.items()].flatMap((one) => {
    const clusters = one.at('clusters')
    // A matrix may hold another one, and that no further one.
    const inner = depth < 2 ? ['matrix', 'merge'].map((kind) => one.at(kind, 'generators')) : []
    const nested = inner.flatMap((its) => selectorsIn(its, depth + 1))
    return clusters.exists ? [clusters.at('selector'), ...nested] : nested
  })
}
