import { lossOf } from '../../kubernetes/fields/refusal'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/**
 * A DNS-1123 subdomain, which the names of most kinds are; those of roles and bindings may have colons. Source:
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#names
 */
const subdomain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/

export default defineRule({
  id: 'ingress-tls/object-named',
  summary: 'Every object has a name that the API server accepts.',
  since: '1.16.0',
  scope: 'manifest',
  kinds: [
    'ConfigMap',
    'Namespace',
    'PersistentVolumeClaim',
    'Secret',
    'Service',
    'ServiceAccount',
    'Deployment.apps',
    'DaemonSet.apps',
    'StatefulSet.apps',
    'Job.batch',
    'CronJob.batch',
    'HorizontalPodAutoscaler.autoscaling',
    'PodDisruptionBudget.policy',
    'Ingress.networking.k8s.io',
    'IngressClass.networking.k8s.io',
    'NetworkPolicy.networking.k8s.io',
    'Gateway.gateway.networking.k8s.io',
    'HTTPRoute.gateway.networking.k8s.io',
    'Certificate.cert-manager.io',
    'ClusterIssuer.cert-manager.io',
    'Issuer.cert-manager.io',
    'Application.argoproj.io',
    'ApplicationSet.argoproj.io',
    'AppProject.argoproj.io',
    'HelmRelease.helm.toolkit.fluxcd.io',
    'Kustomization.kustomize.toolkit.fluxcd.io',
  ],
  messages: {
    refused: ({ object, fault, loss }: Record<'object' | 'fault' | 'loss', string>) =>
      `The API server rejects ${object}, because its name ${fault}: ${loss}. Give it a name of small letters, digits, dashes and dots, in which each part between dots begins and ends with a letter or a digit.`,
  },
  check({ manifest, report }) {
    const { name } = manifest.ref
    const at = manifest.root.at('metadata', 'name')
    if (at.string === undefined || name === '' || subdomain.test(name) || isFilledIn(name)) return
    const [wrong] = name.match(/[^-a-z0-9.]/) ?? []
    const fault =
      wrong === undefined ? 'has a part that is empty, or begins or ends with a dash' : `has ${characterOf(wrong)}`
    report(at, 'refused', { object: nameOf(manifest.ref), fault, loss: lossOf(manifest) }, { keys: [name] })
  },
})

/** Whether a tool, or a reader of an example, writes the name. */
function isFilledIn(name: string): boolean {
  return isPlaceholder(name) || /[<>{}$%@]|RELEASE-NAME/.test(name) || /^[A-Z0-9_-]+$/.test(name)
}

function characterOf(character: string): string {
  if (character === ' ') return 'a space'
  return /[A-Z]/.test(character) ? `the capital letter ${character}` : `the character ${character}`
}
