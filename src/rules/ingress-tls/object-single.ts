import type { Snapshot } from '../../cluster/snapshot'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { isPlaceholder, routedHosts } from '../../kubernetes/ingress/ingress'
import { certManagerGroups } from '../../kubernetes/tls/cert-manager'
import { namedHosts } from '../../kubernetes/tls/certificate'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const issuing = ['Certificate', 'Issuer', 'ClusterIssuer']

export default defineRule({
  id: 'ingress-tls/object-single',
  summary: 'An Ingress, a route, a Gateway, a Certificate or an issuer is written once in what is deployed together.',
  since: '1.7.0',
  scope: 'snapshot',
  kinds: [
    ...backendKinds,
    'Gateway.gateway.networking.k8s.io',
    'IngressClass.networking.k8s.io',
    ...certManagerGroups.flatMap((group) => issuing.map((kind) => `${kind}.${group}`)),
  ],
  messages: {
    // Source: helm v4.1.4, pkg/kube/client.go, Create: the second object of a name already exists; kubectl and Argo CD
    // (RepeatedResourceWarning) apply one after the other.
    twice: ({ object, place }: { object: string; place: string }) =>
      `${object} is written more than once in ${place}: helm refuses to install it, and kubectl and Argo CD keep only the last one. Give this one another name, or remove one of them.`,
    replaced: ({ object, files, hosts, others }: { object: string; files: string; hosts: string; others: string }) =>
      `${object} is written twice, in ${files}: for ${others}, and for ${hosts}. The one that is applied last replaces the other, whose hosts are then not served. Give one of them another name.`,
  },
  direct: true,
  *partners({ ref }) {
    if (ref.kind === 'Ingress') yield ref.name
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Ingress' ? ['Ingress.networking.k8s.io'] : []),
  check({ manifest, snapshot, report }) {
    const { ref, root, assumption } = manifest
    const at = root.at('metadata', 'name')
    if (assumption || isPlaceholder(ref.name)) return
    const copies = snapshot.get(ref).filter((one) => !one.assumption)
    const object = nameOf(ref)
    const [first] = copies.filter((one) => isBeside(one, manifest))
    if (first && first !== manifest) {
      report([at, first.root.at('metadata', 'name')], 'twice', { object, place: placeOf(manifest) }, { keys: [] })
      return
    }
    const other = replacedBy(manifest, snapshot)
    if (!other) return
    const [others = '', hosts = ''] = [other, manifest].map((one) => namedHosts([...routedHosts(one).keys()]))
    const args = { object, files: `${other.origin.path} and ${manifest.origin.path}`, hosts, others }
    report([at, other.root.at('metadata', 'name')], 'replaced', args, { keys: [] })
  },
})

/** Whether two objects are applied together: one rendering or one file has both. */
function isBeside({ origin: a }: Manifest, { origin: b }: Manifest): boolean {
  if (a.kind === 'rendered' && b.kind === 'rendered') return a.id === b.id
  return a.kind === b.kind && a.path === b.path
}

function placeOf({ origin }: Manifest): string {
  return origin.kind === 'rendered' ? `the rendering of ${origin.path}` : origin.path
}

/**
 * An Ingress of the same name for other hosts in another file of the folder. More than two are examples of one thing; and
 * without a namespace, each may be applied to another one.
 */
function replacedBy(ingress: Manifest, snapshot: Snapshot): Manifest | undefined {
  if (groupKindOf(ingress.ref) !== 'Ingress.networking.k8s.io' || ingress.ref.namespace === '') return undefined
  const [other, last, more] = snapshot.get(ingress.ref).filter((one) => !one.assumption)
  if (!other || last !== ingress || more || [other, ingress].some(({ origin }) => origin.kind === 'rendered'))
    return undefined
  const hosts = routedHosts(ingress)
  const isOther = hosts.size > 0 && [...routedHosts(other).keys()].some((host) => !hosts.has(host))
  return isOther && folderOf(other) === folderOf(ingress) ? other : undefined
}

function folderOf({ origin: { path } }: Manifest): string {
  return path.slice(0, path.lastIndexOf('/') + 1)
}
