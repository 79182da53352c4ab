import type { Snapshot } from '../../cluster/snapshot'
import { mayHoldApplicationsOf, readAppProject } from '../../gitops/app-project'
import { gitOpsKind } from '../../gitops/kinds'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentions } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

/** The kinds that Argo CD reads in its own namespace. */
const kinds = [gitOpsKind.application, gitOpsKind.applicationSet] as const
const projectKind = 'AppProject.argoproj.io'

export default defineRule({
  id: 'controller-scope/application-seen',
  summary: 'An Application is in the namespace in which Argo CD looks for Applications.',
  since: '1.23.0',
  scope: 'change',
  kinds: [...kinds],
  reads: [projectKind, 'ConfigMap', ...releaseKinds],
  messages: {
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/app-any-namespace/
    unseen: ({
      application,
      namespace,
      usual,
      others,
    }: Record<'application' | 'namespace' | 'usual' | 'others', string>) =>
      `${application} is in namespace ${namespace}, and all others here are in ${usual}, such as ${others}. Argo CD reads Applications of its own namespace alone, unless its settings list more (application.namespaces), so it deploys nothing of this one. Write namespace: ${usual} under metadata; the namespace of what it deploys is that of its destination.`,
  },
  *partners(manifest) {
    if (kinds.some((kind) => kind === groupKindOf(manifest.ref)))
      yield* ['argoproj.io/', 'application.namespaces', 'argo-cd']
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const { namespace } = after.ref
    const at = after.root.at('metadata', 'namespace')
    if (namespace === '' || isPlaceholder(namespace) || at.string !== namespace) return
    const others = kinds
      .flatMap((kind) => [...head.ofKind(kind), ...base.ofKind(kind)])
      .filter((one) => one.ref.namespace !== '')
    const usual = others.filter((one) => one.ref.namespace !== namespace)
    const [first] = usual
    const names = new Set(usual.map(({ ref }) => nameOf(ref)))
    // One other may be the exception itself.
    if (!first || names.size < few || isPlaceholder(first.ref.namespace)) return
    if (usual.some((one) => one.ref.namespace !== first.ref.namespace)) return
    const isAlone = others.every((one) => one.ref.namespace !== namespace || nameOf(one.ref) === nameOf(after.ref))
    if (!isAlone || base.get(after.ref).length > 0 || mayRead(namespace, head)) return
    const args = { application: nameOf(after.ref), namespace, usual: first.ref.namespace, others: nameOf(first.ref) }
    report([at, first.root.at('metadata', 'name')], 'unseen', args, {
      keys: [namespace],
      fix: replaced(at, first.ref.namespace),
    })
  },
})

/** So many Applications in one namespace show that it is the one of Argo CD. */
const few = 2

/** Whether the files show that Argo CD may read Applications of a namespace: by its settings, by a project, or from there. */
function mayRead(namespace: string, snapshot: Snapshot): boolean {
  const isProjectFor = ({ root, ref }: Manifest) =>
    ref.namespace === namespace || mayHoldApplicationsOf(readAppProject(root), namespace)
  const releases = releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).map(({ object }) => object.content)
  return (
    snapshot.ofKind(projectKind).some(isProjectFor) ||
    snapshot.ofKind('ConfigMap').some(({ root }) => root.at('data', 'application.namespaces').exists) ||
    releases.some((text) => text.includes('application.namespaces')) ||
    releases.some((text) => text.includes('argo-cd') && mentions(text, namespace))
  )
}
