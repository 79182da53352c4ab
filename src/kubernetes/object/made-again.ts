import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest } from '../../manifest/manifest'
import { definitionKind } from './custom-resource'

const syncOptions = 'argocd.argoproj.io/sync-options'

/**
 * Whether Argo CD deletes an object and creates it again at each sync. CRDs and Namespaces are updated in any case.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#replace-resource-instead-of-applying-changes
 *
 * @param more the options of its Application, which count beside its own
 */
export function isMadeAgain({ root, ref }: Manifest, more: readonly string[] = []): boolean {
  if (groupKindOf(ref) === definitionKind || groupKindOf(ref) === 'Namespace') return false
  const written = syncOptionsOf(root).string ?? ''
  const options = new Set([...written.split(',').map((one) => one.trim()), ...more])
  return options.has('Replace=true') && options.has('Force=true')
}

/** The cursor of an object's options for Argo CD. */
export function syncOptionsOf(root: Cursor): Cursor {
  return root.at('metadata', 'annotations', syncOptions)
}

/**
 * Whether an object is a hook of a release: hooks are no part of the release, so an upgrade deletes an object of that
 * name that the release had.
 */
export function isHook({ root }: Manifest): boolean {
  return (root.at('metadata', 'annotations', 'helm.sh/hook').string ?? '') !== ''
}

/**
 * Whether helm deletes a hook as soon as it has succeeded.
 * https://helm.sh/docs/topics/charts_hooks/#hook-deletion-policies
 */
export function isDeletedAfterwards({ root }: Manifest): boolean {
  const written = root.at('metadata', 'annotations', 'helm.sh/hook-delete-policy').string ?? ''
  return written.split(',').some((policy) => policy.trim() === 'hook-succeeded')
}

/** Whether an upgrade makes a hook after it has deleted what is no longer part of the release, and keeps it then. */
export function isMadeLast(hook: Manifest): boolean {
  const written = hook.root.at('metadata', 'annotations', 'helm.sh/hook').string ?? ''
  return written.split(',').some((event) => event.trim() === 'post-upgrade') && !isDeletedAfterwards(hook)
}
