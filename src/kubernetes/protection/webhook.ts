import type { Snapshot } from '../../cluster/snapshot'
import type { Cursor } from '../../manifest/cursor'
import type { GroupKind, Manifest } from '../../manifest/manifest'

/** The kinds that configure calls of the API server to a webhook. */
export const webhookKinds: readonly GroupKind[] = [
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
  'MutatingWebhookConfiguration.admissionregistration.k8s.io',
]

/** The kind whose objects the API server may have converted by a webhook. */
export const definitionKind: GroupKind = 'CustomResourceDefinition.apiextensions.k8s.io'

/** A Service by its names. */
interface ServiceName {
  readonly namespace: string
  readonly name: string
}

/** One webhook that a Service of the cluster answers for. */
export interface Webhook {
  readonly at: Cursor
  readonly name: string
  readonly service: ServiceName & { readonly at: Cursor }
  /** Whether requests are refused while the webhook does not answer. */
  readonly closed: boolean
  /** Its requests, in words. */
  readonly resources: string
}

/** The webhooks of a snapshot. */
export function webhooksIn(snapshot: Snapshot): Webhook[] {
  return webhookKinds.flatMap((kind) => snapshot.ofKind(kind)).flatMap(webhooksOf)
}

/** The webhooks that a configuration registers, those with a URL left out. */
export function webhooksOf({ ref, root }: Manifest): Webhook[] {
  if (!webhookKinds.some((kind) => kind.startsWith(`${ref.kind}.`))) return []
  const byDefault = root.at('apiVersion').string?.endsWith('/v1beta1') ? 'Ignore' : 'Fail'
  return [...root.at('webhooks').items()].flatMap((at): Webhook[] => {
    const service = at.at('clientConfig', 'service')
    const [namespace, name] = [service.at('namespace').string, service.at('name').string]
    if (!namespace || !name) return []
    const rules = [...at.at('rules').items()].flatMap((rule) => [...rule.at('resources').items()])
    const resources = [...new Set(rules.map(({ string }) => string).filter((string) => string !== undefined))]
    return [
      {
        at,
        name: at.at('name').string ?? '',
        service: { namespace, name, at: service.at('name') },
        closed: (at.at('failurePolicy').string ?? byDefault) === 'Fail',
        resources: resources.length === 0 || resources.includes('*') ? 'everything' : `all ${resources.join(', ')}`,
      },
    ]
  })
}

/** The Service that converts the objects of a CustomResourceDefinition from one version to another. */
export function converterOf({ root }: Manifest): Webhook['service'] | undefined {
  const conversion = root.at('spec', 'conversion')
  const service = conversion.at('webhook', 'clientConfig', 'service')
  const [namespace, name] = [service.at('namespace').string, service.at('name').string]
  if (conversion.at('strategy').string !== 'Webhook' || !namespace || !name) return undefined
  return { namespace, name, at: service.at('name') }
}

export function isOneService(a: ServiceName, b: ServiceName): boolean {
  return a.name === b.name && a.namespace === b.namespace
}

export function serviceText({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`
}
