import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { readFluxKustomization } from '../../gitops/flux-kustomization'
import { gitOpsKind } from '../../gitops/kinds'
import { folderOf } from '../../kubernetes/object/deployer'
import { abridged } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/decryption-kept',
  summary: 'A Kustomization of Flux that has encrypted Secrets keeps their decryption.',
  since: '1.30.0',
  scope: 'change',
  kinds: [gitOpsKind.fluxKustomization],
  reads: ['Secret'],
  direct: true,
  messages: {
    // Source: https://github.com/fluxcd/kustomize-controller/blob/v1.7.0/internal/controller/kustomization_controller.go, apply
    removed: ({ kustomization, secrets }: Record<'kustomization' | 'secrets', string>) =>
      `After this change ${kustomization} has no decryption, and it still has ${secrets}, which SOPS encrypts, so Flux applies none of its objects any more. Keep spec.decryption, or remove what is encrypted.`,
  },
  putBack: { removed: 'changed' },
  *partners(manifest, _params, _isGone, isTouched) {
    // SOPS adds it as a key to what it encrypts.
    if (isTouched && manifest.ref.kind === 'Kustomization' && !manifest.root.at('spec', 'decryption').isSet)
      yield 'sops'
  },
  partnerKinds: () => ['Secret'],
  check({ change, head, report }) {
    if (change.kind !== 'changed') return
    const [was, is] = [change.before, change.after].map(({ root }) => root.at('spec', 'decryption'))
    if (!was?.isSet || !is || is.isSet || isGivenByOthers(head)) return
    const { path, suspended } = readFluxKustomization(change.after.root)
    const secrets = encryptedIn(head).get(folderOf({ at: path })) ?? []
    const [first] = secrets
    if (!first || suspended) return
    const args = {
      kustomization: nameOf(change.after.ref),
      secrets: abridged(secrets.map(({ ref }) => nameOf(ref)).sort(), 3),
    }
    report([is, was, first.root.at('sops')], 'removed', args)
  },
})

/** Whether a patch of a Kustomization may give it to others. */
function isGivenByOthers(head: Snapshot): boolean {
  return head
    .ofKind(gitOpsKind.fluxKustomization)
    .some(({ root }) =>
      [...root.at('spec', 'patches').items()].some((one) => one.at('patch').string?.includes('decryption')),
    )
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

/** The encrypted Secrets by the folder that Flux builds. */
function encryptedIn(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const before = known.get(snapshot)
  if (before) return before
  const found = new Map<string, Manifest[]>()
  for (const secret of snapshot.ofKind('Secret')) {
    const { origin, root } = secret
    if (origin.kind === 'rendered' && origin.flux && root.at('sops', 'mac').exists)
      append(found, origin.source.path || '.', secret)
  }
  known.set(snapshot, found)
  return found
}
