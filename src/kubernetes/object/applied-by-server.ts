import type { Manifest } from '../../manifest/manifest'
import { syncOptionsOf } from './made-again'

/**
 * Whether the API server itself applies an object (server-side apply), and so refuses a list with two items of one name. Without
 * that, kubectl, Argo CD and Helm 3 send the difference to an object that exists, and the two are merged. Sources:
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy;
 * k8s.io/apimachinery, pkg/util/strategicpatch/patch.go, mergeSliceWithoutSpecialElements;
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#server-side-apply
 */
export function isAppliedByServer({ origin, root }: Manifest): boolean {
  const options = (syncOptionsOf(root).string ?? '').split(',').map((one) => one.trim())
  return (origin.kind === 'rendered' && origin.flux !== undefined) || options.includes('ServerSideApply=true')
}
