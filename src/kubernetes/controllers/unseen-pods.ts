import type { Snapshot } from '../../cluster/snapshot'
import type { Manifest } from '../../manifest/manifest'
import { nameOf } from '../../manifest/manifest'
import { servicesIn } from '../ingress/services'
import { type ListeningPods, offeredBy } from './listening-pods'
import type { PolicyPart } from './ways-in'

/**
 * Pods that no object shows, as a Service has them: all that it selects are selected by a part of a policy, too. Their ports are
 * those to which it sends requests by number.
 */
export function podsBehindServices(part: PolicyPart, snapshot: Snapshot): ListeningPods[] {
  const { namespace } = part.policy.ref
  const labels = [...part.selector.at('matchLabels').entries()]
  if (namespace === '' || labels.length === 0 || part.selector.at('matchExpressions').exists) return []
  const isSelected = ({ root }: Manifest) =>
    labels.every(([key, { string }]) => string !== undefined && root.at('spec', 'selector', key).string === string)
  return servicesIn(snapshot).in(namespace).filter(isSelected).map(podsOf)
}

function podsOf(service: Manifest): ListeningPods {
  const selector = service.root.at('spec', 'selector')
  const offered = offeredBy(service, [], (number) => ({ number, names: [] }), false)
  return {
    name: `the Pods that ${nameOf(service.ref)} selects`,
    namespace: service.ref.namespace,
    manifest: service,
    labelOf: (key) => (selector.at(key).string === undefined ? undefined : { value: selector.at(key).string }),
    at: selector,
    numbers: new Set(offered.map(({ target }) => target.number)),
    portNames: new Set(),
    offered,
    takesTraffic: false,
  }
}
