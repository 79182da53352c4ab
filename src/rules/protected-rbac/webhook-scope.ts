import { requestsBlockedBy } from '../../kubernetes/protection/webhook-reach'
import type { Cursor } from '../../manifest/cursor'
import { nameOf } from '../../manifest/manifest'
import { withKey } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

type BlockedRequest = { webhook: string; object: string; what: string; backend: string }

export default defineRule({
  id: 'protected-rbac/webhook-scope',
  summary: 'No admission webhook that fails closed can block the cluster itself, or its own backend.',
  since: '1.1.0',
  scope: 'manifest',
  kinds: [
    'MutatingWebhookConfiguration.admissionregistration.k8s.io',
    'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  ],
  messages: {
    // Source: https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/
    namespaces: ({ webhook, object, what, backend, excluded }: BlockedRequest & { excluded: string }) =>
      `The webhook ${webhook} of ${object} fails closed and covers ${what}: while ${backend} does not answer, the API server rejects them all, also those that would repair it. Exclude ${excluded} with a namespaceSelector on kubernetes.io/metadata.name, or set failurePolicy: Ignore.`,
    cluster: ({ webhook, object, what, backend }: BlockedRequest) =>
      `The webhook ${webhook} of ${object} fails closed and covers ${what}: while ${backend} does not answer, the API server rejects them all, also those of the control plane. Exclude the cluster's own objects with an objectSelector or matchConditions, or set failurePolicy: Ignore.`,
  },
  check({ manifest, report }) {
    for (const webhook of manifest.root.at('webhooks').items()) {
      // The API server takes no webhook without a name.
      if (!webhook.at('name').string || !failsClosed(webhook)) continue
      const held = requestsBlockedBy(webhook)
      const reach = {
        webhook: webhook.at('name').string ?? '',
        object: nameOf(manifest.ref),
        backend: backendOf(webhook),
      }
      for (const message of ['namespaces', 'cluster'] as const) {
        const taken = held.filter(({ where }) => (where === '') === (message === 'cluster'))
        if (taken.length === 0) continue
        const namespaces = [...new Set(taken.map(({ where }) => where))]
        const names = [...new Set(taken.map(({ what }) => what))].join(', ')
        const keys = [reach.webhook, ...taken.map(({ what, where }) => `${reach.webhook} ${what} ${where}`)]
        if (message === 'cluster') report(webhook.at('rules'), message, { ...reach, what: names }, { keys })
        else {
          const excluded = namespaces.join(' and ')
          const args = { ...reach, what: `${names} in ${excluded}`, excluded }
          report(webhook.at('rules'), message, args, { keys, ...leavingOut(webhook, namespaces) })
        }
      }
    }
  },
})

/** In v1beta1, which Kubernetes 1.22 removed, a webhook fails open by default. */
function failsClosed(webhook: Cursor): boolean {
  const usual = webhook.manifest.object.apiVersion.endsWith('/v1') ? 'Fail' : 'Ignore'
  return (webhook.at('failurePolicy').string ?? usual) === 'Fail'
}

function backendOf(webhook: Cursor): string {
  const service = webhook.at('clientConfig', 'service')
  const [namespace, name] = [service.at('namespace').string, service.at('name').string]
  if (name) return `its Service ${namespace ? `${namespace}/` : ''}${name}`
  return webhook.at('clientConfig', 'url').string ?? 'its backend'
}

function leavingOut(webhook: Cursor, namespaces: readonly string[]) {
  if (webhook.at('namespaceSelector').exists) return {}
  const values = namespaces.join(', ')
  const fix = withKey(
    webhook,
    'namespaceSelector',
    `{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [${values}]}]}`,
  )
  return fix ? { fix } : {}
}
