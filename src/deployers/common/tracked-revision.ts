import type { FluxSource } from '../../gitops/flux-source'
import { textAt } from '../../gitops/text'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import type { DeclarationSite } from '../../sources/source'

/**
 * A revision of a repository as an object names it: a branch, or a revision that is fixed until the object names
 * another one.
 */
export interface NamedRevision {
  readonly kind: 'branch' | 'pin'
  /** Empty for the default branch. */
  readonly name: string
}

/** A revision of this repository that an object deploys. */
export interface TrackedRevision extends NamedRevision {
  readonly manifest: Manifest
  /** For an ApplicationSet, the Application that it generates. */
  readonly subject: string
  readonly at: DeclarationSite
  /** The value, where a rendering makes the object. */
  readonly rendered?: { readonly source: string; readonly value: Cursor }
}

/** The meaning of `targetRevision`: https://argo-cd.readthedocs.io/en/stable/user-guide/tracking_strategies/ */
export function argoRevision(text: string): NamedRevision {
  const branch = text.replace(/^refs\/heads\//, '')
  if (branch === '' || branch === 'HEAD') return { kind: 'branch', name: '' }
  const isPin = /^refs\/|^[~^<>=*]|^v?\d+(?:[.x*-]|$)|^[0-9a-f]{7,40}$/.test(branch)
  return { kind: isPin ? 'pin' : 'branch', name: branch }
}

/**
 * The meaning of `ref`: the first of these fields decides.
 * https://github.com/fluxcd/pkg/blob/git/v0.56.1/git/gogit/client.go (Clone)
 */
export function fluxRevision({ ref }: FluxSource): NamedRevision & { readonly at: Cursor } {
  for (const field of ['commit', 'name', 'tag', 'semver'] as const) {
    const at = ref.at(field)
    const text = textAt(at)
    if (text === '') continue
    const isBranch = field === 'name' && text.startsWith('refs/heads/')
    return { kind: isBranch ? 'branch' : 'pin', name: text.replace(/^refs\/heads\//, ''), at }
  }
  const at = ref.at('branch')
  return { kind: 'branch', name: textAt(at), at }
}

/** A Flux object's reference to the GitRepository that is this repository, or is taken to be. */
export interface SourceReference {
  readonly manifest: Manifest
  readonly name: string
  readonly namespace: string
  /** The GitRepository; undefined where no object of the repository is one of that name. */
  readonly provider: Manifest | undefined
  readonly at: DeclarationSite
}

/** Whether a source has the name and the namespace of a reference; a missing namespace may be any. */
export function provides({ ref }: Manifest, name: string, namespace: string): boolean {
  return ref.name === name && (ref.namespace === namespace || ref.namespace === '' || namespace === '')
}
