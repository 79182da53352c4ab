import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { isPlaceholder } from '../ingress/ingress'
import { webhookKinds } from './webhook'

/** A part of a webhook configuration that the API server refuses, though it has the form of its field. */
export interface WebhookFault {
  readonly at: Cursor
  readonly fault: string
  readonly remedy: string
}

/** The versions of AdmissionReview that API servers speak. */
const reviewVersions: readonly string[] = ['v1', 'v1beta1']

/** The values of sideEffects with which an API server takes a webhook in v1. */
const safeEffects: readonly string[] = ['None', 'NoneOnDryRun']

/**
 * The faults of a webhook configuration. Only v1 requires both fields: v1beta1 has a default for them. A webhook without a
 * clientConfig is a patch of one. Source: kubernetes v1.36, pkg/apis/admissionregistration/validation/validation.go,
 * validateAdmissionReviewVersions and validateValidatingWebhook
 */
export function* webhookFaultsOf({ ref, root }: Manifest): Iterable<WebhookFault> {
  if (!webhookKinds.some((kind) => kind.startsWith(`${ref.kind}.`))) return
  if (root.at('apiVersion').string !== 'admissionregistration.k8s.io/v1') return
  for (const webhook of root.at('webhooks').items()) {
    if (!webhook.at('clientConfig').exists) continue
    yield* versionFaultsOf(webhook)
    yield* effectFaultsOf(webhook)
  }
}

function* versionFaultsOf(webhook: Cursor): Iterable<WebhookFault> {
  const at = webhook.at('admissionReviewVersions')
  // Another form is a fault of its own.
  if (at.exists && !at.isList) return
  const versions = [...at.items()].map((item) => item.string)
  if (versions.some((one) => one === undefined || isPlaceholder(one) || reviewVersions.includes(one))) return
  const fault =
    versions.length > 0
      ? `the admissionReviewVersions of ${nameOfWebhook(webhook)} are ${versions.join(', ')}, and it requires v1 or v1beta1 among them, which are those of the requests that it sends and not of the objects that the webhook checks`
      : `${nameOfWebhook(webhook)} has no admissionReviewVersions`
  yield { at, fault, remedy: 'Write those that the webhook understands, such as admissionReviewVersions: [v1].' }
}

function* effectFaultsOf(webhook: Cursor): Iterable<WebhookFault> {
  const at = webhook.at('sideEffects')
  if (!at.exists)
    yield {
      at,
      fault: `${nameOfWebhook(webhook)} has no sideEffects`,
      remedy: 'Write sideEffects: None, or NoneOnDryRun if the webhook writes elsewhere.',
    }
  else if (at.string === 'Some' || at.string === 'Unknown')
    yield {
      at,
      fault: `the sideEffects of ${nameOfWebhook(webhook)} are ${at.string}, which is one of v1beta1 only`,
      remedy: `Write ${safeEffects.join(' or ')}, as the webhook does.`,
    }
}

function nameOfWebhook(webhook: Cursor): string {
  return `the webhook ${webhook.at('name').string ?? ''}`.trimEnd()
}
