import { shapeIn } from '../../src/kubernetes/fields/shape-notation'
import type { ReadKinds } from './table'

const selector = '{matchExpressions[{key operator values[]}] matchLabels<>}'
const peers = `[{ipBlock{cidr except[]} namespaceSelector${selector} podSelector${selector}}]`
const ports = '[{endPort# port~ protocol(SCTP|TCP|UDP)}]'
const spec = `egress[{ports${ports} to${peers}}] ingress[{from${peers} ports${ports}}] podSelector${selector} policyTypes[(Egress|Ingress)]`

/** A kind of Kubernetes itself, which has no CustomResourceDefinition. */
export const networkPolicy: ReadKinds = {
  /** networking/v1/types.go, NetworkPolicySpec */
  source: 'https://github.com/kubernetes/api',
  releases: ['v0.36.0'],
  kinds: [
    {
      kind: 'NetworkPolicy',
      apiVersions: new Set(['networking.k8s.io/v1']),
      shape: shapeIn(`spec{${spec}}`, new Map()),
    },
  ],
}
