import { entryOf } from '../entry'
import type { Cursor } from '../manifest/cursor'

/**
 * The effect of an object's annotations in Argo CD. `plain`: the object is applied and kept. `hook`: it is applied at
 * each sync, as another object than before. `passing`: the same, and it is deleted afterwards. `skipped`: an existing
 * object stays as it is, and a new one is not applied. `never`: no sync applies it.
 * https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
 */
export type HookFate = 'plain' | 'hook' | 'passing' | 'skipped' | 'never'

const argoHook = 'argocd.argoproj.io/hook'
const helmHook = 'helm.sh/hook'

/** The hooks of Argo CD that a sync applies, whether or not it fails. */
const syncTypes = ['PreSync', 'Sync', 'PostSync']

/** The hooks of Argo CD that are known; an object with other ones alone is ignored. */
const argoTypes = [...syncTypes, 'SyncFail', 'Skip', 'PreDelete', 'PostDelete']

/** The hooks of Helm that Argo CD takes for hooks of its own. */
const helmTypes: Readonly<Record<string, string>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
  'pre-delete': 'PreDelete',
  'post-delete': 'PostDelete',
}

/** @param isHelm whether hooks of Helm count, which Argo CD alone takes for hooks in plain manifests */
export function hookFateOf(root: Cursor, isHelm: boolean): HookFate {
  const annotations = root.at('metadata', 'annotations')
  const helm = isHelm ? annotations.at(helmHook).string : undefined
  const isArgoHook = annotations.at(argoHook).exists
  // Helm 2 has a hook for CRDs, which Argo CD treats as plain CRDs.
  if (!isArgoHook && (helm === undefined || helm === 'crd-install')) return 'plain'
  const own = wordsAt(annotations.at(argoHook)).filter((word) => argoTypes.includes(word))
  const types = own.length > 0 ? own : wordsIn(helm).flatMap((word) => entryOf(helmTypes, word) ?? [])
  if (types.length === 1 && types[0] === 'Skip') return 'skipped'
  if (!types.some((type) => syncTypes.includes(type))) return 'never'
  const policies = [
    ...wordsAt(annotations.at(`${argoHook}-delete-policy`)),
    ...(isHelm ? wordsAt(annotations.at(`${helmHook}-delete-policy`)) : []),
  ]
  return policies.some((policy) => policy === 'HookSucceeded' || policy === 'hook-succeeded') ? 'passing' : 'hook'
}

/** The annotation that makes an object a hook. */
export function hookAnnotationOf(root: Cursor): Cursor {
  const annotations = root.at('metadata', 'annotations')
  return annotations.at(argoHook).exists ? annotations.at(argoHook) : annotations.at(helmHook)
}

function wordsAt(cursor: Cursor): string[] {
  return wordsIn(cursor.string)
}

function wordsIn(text: string | undefined): string[] {
  return (text ?? '').split(',').map((word) => word.trim())
}
