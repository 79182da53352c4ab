import type { Snapshot } from '../../cluster/snapshot'
import { controllerKinds, marksOfControllers } from '../../kubernetes/controllers/controller'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { heldBy } from '../../kubernetes/object/namespace'
import { selects } from '../../kubernetes/object/service'
import {
  converterOf,
  definitionKind,
  isOneService,
  serviceText,
  type Webhook,
  webhookKinds,
  webhooksIn,
  webhooksOf,
} from '../../kubernetes/protection/webhook'
import { controllerBlockedBy } from '../../kubernetes/protection/webhook-pods'
import { isUnderOtherName } from '../../manifest/assumption'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

const unanswered = ({ act, webhook, configuration, resources }: UnansweredRequest) =>
  `This change ${act}, the backend of the webhook ${webhook} of ${configuration}, so the API server rejects ${resources} that this webhook must check. Remove ${configuration} in the same change, or first set the webhook's failurePolicy to Ignore.`

export default defineRule({
  id: 'controller-scope/webhook-safe',
  summary:
    'Each admission webhook belongs to one release, and its backend is kept; conversion webhooks name a Service that is there.',
  since: '1.1.0',
  scope: 'snapshot',
  kinds: [...webhookKinds, definitionKind],
  reads: ['Service', ...controllerKinds],
  messages: {
    shared: ({ configuration, first, second }: { configuration: string; first: string; second: string }) =>
      `${configuration} is defined twice, for Service ${first} and for Service ${second}. It is cluster-scoped, so the release that is applied last takes the webhook from the other one. Give one of the releases another name, or disable its webhook.`,
    unanswered,
    stopped: unanswered,
    ingresses: unanswered,
    absent: ({ service, webhook, configuration, resources }: Absent) =>
      `The webhook ${webhook} of ${configuration} calls Service ${service}, which no manifest of this cluster creates (other Services of its namespace are here), so the API server rejects ${resources} that this webhook must check. Name the right Service, or set failurePolicy: Ignore until it exists.`,
    elsewhere: ({ service, webhook, configuration, resources, namespace }: Absent & { namespace: string }) =>
      `The webhook ${webhook} of ${configuration} calls Service ${service}, but the Service of that name beside it is in the namespace ${namespace}, so the API server does not reach it and rejects ${resources} that this webhook must check. Give clientConfig.service the namespace that the Service gets.`,
    pods: ({ service, webhook, configuration, controller }: Record<PodsField, string>) =>
      `The webhook ${webhook} of ${configuration} fails closed, must check the Pods of ${controller}, and calls Service ${service}, which no manifest of this cluster creates. Unless something else creates it, the API server refuses each new Pod: those that run stay, and none takes their place after a rollout or on another node. Exclude the namespace with a namespaceSelector, or set failurePolicy: Ignore.`,
    // Source: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#webhook-conversion
    conversion: ({ definition, service, meant }: Record<'definition' | 'service' | 'meant', string>) =>
      `The conversion webhook of ${definition} calls Service ${service}, which is not here; beside it is ${meant}. Unless something corrects the name in the cluster, the API server cannot convert these objects from one version to another: requests for another version than the stored one fail. Give clientConfig.service the name and the namespace of the Service that answers.`,
  },
  later: { stopped: '1.3.0', ingresses: '1.3.0', elsewhere: '1.27.0', pods: '1.31.0', conversion: '1.38.0' },
  until: { unanswered: '1.3.0' },
  *partners(manifest, _, isGone) {
    const converter = groupKindOf(manifest.ref) === definitionKind ? converterOf(manifest) : undefined
    if (converter) yield* [converter.name, converter.namespace]
    if (isWebhookConfiguration(manifest.ref.kind)) {
      yield manifest.ref.name
      if (webhooksOf(manifest).some(({ closed, resources }) => closed && /\bpods\b|everything/.test(resources)))
        yield* marksOfControllers
      for (const { service } of webhooksOf(manifest)) yield* [service.name, service.namespace]
      // Only backends that stop answering are checked: most changes of a workload do not stop it.
    } else if (isGone || manifest.root.at('spec', 'replicas').value === 0) yield 'WebhookConfiguration'
  },
  check({ manifest, snapshot, report }) {
    if (groupKindOf(manifest.ref) === definitionKind) {
      const service = converterOf(manifest)
      const meant = service && converterBeside(service, snapshot)
      if (!meant) return
      const args = { definition: nameOf(manifest.ref), service: serviceText(service), meant: nameOf(meant.ref) }
      return report([service.at, meant.root.at('metadata', 'name')], 'conversion', args)
    }
    const hooks = webhooksOf(manifest)
    const [first] = hooks
    if (!first) return
    for (const hook of hooks.filter(({ closed }) => closed)) {
      const { name, service, resources } = hook
      const names = { webhook: name, configuration: nameOf(manifest.ref), service: serviceText(service), resources }
      if (isMissing(hook, snapshot)) {
        report(service.at, 'absent', names, { keys: [name] })
        continue
      }
      const namespace = namespaceBeside(hook, snapshot)
      if (namespace !== undefined) report(service.at, 'elsewhere', { ...names, namespace }, { keys: [name] })
      else if (isNowhere(hook, snapshot)) {
        const blocked = controllerBlockedBy(hook, snapshot)
        if (!blocked) continue
        const controller = nameOf(blocked.ref)
        const { webhook, configuration, service: called } = names
        const args = { webhook, configuration, service: called, controller }
        report([service.at, blocked.root], 'pods', args, { keys: [name, controller] })
      }
    }
    const copies = snapshot.get(manifest.ref).flatMap((copy) => webhooksOf(copy)[0] ?? [])
    const second = copies.find((copy) => !isOneService(copy.service, first.service))
    // However many there are, it is reported once, at the first.
    if (!second || copies[0]?.at.manifest !== manifest) return
    const [one, other] = [first, second].map(({ service }) => serviceText(service)) as [string, string]
    const configuration = nameOf(manifest.ref)
    report(
      [first.service.at, second.service.at],
      'shared',
      { configuration, first: one, second: other },
      { keys: [one, other] },
    )
  },
  checkChange({ change, head, report }) {
    if (change.kind === 'added') return
    const { before } = change
    const stopped = change.kind === 'changed' ? change.after.root.at('spec', 'replicas') : undefined
    if (stopped && (stopped.value !== 0 || before.root.at('spec', 'replicas').value === 0)) return
    if (!stopped && head.get(before.ref).length > 0) return
    const at = stopped ?? before.root
    const act = stopped ? `scales ${nameOf(before.ref)} to 0 replicas` : `removes ${nameOf(before.ref)}`
    for (const webhook of webhooksIn(head).filter(({ closed }) => closed)) {
      const answers = before.ref.kind === 'Service' ? isOneService(webhook.service, before.ref) : isLeftAlone(webhook)
      if (!answers) continue
      const configuration = nameOf(webhook.at.manifest.ref)
      const { name: hook, resources } = webhook
      const [ends, args] = [[at, webhook.service.at], { act, webhook: hook, configuration, resources }]
      for (const message of ['unanswered', checksIngresses(webhook) ? 'ingresses' : 'stopped'] as const)
        report(ends, message, args, { keys: [hook] })
    }

    /** Whether the workload was the last one behind a webhook's Service. */
    function isLeftAlone({ service }: Webhook): boolean {
      const services = head.ofKind('Service').filter(({ ref }) => isOneService(service, ref))
      const others = controllerKinds
        .flatMap((kind) => head.ofKind(kind))
        .filter((one) => one.root.at('spec', 'replicas').value !== 0)
      return services.some((one) => selects(one, before) && !others.some((other) => selects(one, other)))
    }
  },
})

type PodsField = 'service' | 'webhook' | 'configuration' | 'controller'
type Absent = { service: string; webhook: string; configuration: string; resources: string }
type UnansweredRequest = { act: string; webhook: string; configuration: string; resources: string }

function checksIngresses({ at }: Webhook): boolean {
  return [...at.at('rules').items()].some((rule) =>
    [...rule.at('resources').items()].some(({ string }) => string === 'ingresses'),
  )
}

function isWebhookConfiguration(kind: string): boolean {
  return webhookKinds.some((one) => one.startsWith(`${kind}.`))
}

/**
 * Whether no backend can answer: the Service is in no manifest, while the Services of its namespace are in this
 * repository.
 */
function isMissing({ service }: Webhook, snapshot: Snapshot): boolean {
  const services = snapshot.ofKind('Service')
  const isThere = services.some(
    ({ ref }) => ref.name === service.name && ['', service.namespace].includes(ref.namespace),
  )
  return !isThere && services.some(({ ref }) => ref.namespace === service.namespace) && snapshot.isWhole
}

/** Whether no manifest has the Service, or anything else in its namespace that may bring it. */
function isNowhere({ service }: Webhook, snapshot: Snapshot): boolean {
  const isNamed = ({ ref }: Manifest) => ref.name === service.name
  return (
    snapshot.isWhole && heldBy(service.namespace, snapshot).length === 0 && !snapshot.ofKind('Service').some(isNamed)
  )
}

/**
 * The namespace of the Service that a webhook means, where its source has none of that name in the namespace that it names.
 * That another installation has one there, or that a chart without a known release is rendered for the namespace
 * `default`, proves nothing: another webhook of the source must then call the Service beside it.
 */
function namespaceBeside({ at, service }: Webhook, snapshot: Snapshot): string | undefined {
  const named = snapshot.ofKind('Service').filter(({ ref }) => ref.name === service.name)
  const isBeside = (one: Manifest) => isOfOneSource(one, at.manifest)
  const there = named.filter(
    (one) => ['', service.namespace].includes(one.ref.namespace) || isMovedTogether(one, service.namespace),
  )
  const beside = there.some(isBeside) ? undefined : named.find(isBeside)
  if (!beside) return undefined
  const isDoubtful = there.length > 0 || isUnplaced(beside)
  const isMeant = () =>
    webhooksIn(snapshot).some((one) => isOneService(one.service, beside.ref) && isBeside(one.at.manifest))
  return isDoubtful && !isMeant() ? undefined : beside.ref.namespace
}

/**
 * The Service that a conversion webhook means: the only one of its source that has the name of the called one, alone or
 * after the name of a release, where the called one is nowhere. A chart without a known release may be installed in the
 * namespace that is called, and by the one name that fits.
 */
function converterBeside(called: Webhook['service'], snapshot: Snapshot): Manifest | undefined {
  if (isPlaceholder(called.name) || isPlaceholder(called.namespace)) return undefined
  const services = snapshot.ofKind('Service')
  const isThere = services.some(
    (one) =>
      one.ref.name === called.name &&
      (['', called.namespace].includes(one.ref.namespace) || isMovedTogether(one, called.namespace)),
  )
  const [meant, ...others] = services.filter(
    (one) => `-${one.ref.name}`.endsWith(`-${called.name}`) && isOfOneSource(one, called.at.manifest),
  )
  const isDoubtful =
    meant !== undefined && (hasOtherName(meant) || (meant.ref.name === called.name && isUnplaced(meant)))
  return isThere || others.length > 0 || isDoubtful ? undefined : meant
}

/**
 * Whether an object is read without a build, in a namespace that its Kustomization gives it: a build gives the namespace to
 * references to it, too.
 */
function isMovedTogether({ origin, root }: Manifest, written: string): boolean {
  const isRead = origin.kind === 'rendered' && (origin.unbuilt === 'written' || origin.unbuilt === 'changed')
  return isRead && root.at('metadata', 'namespace').string === written
}

/** Whether an object is of a chart that is rendered by another name than its own. */
function hasOtherName({ origin }: Manifest): boolean {
  return origin.kind === 'rendered' && isUnderOtherName(origin.id)
}

/** Whether an object is of a chart that is rendered for the namespace `default`, as that of a chart without a known release. */
function isUnplaced({ origin, ref }: Manifest): boolean {
  return origin.kind === 'rendered' && origin.template !== '' && ref.namespace === 'default'
}
