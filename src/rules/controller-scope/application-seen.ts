import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { mayHoldApplicationsOf, readAppProject } from '../../gitops/app-project'
import { gitOpsKind } from '../../gitops/kinds'
import { operatorKind } from '../../kubernetes/charts/argo-settings'
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
  reads: [projectKind, operatorKind, 'ConfigMap', ...releaseKinds],
  messages: {
    // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/app-any-namespace/
    unseen: ({
      application,
      namespace,
      usual,
      example,
    }: Record<'application' | 'namespace' | 'usual' | 'example', string>) =>
      `${application} is in namespace ${namespace}, and all others here are in ${usual}, such as ${example}. Argo CD reads Applications of its own namespace alone, unless its settings list more (application.namespaces), so it deploys nothing of this one. Write namespace: ${usual} under metadata; the namespace of what it deploys is that of its destination.`,
  },
  *partners(manifest) {
    if (kinds.some((kind) => kind === groupKindOf(manifest.ref)))
      yield* ['argoproj.io/', 'application.namespaces', 'argo-cd', 'argocd-cm']
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const { namespace } = after.ref
    const at = after.root.at('metadata', 'namespace')
    if (namespace === '' || isPlaceholder(namespace) || at.string !== namespace) return
    // project-permits compares the namespace with a project that is in the files.
    const project = after.root.at('spec', 'project').string
    if (head.ofKind(projectKind).some(({ ref }) => ref.name === project)) return
    const usual = usualOf(namespace, base, head)
    if (!usual || base.get(after.ref).length > 0 || mayRead(namespace, head)) return
    const args = { application: nameOf(after.ref), namespace, usual: usual.ref.namespace, example: nameOf(usual.ref) }
    report([at, usual.root.at('metadata', 'name')], 'unseen', args, {
      keys: [namespace],
      fix: replaced(at, usual.ref.namespace),
    })
  },
})

/** So many Applications in one namespace show that it is the one of Argo CD; one may be an exception itself. */
const few = 2

/** An Application of the one other namespace that has all but the one of a namespace; undefined where it is otherwise. */
function usualOf(namespace: string, base: Snapshot, head: Snapshot): Manifest | undefined {
  const [was, is] = [applicationsIn(base), applicationsIn(head)]
  if (is.size > 2 || was.size > 1 || was.has(namespace) || is.get(namespace)?.length !== 1) return undefined
  const [usual, ...others] = new Set([...is.keys(), ...was.keys()].filter((one) => one !== namespace))
  if (usual === undefined || isPlaceholder(usual) || others.length > 0) return undefined
  const all = [...(is.get(usual) ?? []), ...(was.get(usual) ?? [])]
  return new Set(all.map(({ ref }) => nameOf(ref))).size < few ? undefined : all[0]
}

const indexes = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The Applications and ApplicationSets by their namespaces, where these are known. */
function applicationsIn(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const known = indexes.get(snapshot)
  if (known) return known
  const found = new Map<string, Manifest[]>()
  for (const one of kinds.flatMap((kind) => snapshot.ofKind(kind)))
    if (one.ref.namespace !== '') append(found, one.ref.namespace, one)
  indexes.set(snapshot, found)
  return found
}

/** Whether the files show that Argo CD may read Applications of a namespace: it runs there, or its settings name others. */
function mayRead(namespace: string, snapshot: Snapshot): boolean {
  const projects = snapshot.ofKind(projectKind)
  const operated = snapshot.ofKind(operatorKind)
  const maps = snapshot.ofKind('ConfigMap')
  const releases = releaseKinds.flatMap((kind) => snapshot.ofKind(kind)).map(({ object }) => object.content)
  const ofArgo = [...projects, ...operated, ...maps.filter(({ ref }) => ref.name === 'argocd-cm')]
  return (
    ofArgo.some(({ ref }) => ref.namespace === namespace) ||
    projects.some(({ root }) => mayHoldApplicationsOf(readAppProject(root), namespace)) ||
    operated.some(({ root }) => root.at('spec', 'sourceNamespaces').isSet) ||
    maps.some(({ root }) => root.at('data', 'application.namespaces').exists) ||
    releases.some((text) => text.includes('application.namespaces')) ||
    releases.some((text) => text.includes('argo-cd') && mentions(text, namespace))
  )
}
