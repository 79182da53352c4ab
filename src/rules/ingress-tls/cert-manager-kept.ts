import { lastingKinds } from '../../cluster/pod'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { requesterKinds } from '../../kubernetes/tls/cert-manager-controller'
import { certManagerLosses, installerKinds, replacementIn } from '../../kubernetes/tls/cert-manager-loss'
import { abridged } from '../../listing'
import { type GroupKind, groupKindOf, nameOf } from '../../manifest/manifest'
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
  kinds: lastingKinds,
  reads: [...requesterKinds, ...['ClusterIssuer', 'Issuer'].flatMap(ofCertManager), ...releaseKinds, ...installerKinds],
  subjects: [{ kinds: lastingKinds, marks: [mark] }],
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
  },
  putBack: { stopped: 'changed', namespace: 'changed', controllers: 'changed' },
  *partners(manifest, _, _isGone, isTouched) {
    if (!isTouched || !lastingKinds.includes(groupKindOf(manifest.ref))) return
    // The objects that request certificates, and those that install another controller.
    if (manifest.object.content.includes(mark)) yield* [mark, 'certmanager.k8s.io', 'kubernetes.io/tls-acme']
  },
  check({ change, base, head, report, skip }) {
    for (const { was, how, at, part, users } of certManagerLosses(change, base, head)) {
      const instead = replacementIn(base, head)
      if (instead) {
        skip(at, `${nameOf(instead.ref)}, which this change adds, may bring another cert-manager`)
        continue
      }
      const [first] = users
      const args = { controller: nameOf(was.manifest.ref), users: abridged(users.map(({ ref }) => nameOf(ref))) }
      report([at, ...(first ? [first.root] : [])], how, { ...args, part })
    }
  },
})
