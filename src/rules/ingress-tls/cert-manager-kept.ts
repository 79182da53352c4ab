import { lastingKinds } from '../../cluster/pod'
import { namesOfReleaseParts, releaseKinds, releasePartKinds } from '../../kubernetes/charts/chart-release'
import { definitionKind } from '../../kubernetes/object/custom-resource'
import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { requesterKinds } from '../../kubernetes/tls/cert-manager-controller'
import { certManagerLosses, installerKinds, replacementIn } from '../../kubernetes/tls/cert-manager-loss'
import { type DefinitionLoss, definitionLossOf } from '../../kubernetes/tls/definition-loss'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Loss = Record<'controller' | 'users', string>

const ofCertManager = (kind: string): GroupKind[] => certManagerGroups.map((group) => `${kind}.${group}`)

/** Each manifest of its controller contains it, as its image does. */
const mark = 'cert-manager'

export default defineRule({
  id: 'ingress-tls/cert-manager-kept',
  summary: 'An object that requests certificates of cert-manager keeps a controller that issues them.',
  since: '1.25.0',
  scope: 'change',
  assumed: true,
  kinds: [...lastingKinds, ...releaseKinds],
  reads: [
    ...requesterKinds,
    ...['ClusterIssuer', 'Issuer'].flatMap(ofCertManager),
    ...releasePartKinds,
    ...installerKinds,
    definitionKind,
  ],
  subjects: [{ kinds: [...lastingKinds, ...releaseKinds], marks: [mark] }],
  direct: true,
  messages: {
    removed: ({ controller, users }: Loss) =>
      `This change removes ${controller}, the only cert-manager here, so the certificates of ${users} are neither issued nor renewed afterwards, and clients reject them once they expire. Keep it until another one is there.`,
    stopped: ({ controller, users }: Loss) =>
      `${controller} runs no Pods after this change, and it is the only cert-manager here, so the certificates of ${users} are neither issued nor renewed, and clients reject them once they expire. Keep at least one Pod.`,
    namespace: ({ controller, users, part }: Loss & { part: string }) =>
      `After this change ${controller} looks in the namespace ${part} alone, and at no ClusterIssuers, and no other cert-manager here does, so the certificates of ${users} are neither issued nor renewed. Remove --namespace.`,
    controllers: ({ controller, users, part }: Loss & { part: string }) =>
      `After this change --controllers keeps ${controller} from running ${part}, and no other cert-manager here runs it, so the certificates of ${users} are neither issued nor renewed. Enable ${part}.`,
    definitions: ({ cause, users, remedy }: Record<'cause' | 'users' | 'remedy', string>) =>
      `${cause}, so they are deleted, and with them every Certificate and issuer in the cluster: nothing issues or renews certificates afterwards, and clients reject those of today once they expire. In use here: ${users}. ${remedy}.`,
  },
  later: { definitions: '1.28.0' },
  putBack: { definitions: 'changed', stopped: 'changed', namespace: 'changed', controllers: 'changed' },
  *partners(manifest, _, _isGone, isTouched) {
    const kind = groupKindOf(manifest.ref)
    yield* namesOfReleaseParts(manifest)
    if (!isTouched || ![...lastingKinds, ...releaseKinds].includes(kind)) return
    // The objects that request certificates, and those that install another controller.
    if (manifest.object.content.includes(mark)) yield* [mark, 'certmanager.k8s.io', 'kubernetes.io/tls-acme']
  },
  check({ change, base, head, report, skip }) {
    const lost = definitionLossOf(change, base, head)
    const coming = lost && replacementIn(base, head)
    if (lost && coming) skip(lost.at, `${nameOf(coming.ref)}, which this change adds, may bring the CRDs`)
    else if (lost) {
      report(endsOf(lost), 'definitions', { ...wordsFor(change, lost), users: inWords(lost.users) })
      return
    }
    for (const { was, how, at, part, users } of certManagerLosses(change, base, head)) {
      const instead = replacementIn(base, head)
      if (instead) {
        skip(at, `${nameOf(instead.ref)}, which this change adds, may bring another cert-manager`)
        continue
      }
      const args = { controller: nameOf(was.manifest.ref), users: inWords(users) }
      report(endsOf({ at, users }), how, { ...args, part })
    }
  },
})

function endsOf({ at, users: [first] }: { at: Cursor; users: readonly Manifest[] }): Cursor[] {
  return first ? [at, first.root] : [at]
}

function inWords(users: readonly Manifest[]): string {
  return abridged(users.map(({ ref }) => nameOf(ref)))
}

/** What happens to the CRDs, and what keeps them: an upgrade reads the mark in the cluster, an uninstallation that in the release. */
function wordsFor({ kind }: Change, { was }: DefinitionLoss): Record<'cause' | 'remedy', string> {
  const release = nameOf(was.ref)
  return kind === 'removed'
    ? {
        cause: `This change removes ${release} with its CRDs of cert-manager`,
        remedy: 'Keep the release, or first let it give its CRDs the annotation helm.sh/resource-policy: keep',
      }
    : {
        cause: `After this change ${release} no longer contains the CRDs of cert-manager`,
        remedy: 'Keep them in it, or first annotate them in the cluster with helm.sh/resource-policy: keep',
      }
}
