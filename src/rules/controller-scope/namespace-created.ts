import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/namespace-created',
  summary: 'The namespace that a new HelmRelease of Flux is in is there before its chart is installed.',
  since: '1.21.0',
  scope: 'change',
  kinds: [gitOpsKind.helmRelease],
  messages: {
    // Source: https://fluxcd.io/flux/components/helm/helmreleases/#install-configuration, createNamespace
    late: ({ release, namespace }: { release: string; namespace: string }) =>
      `${release} is in the namespace ${namespace}, which nothing in this repository creates: createNamespace creates the namespace of the chart's objects, and only once Flux installs the chart. Until then the API server refuses ${release}. Add a Namespace ${namespace} to what Flux applies, or put the release into a namespace that is there, with targetNamespace: ${namespace}.`,
  },
  *partners(manifest) {
    if (createsOwn(manifest)) yield manifest.ref.namespace
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'added' || !createsOwn(change.after)) return
    const { ref, root } = change.after
    const { namespace } = ref
    const isNamed = (one: Manifest) => one.ref.name === namespace || isPlaceholder(one.ref.name)
    if (head.ofKind('Namespace').some(isNamed) || base.inNamespace(namespace).length > 0) return
    const at = root.at('metadata', 'namespace')
    report(at.exists ? at : root, 'late', { release: nameOf(ref), namespace }, { keys: [namespace] })
  },
})

/** Namespaces that every cluster has, or every one with Flux. */
const standard: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public', 'flux-system'])

/** Whether a release is to create the namespace that it is in itself. */
function createsOwn({ ref, root }: Manifest): boolean {
  const { namespace } = ref
  if (groupKindOf(ref) !== gitOpsKind.helmRelease || namespace === '' || standard.has(namespace)) return false
  const target = textAt(readHelmRelease(root).targetNamespace)
  const isOwn = target === '' || target === namespace
  return isOwn && !isPlaceholder(namespace) && root.at('spec', 'install', 'createNamespace').value === true
}
