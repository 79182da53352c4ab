import type { Shape } from '../../src/kubernetes/fields/shape'
import { shapeIn } from '../../src/kubernetes/fields/shape-notation'

const selector = '{matchExpressions[{key operator values[]}] matchLabels<>}'
const peers = `[{ipBlock{cidr except[]} namespaceSelector${selector} podSelector${selector}}]`
const ports = '[{endPort# port~ protocol(SCTP|TCP|UDP)}]'
const spec = `egress[{ports${ports} to${peers}}] ingress[{from${peers} ports${ports}}] podSelector${selector} policyTypes[(Egress|Ingress)]`

/** A kind of Kubernetes itself, which has no CustomResourceDefinition. */
export const networkPolicy = {
  /** networking/v1/types.go, NetworkPolicySpec */
  upstream: { repository: 'kubernetes/api', releases: ['v0.36.0'] },
  kind: {
    kind: 'NetworkPolicy',
    apiVersions: new Set(['networking.k8s.io/v1']),
    shape: shapeIn(`spec{${spec}}`, new Map()) as Shape,
  },
}
