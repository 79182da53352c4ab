import { faultsOfGateway, faultsOfHttpRules, faultsOfParents } from '../../kubernetes/fields/gateway-faults'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const group = 'gateway.networking.k8s.io'
const routes = ['HTTPRoute', 'GRPCRoute', 'TLSRoute', 'TCPRoute', 'UDPRoute']

export default defineRule({
  id: 'ingress-tls/gateway-accepted',
  summary: 'The API server accepts the listeners of a Gateway, and the parents, matches and filters of a route.',
  since: '1.9.0',
  scope: 'manifest',
  kinds: ['Gateway', ...routes].map((kind) => `${kind}.${group}`),
  assumed: { since: '1.9.0' },
  messages: {
    refused: ({ object, fault, remedy }: { object: string; fault: string; remedy: string }) =>
      `The API server rejects ${object}, because ${fault}. ${remedy}`,
  },
  check({ manifest, report }) {
    const object = nameOf(manifest.ref)
    for (const { at, fault, remedy } of faultsOf(manifest))
      report(at, 'refused', { object, fault, remedy }, { keys: [fault] })
  },
})

function* faultsOf({ ref, root, assumption }: Manifest) {
  const spec = root.at('spec')
  if (ref.kind === 'Gateway') return yield* faultsOfGateway(spec)
  yield* faultsOfParents(spec)
  // A chart may add to the rules of its values.
  if (ref.kind === 'HTTPRoute' && !assumption) yield* faultsOfHttpRules(spec)
}
