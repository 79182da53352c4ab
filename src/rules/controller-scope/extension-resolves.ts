import type { Snapshot } from '../../cluster/snapshot'
import { isMentionedTwice, isUnmade } from '../../kubernetes/charts/absent-object'
import { makerOf } from '../../kubernetes/charts/backend-services'
import { releaseKinds } from '../../kubernetes/charts/chart-release'
import { releaseWriting } from '../../kubernetes/charts/objects-in-values'
import { controllerKinds, controllersHere, marksOfControllers } from '../../kubernetes/controllers/controller'
import { envoyController, hasEnvoyGateway } from '../../kubernetes/controllers/envoy-gateway'
import {
  type ExtensionName,
  extendedKinds,
  extensionsNamedBy,
  firstNameOf,
  routeFilterKind,
} from '../../kubernetes/controllers/extension-names'
import { middlewareKinds, serversTransportKinds } from '../../kubernetes/controllers/traefik-middleware'
import { gatewayClassKind } from '../../kubernetes/ingress/gateway-parameters'
import { type Change, sidesOf } from '../../manifest/change'
import { groupKindOf, type Manifest, nameOf, type ObjectRef } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { type ChangeInCluster, defineRule } from '../../rule/rule'

type Unresolved = Record<'user' | 'object' | 'outcome', string>

export default defineRule({
  id: 'controller-scope/extension-resolves',
  summary: 'The objects of Traefik and Envoy Gateway that a route comes to name are there.',
  since: '1.30.0',
  scope: 'change',
  kinds: [...extendedKinds, routeFilterKind],
  reads: [...serversTransportKinds, gatewayClassKind, ...controllerKinds, ...releaseKinds],
  direct: true,
  assumed: { since: '1.38.0' },
  messages: {
    // Source: https://github.com/envoyproxy/gateway/blob/v1.9.0-rc.1/internal/gatewayapi/filters.go,
    // processUnresolvedHTTPFilter: 500
    removed: ({ filter, route }: Record<'filter' | 'route', string>) =>
      `This change removes ${filter}, which ${route} still names as a filter, so Envoy Gateway answers 500 to the requests of this rule. Restore it, or remove the reference, too.`,
    // Source: the same, and https://github.com/traefik/traefik/blob/v3.7.9/pkg/server/middleware/middlewares.go,
    // BuildMiddlewareChain, and pkg/server/service/service.go, BuildHTTP
    unknown: ({ user, object, outcome }: Unresolved) =>
      `After this change ${user} names ${object}, which no file here makes and no other one mentions. Unless it is in the cluster already, ${outcome}. Check the name, or deploy it first.`,
    elsewhere: ({ user, object, outcome, found, advice }: Unresolved & Record<'found' | 'advice', string>) =>
      `After this change ${user} names ${object}, but the files have only ${found}. Unless it is in the cluster already, ${outcome}. ${advice}`,
  },
  later: { elsewhere: '1.38.0' },
  putBack: { elsewhere: 'changed', unknown: 'changed' },
  names: {
    *of(change) {
      for (const { name } of missingIn(change)) yield name
    },
    isUsedIn: mentionsWhole,
  },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) === routeFilterKind) yield manifest.ref.name
    const named = extensionsNamedBy(manifest)
    // A release in the namespace may make it.
    for (const { name, namespace } of named) yield* [name, namespace]
    if (named.length > 0) yield* [...marksOfControllers, envoyController]
  },
  check({ change, base, head, isUsed, report, skip }) {
    if (change.kind === 'removed') {
      const removed = change.before
      const { ref } = removed
      if (groupKindOf(ref) !== routeFilterKind || isThere({ ...ref, kinds: [routeFilterKind] }, head)) return
      const used = firstNameOf(head, { ...ref, kinds: [routeFilterKind] })
      const maker = used && makerOf(removed, base, head)
      if (maker) skip(removed.root, `${nameOf(maker.ref)} may create the ${ref.kind}`)
      else if (used)
        report([removed.root, used.at], 'removed', { filter: nameOf(ref), route: nameOf(used.at.manifest.ref) })
      return
    }
    for (const missing of missingIn({ change, base, head })) {
      const { kinds, namespace, name, at } = missing
      const [first = ''] = kinds
      const kind = first.slice(0, first.indexOf('.'))
      const args = {
        user: nameOf(change.after.ref),
        object: `the ${kind} ${namespace}/${name}`,
        outcome: outcomeOf(missing),
      }
      const keys = [kind, namespace, name]
      const elsewhere = namesakeOf(missing, head)
      if (elsewhere && !releaseWriting({ kinds: [kind], name, namespace }, head)) {
        const more = { found: nameOf(elsewhere.ref), advice: adviceFor(missing, elsewhere.ref) }
        report([at, elsewhere.root.at('metadata')], 'elsewhere', { ...args, ...more }, { keys })
      } else if (isUnmade(namespace, name, head, at.manifest) && !isUsed(name) && !isMentionedTwice(name, head))
        report(at, 'unknown', args, { keys })
    }
  },
})

/** The extensions that a change comes to name, and that are not here. */
function missingIn({ change, base, head }: ChangeInCluster): ExtensionName[] {
  return newlyNamed(change).filter(
    (one) => !firstNameOf(base, one) && ![base, head].some((side) => isThere(one, side)) && hasReader(one, head),
  )
}

function newlyNamed(change: Change): ExtensionName[] {
  const { after } = sidesOf(change)
  const named = after ? extensionsNamedBy(after) : []
  const distinct = new Map(named.map((one) => [JSON.stringify([one.kinds[0], one.namespace, one.name]), one]))
  return [...distinct.values()]
}

/** Whether an object is there; a tool may choose its namespace. */
function isThere(
  { kinds, namespace, name }: Pick<ExtensionName, 'kinds'> & Pick<ObjectRef, 'namespace' | 'name'>,
  side: Snapshot,
): boolean {
  return kinds
    .flatMap((kind) => side.ofKind(kind))
    .some(({ ref }) => ref.name === name && ['', namespace].includes(ref.namespace))
}

/** The only object of the kind that may be meant: of the name in another namespace, or named with its namespace. */
function namesakeOf({ kinds, name }: ExtensionName, side: Snapshot): Manifest | undefined {
  const [first, ...others] = kinds
    .flatMap((kind) => side.ofKind(kind))
    .filter(({ ref }) => [ref.name, `${ref.namespace}-${ref.name}`].includes(name))
  return others.length === 0 ? first : undefined
}

/** Source: traefik v3.7.9, pkg/provider/kubernetes/crd/kubernetes_http.go, makeMiddlewareKeys */
function adviceFor({ kinds }: ExtensionName, { namespace, name }: ObjectRef): string {
  if (kinds.includes(routeFilterKind))
    return 'An extensionRef has no namespace: create the filter in the namespace of the route, too.'
  return kinds !== serversTransportKinds
    ? `Write name: ${name} and namespace: ${namespace}, which needs providers.kubernetesCRD.allowCrossNamespace, or create one in its own namespace.`
    : `Write ${namespace}-${name}@kubernetescrd, which needs providers.kubernetesCRD.allowCrossNamespace, or create one in its own namespace.`
}

/** Whether the controller of the extension is here: otherwise other repositories may have its objects, too. */
function hasReader({ kinds }: ExtensionName, head: Snapshot): boolean {
  if (kinds.includes(routeFilterKind)) return hasEnvoyGateway(head)
  return controllersHere(head).some(({ facts }) => facts.name === 'traefik-crd')
}

function outcomeOf({ kinds }: ExtensionName): string {
  if (kinds.includes(routeFilterKind)) return 'Envoy Gateway answers 500 to the requests of this rule'
  return kinds === middlewareKinds
    ? 'Traefik leaves out the routes that use it, and answers 404 for them'
    : 'Traefik leaves out the routes that lead there, and answers 404 for them'
}
