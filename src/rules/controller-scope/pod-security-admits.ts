import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { controllerKinds, controllersIn, marksOfControllers } from '../../kubernetes/controllers/controller'
import { labelOfNamespace } from '../../kubernetes/object/namespace'
import { componentsOf } from '../../kubernetes/versions/component'
import { breachesOf, type PodSecurityLevel } from '../../kubernetes/workload/pod-security'
import { abridged } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const namespaceKind = 'Namespace'
const levelLabel = 'pod-security.kubernetes.io/enforce'
const certManager = 'cert-manager'

export default defineRule({
  id: 'controller-scope/pod-security-admits',
  summary:
    'A namespace enforces no Pod Security Standard that the Pods of its ingress controllers or cert-manager break.',
  since: '1.29.0',
  scope: 'change',
  kinds: [namespaceKind, ...controllerKinds],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/security/pod-security-admission/
    refused: ({
      namespace,
      level,
      workload,
      breaches,
    }: Record<'namespace' | 'level' | 'workload' | 'breaches', string>) =>
      `After this change ${namespace} enforces the Pod Security Standard ${level}, which the Pods of ${workload} break: ${breaches}. So the API server refuses each new one: those that run stay, and none takes their place after a rollout or on another node. First change the Pods, and see what is left with the label pod-security.kubernetes.io/warn: ${level}, or enforce a standard that they meet.`,
  },
  putBack: { refused: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === namespaceKind && levelOf(manifest)) yield* [...marksOfControllers, certManager]
  },
  check({ change, head, report }) {
    if (change.kind === 'removed' || groupKindOf(change.after.ref) !== namespaceKind) return
    const { after } = change
    const level = levelOf(after)
    const before = change.kind === 'changed' ? levelOf(change.before) : undefined
    if (!level || level === before) return
    for (const workload of judgedIn(after.ref.name, head)) {
      const pod = podOf(workload)
      const breaches = breachesOf(pod, level)
      const [first] = breaches
      // What the level before refused, too, is no harm of this change.
      if (!first || (before && breachesOf(pod, before).length > 0)) continue
      const args = { namespace: nameOf(after.ref), level, workload: nameOf(workload.ref) }
      const at = after.root.at('metadata', 'labels', levelLabel)
      const words = abridged(breaches.map((one) => one.words))
      report([at, first.at], 'refused', { ...args, breaches: words }, { keys: [level] })
    }
  },
})

/**
 * The standard that a namespace enforces, if Pods are judged as they are written: OpenShift fills in what the strictest
 * one wants, and versions of it before 1.25 want less.
 */
function levelOf(namespace: Manifest): PodSecurityLevel | undefined {
  const level = labelOfNamespace(namespace, levelLabel)
  if (level !== 'baseline' && level !== 'restricted') return undefined
  const [, minor] = labelOfNamespace(namespace, `${levelLabel}-version`)?.match(/^v1\.(\d+)$/) ?? []
  const isOfOpenShift = /(?:^|[."'\s])openshift\.io\//m.test(namespace.object.content)
  return isOfOpenShift || (minor !== undefined && Number(minor) < 25) ? undefined : level
}

/** The workloads of a namespace that run an ingress controller or a part of cert-manager. */
function judgedIn(namespace: string, snapshot: Snapshot): Manifest[] {
  const controllers = controllersIn(snapshot).flatMap(({ manifest, installed }) => (installed ? [] : manifest))
  const ofCertManager = controllerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((one) => componentsOf(one).some(({ facts, container }) => container && facts.name === certManager))
  return [...new Set([...controllers, ...ofCertManager])].filter(({ ref }) => ref.namespace === namespace)
}
