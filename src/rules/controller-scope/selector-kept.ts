import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import { isServiceOf, usersOfService } from '../../kubernetes/charts/backend-services'
import { controllersOf } from '../../kubernetes/controllers/controller'
import { backendKinds } from '../../kubernetes/ingress/backend'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { backendsOfOpenshiftRoute, openshiftRouteKind } from '../../kubernetes/ingress/openshift-route'
import { servicesIn } from '../../kubernetes/ingress/services'
import { syncOptionsOf } from '../../kubernetes/object/made-again'
import { selectionMarks, selects } from '../../kubernetes/object/service'
import { workloadsBehind } from '../../kubernetes/workload/serving-pods'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type FluxApply, type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/**
 * The kinds whose selector never changes. Source: https://github.com/kubernetes/kubernetes/blob/v1.34.1/pkg/registry/apps/,
 * deployment/strategy.go, daemonset/strategy.go and statefulset/strategy.go, ValidateUpdate
 */
const kinds: readonly GroupKind[] = ['Deployment.apps', 'DaemonSet.apps', 'StatefulSet.apps']

const userKinds: readonly GroupKind[] = [...backendKinds, openshiftRouteKind]

type Refused = Record<'workload' | 'what', string>

export default defineRule({
  id: 'controller-scope/selector-kept',
  summary: 'A workload behind a route, and a controller, keeps the selector of its Pods.',
  since: '1.13.0',
  scope: 'change',
  kinds,
  reads: ['Service', ...userKinds],
  messages: {
    refused: ({ workload, what, also }: Refused & { also: string }) =>
      `This change gives ${workload} a selector ${what}, and a selector is immutable, so the API server refuses this and every later update of it${also}. Keep the selector, or give the new one to a workload of another name.`,
    unreached: ({ workload, what, service, user }: Refused & Record<'service' | 'user', string>) =>
      `This change gives ${workload} a selector ${what}, and a selector is immutable, so its Pods keep their labels, while ${service} is updated and selects none of them: ${user}. Keep the selector, or give the new one to a workload of another name.`,
  },
  putBack: { refused: 'changed', unreached: 'changed' },
  *partners(manifest) {
    const kind = groupKindOf(manifest.ref)
    if (kind === 'Service') yield manifest.ref.name
    else if (kinds.includes(kind)) yield* selectionMarks(manifest)
  },
  partnerKinds: ({ ref: { kind } }) => (kind === 'Service' ? userKinds : ['Service']),
  check({ change, base, head, report }) {
    if (change.kind !== 'changed' || !kinds.includes(groupKindOf(change.after.ref))) return
    const { before, after } = change
    const [old, now] = [selectorOf(before), selectorOf(after)]
    const [was, is] = [partsOf(old), partsOf(now)]
    const [lost, gained] = [was.filter((one) => !is.includes(one)), is.filter((one) => !was.includes(one))]
    const isRead = [before, after].every(({ root }) => root.at('apiVersion').string === 'apps/v1')
    if (!isRead || was.length === 0 || is.length === 0 || lost.length + gained.length === 0) return
    if ([...lost, ...gained].some(isPlaceholder) || isRecreated(after)) return
    const at = [...now.at('matchLabels').entries()].find(
      ([key, { string }]) => old.at('matchLabels', key).string !== string,
    )
    const place = at?.[1] ?? now
    const keys = [...gained, ...lost]
    const what = [gained.length > 0 && `with ${abridged(gained, 3)}`, lost.length > 0 && `without ${abridged(lost, 3)}`]
    const args = { workload: nameOf(after.ref), what: what.filter(Boolean).join(' and ') }
    const isController = controllersOf(after).length > 0
    const services = head.ofKind('Service').filter((one) => selects(one, after) || selects(one, before))
    const users = services.flatMap((service) => {
      const user = userOf(service, head)
      if (!user && !isController) return []
      return [{ service, at: user ?? podOf(after).at('metadata', 'labels'), words: outcome(user, after) }]
    })
    const cut = users.find(
      ({ service }) =>
        base.get(service.ref).some((one) => selects(one, before)) &&
        !selects(service, before) &&
        !waitsFor(service, after) &&
        workloadsBehind(service, head).every((one) => one === after),
    )
    if (cut) {
      const service = nameOf(cut.service.ref)
      const ends = [place, cut.service.root.at('spec', 'selector'), cut.at]
      report(ends, 'unreached', { ...args, service, user: cut.words }, { keys })
    } else if (users.length > 0 || isController) {
      report(place, 'refused', { ...args, also: consequence(after) }, { keys })
    }
  },
})

function selectorOf({ root }: Manifest): Cursor {
  return root.at('spec', 'selector')
}

/** `app: web` and the like, and expressions. */
function partsOf(selector: Cursor): string[] {
  const labels = [...selector.at('matchLabels').entries()].map(([key, { string }]) => `${key}: ${string}`)
  const expressions = [...selector.at('matchExpressions').items()].map((one) => {
    const values = [...one.at('values').items()].map(({ string }) => string).sort()
    return `${one.at('key').string} ${one.at('operator').string} ${values.join(' ')}`.trim()
  })
  return [...labels, ...expressions]
}

/**
 * Whether the tool that applies an object deletes it and creates it again. With `ServerSideApply=true`, Argo CD does so
 * only for `Replace=true`. Sources: https://fluxcd.io/flux/components/kustomize/kustomizations/#force and
 * https://github.com/argoproj/argo-cd/blob/v3.1.0/gitops-engine/pkg/sync/sync_context.go, applyObject
 */
function isRecreated(workload: Manifest): boolean {
  const { root } = workload
  const options = (syncOptionsOf(root).string ?? '').split(',').map((one) => one.trim())
  const isApplied = options.includes('Replace=true') || !options.includes('ServerSideApply=true')
  const marks = ['annotations', 'labels'].map((map) => root.at('metadata', map, 'kustomize.toolkit.fluxcd.io/force'))
  const isMarked = marks.some(({ string }) => string?.toLowerCase() === 'enabled')
  return isMarked || fluxOf(workload)?.forces === true || (options.includes('Force=true') && isApplied)
}

/** The further effect of Flux's trial. */
function consequence({ origin }: Manifest): string {
  const place = origin.kind === 'rendered' && origin.flux ? origin.source.path : undefined
  return place === undefined ? '' : `, and Flux applies nothing else of the Kustomization ${place} either`
}

function fluxOf({ origin }: Manifest): FluxApply | undefined {
  return origin.kind === 'rendered' ? origin.flux : undefined
}

/** Whether Flux applies a Service only with a workload: it tries all objects of a Kustomization first. */
function waitsFor({ origin }: Manifest, workload: Manifest): boolean {
  const own = workload.origin
  return fluxOf(workload) !== undefined && origin.kind === 'rendered' && own.kind === 'rendered' && origin.id === own.id
}

function userOf(service: Manifest, head: Snapshot): Cursor | undefined {
  const own = servicesIn(head)
    .backendsTo(service.ref.name)
    .find((one) => isServiceOf(one, service))
  const [ofOpenshift] = usersOfService(service, head, openshiftRouteKind, backendsOfOpenshiftRoute)
  return (own ?? ofOpenshift)?.name
}

function outcome(user: Cursor | undefined, workload: Manifest): string {
  return user
    ? `the requests that ${nameOf(user.manifest.ref)} sends there fail`
    : `clients no longer reach the hosts that ${nameOf(workload.ref)} serves`
}
