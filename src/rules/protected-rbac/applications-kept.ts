import * as Type from 'typebox'
import { ancestors } from '../../cluster/folders'
import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { type Deployer, deletionBy, deployersMadeBy, folderOf, outlives } from '../../kubernetes/object/deployer'
import { clusterLabel, deselections, isOfCluster } from '../../kubernetes/object/selected-clusters'
import { isProtected, marksOf } from '../../kubernetes/protection/protected-manifest'
import { Protect } from '../../kubernetes/protection/protection'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/applications-kept',
  summary: 'No ApplicationSet stops making an Application that is deleted with protected objects.',
  since: '1.15.0',
  scope: 'change',
  kinds: '*',
  params: Type.Object({ protect: Protect }),
  messages: {
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Application-Deletion/
    unmade: ({ set, applications, object, loosen }: Record<'set' | 'applications' | 'object' | 'loosen', string>) =>
      `After this change ${set} no longer makes ${applications}. Argo CD deletes each of them with all that it deployed, also ${object}, although the files still declare it. An Application of another name may come too late. Keep the name, or first, in a separate change, ${loosen}.`,
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Cluster/
    unselected: ({ set, secret, loosen }: Record<'set' | 'secret' | 'loosen', string>) =>
      `${set} makes Applications for the clusters that its selector matches, and after this change ${secret} no longer matches, so Argo CD deletes the Applications of this cluster with all that they deployed. Restore the labels, or first, in a separate change to ${set}, ${loosen}.`,
  },
  putBack: { unmade: 'changed', unselected: 'changed' },
  *partners(manifest, { protect }, _isGone, isTouched) {
    if (!isTouched) return
    if (groupKindOf(manifest.ref) === gitOpsKind.applicationSet) yield* [...marksOf(protect), clusterLabel]
    else if (isOfCluster(manifest)) yield 'ApplicationSet'
  },
  check({ change, base, head, params: { protect }, report }) {
    if (change.kind === 'added') return
    const { before } = change
    if (change.kind === 'changed') {
      for (const { set, secret, selector, label } of deselections(before, change.after, base, head)) {
        const [was = set] = base.get(set.ref)
        const { cascades, loosen } = deletionBy(was, was.root.at('spec', 'template'))
        if (keepsApplications(set) || !cascades) continue
        const ends = change.after === set ? [selector, label] : [label, selector]
        report(ends, 'unselected', { set: nameOf(set.ref), secret: nameOf(secret.ref), loosen })
      }
    }
    if (groupKindOf(before.ref) !== gitOpsKind.applicationSet) return
    const after = head.get(before.ref)[0]
    if (after && (!after.object.makes || keepsApplications(after))) return
    const made = deployersMadeBy(before)
    const names = new Set(after?.object.makes?.map(({ ref }) => ref.name))
    const lost = made.filter(({ cascades, manifest }) => cascades && !names.has(manifest.ref.name))
    const [first] = lost
    if (!first) return
    const left = leftOf(lost, made, base).filter(
      (manifest) => isProtected(manifest, protect) && !outlives(manifest, first) && head.get(manifest.ref).length > 0,
    )
    const [object] = left
    if (!object) return
    const applications = abridged([...new Set(lost.map(({ manifest }) => nameOf(manifest.ref)))])
    report([causeIn(before, after), head.get(object.ref)[0]?.root ?? object.root], 'unmade', {
      set: nameOf(before.ref),
      applications,
      object: abridged([...new Set(left.map(({ ref }) => nameOf(ref)))]),
      loosen: first.loosen,
    })
  },
})

/** Whether a set deletes none of its Applications. */
function keepsApplications({ root }: Manifest): boolean {
  return ['create-only', 'create-update'].includes(textAt(root.at('spec', 'syncPolicy', 'applicationsSync')))
}

/** The objects of lost deployers: of those whose folders are above an object, the innermost has it. */
function leftOf(lost: readonly Deployer[], made: readonly Deployer[], base: Snapshot): Manifest[] {
  const isLost = new Map(made.map((one) => [folderOf(one), false]))
  for (const one of lost) isLost.set(folderOf(one), true)
  return base.manifests.filter(({ origin }) => {
    if (origin.kind === 'rendered') return isLost.get(origin.source.path || '.')
    const folder = ancestors(origin.path).findLast((one) => isLost.has(one))
    return folder !== undefined && isLost.get(folder)
  })
}

/** The name in the template where that is another one, otherwise the generators. */
function causeIn(before: Manifest, after: Manifest | undefined): Cursor {
  if (!after) return before.root
  const [was, is] = [before, after].map(({ root }) => root.at('spec', 'template', 'metadata', 'name'))
  if (is?.exists && was?.string !== is.string) return is
  const generators = after.root.at('spec', 'generators')
  return generators.exists ? generators : after.root
}
