import type { Manifest } from '../../manifest/manifest'

/** What is lost with an object that the API server rejects. */
export const refusal = 'kubectl, Flux and Argo CD fail to apply the object, and Flux with it all of its Kustomization'

/**
 * What becomes of an object with a field that the API server does not know. Argo CD asks for no strict check where it does
 * not apply on the server: it checks fields itself only before Kubernetes 1.25. Sources: argo-cd v3.5.1,
 * gitops-engine/pkg/utils/kube/resource_ops.go, newApplyOptions, which sets a Validator and no ValidationDirective;
 * https://github.com/argoproj/argo-cd/issues/16817
 */
export const refusalOfField =
  'kubectl and Flux fail to apply the object, and Flux with it all of its Kustomization, and Argo CD leaves the field out or, with ServerSideApply=true, fails'

/** What is lost besides an object that the API server rejects. */
export function lossOf(manifest: Manifest): string {
  return isOfHelm(manifest) ? 'the release of its chart fails' : refusal
}

/**
 * What becomes of a field that the API server does not know; undefined where it certainly rejects the object. Helm 3 asks
 * for no strict check: its client checks fields only where the server, before 1.25, cannot. Sources: helm v3.17,
 * pkg/kube/client.go, createResource; k8s.io/kubectl, pkg/validation/schema.go, paramVerifyingSchema;
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#disable-kubectl-validation
 */
export function fateOfUnknown(manifest: Manifest): string | undefined {
  const options = manifest.root.at('metadata', 'annotations', 'argocd.argoproj.io/sync-options').string ?? ''
  if (options.split(',').some((option) => option.trim() === unchecked))
    return `the object has ${unchecked}, so Argo CD applies it without the field`
  return isOfHelm(manifest)
    ? 'Helm 4, and Argo CD with ServerSideApply=true, fail to apply the object, and otherwise the field is left out'
    : undefined
}

const unchecked = 'Validate=false'

function isOfHelm({ origin }: Manifest): boolean {
  return origin.kind === 'rendered' && origin.source.kind === 'helm'
}

/** The way out of a field that is written where it is none. */
export function remedyFor(place: string | undefined, meant: string | undefined): string {
  if (place) return `Write it as ${place}.`
  return meant ? `Write ${meant}.` : 'Write it where it belongs, or remove it.'
}
