import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { ociRepositoryOf } from '../../kubernetes/charts/chart-major'
import { releaseMentioning } from '../../kubernetes/charts/chart-release'
import {
  authorizationKind,
  denialKinds,
  type IstioDenial,
  istioDenials,
  marksOfDenials,
} from '../../kubernetes/controllers/istio-denial'
import { linkerdDenialOf, linkerdKinds, marksOfAllowances } from '../../kubernetes/controllers/linkerd-denial'
import { backlessRules } from '../../kubernetes/ingress/backless'
import { redirectLoopsOf } from '../../kubernetes/ingress/redirect-loop'
import {
  answeringKinds,
  type Refusal,
  refusalsOf,
  refusingKinds,
  weighedRoutes,
} from '../../kubernetes/ingress/unanswered'
import { abridged } from '../../listing'
import { type GroupKind, groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Args = Record<'object' | 'detail', string>
type Denial = Record<'object' | 'gateways', string>

const gatewayKind = 'Gateway.gateway.networking.k8s.io'

const ownKinds: readonly GroupKind[] = [...answeringKinds, ...refusingKinds, authorizationKind, 'Namespace']

export default defineRule({
  id: 'controller-scope/requests-answered',
  summary: 'No object comes to have all requests of a route refused or redirected to where they came from.',
  since: '1.30.0',
  scope: 'change',
  kinds: ownKinds,
  assumed: { since: '1.38.0' },
  reads: [...new Set([gatewayKind, gitOpsKind.ociRepository, ...denialKinds, ...linkerdKinds])].filter(
    (kind) => !ownKinds.includes(kind),
  ),
  messages: {
    unweighted: ({ object, detail }: Args) =>
      `After this change every service of a rule of ${object} has the weight 0, so ${detail} to them. Give one of them another weight.`,
    backless: ({ object }: { object: string }) =>
      `After this change a rule of ${object} has no backendRefs, and no filter that answers in their place, so the Gateway answers its requests with an error (500, or 404). Name the Service that these requests are for in backendRefs.`,
    aborted: ({ object, detail }: Args) =>
      `After this change ${object} injects a fault into 100 % of the requests, so all of them are answered with ${detail}. Remove the fault, or lower its percentage.`,
    denied: ({ object }: Args) =>
      `After this change ${object} denies every request that no rule allows, and no rule allows any, so Envoy answers 403 to all of them. Add a rule with action: Allow, or set defaultAction: Allow.`,
    unallowed: ({ object, gateways }: Denial) =>
      `After this change ${object} applies to the Pods of ${gateways}, and it allows nothing, as it has no rules. No other policy here allows requests to them, so Istio answers 403 to all of them. Add a rule that allows these requests, or a policy with one for these Pods.`,
    forbidden: ({ object, gateways }: Denial) =>
      `After this change ${object} denies all requests to the Pods of ${gateways}, as one of its rules is empty and so matches everything. Istio answers 403 to all of them, whatever other policies allow. Write into the rule which requests are meant, or remove it.`,
    // Source: https://linkerd.io/2/reference/authorization-policy/
    unauthorized: ({ object, routes }: { object: string; routes: string }) =>
      `After this change ${object} has Linkerd deny all requests to the Pods that start in it, and no policy of Linkerd here allows any. So the requests of ${routes} are answered with 403 after the next rollout. Allow the ingress controller with a Server and an AuthorizationPolicy first, or set another default.`,
    terminated: ({ object, detail }: Args) =>
      `After this change ${object} has Kong answer ${detail} to all requests of all routes, as it is global. Remove its label global, and name the plugin in the routes that need it.`,
    returned: ({ object, detail }: Args) =>
      `After this change the server-snippet of ${object} returns ${detail} outside of any location, so nginx answers that to all requests of its hosts. Put it into a location, or remove it.`,
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/#permanent-redirect
    looped: ({ object, detail }: Args) =>
      `After this change ${object} redirects requests to ${detail}, which it serves itself, with the same redirect, so clients are redirected endlessly. Redirect to another address, or remove the redirect.`,
  },
  later: { backless: '1.38.0', forbidden: '1.31.0', unallowed: '1.31.0', unauthorized: '1.32.0' },
  putBack: {
    aborted: 'changed',
    backless: 'changed',
    denied: 'changed',
    forbidden: 'changed',
    looped: 'changed',
    returned: 'changed',
    terminated: 'changed',
    unallowed: 'changed',
    unauthorized: 'changed',
    unweighted: 'changed',
  },
  partnerKinds: ({ ref }) => {
    if (ref.kind === 'Namespace') return linkerdKinds
    return groupKindOf(ref) === authorizationKind ? denialKinds : [gatewayKind, gitOpsKind.ociRepository]
  },
  *partners(manifest, _, _isGone, isTouched) {
    const { ref, root } = manifest
    if (ref.kind === 'Namespace' && isTouched) yield* marksOfAllowances(manifest)
    if (groupKindOf(ref) === authorizationKind && isTouched) yield* marksOfDenials
    // The chart of a release decides what its values mean.
    const repository = manifest.assumption && ociRepositoryOf(manifest.assumption.writtenAt(['spec']).manifest)
    if (repository) yield repository.name
    if (ref.kind !== 'HTTPRoute') return
    for (const parent of root.at('spec', 'parentRefs').items()) {
      const name = parent.at('name').string
      if (name) yield name
    }
  },
  check({ change, base, head, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    if (groupKindOf(after.ref) === 'Namespace') {
      const denial = linkerdDenialOf(after, head)
      if (!denial || change.kind === 'added' || linkerdDenialOf(change.before, base)) return
      const routes = abridged(denial.routes.map(({ ref }) => nameOf(ref)))
      return report([denial.at, denial.routes[0].root], 'unauthorized', { object: nameOf(after.ref), routes })
    }
    if (groupKindOf(after.ref) === authorizationKind) {
      const [is, was] = [denialBy(after, head), denialBy(after, base)]
      const known = new Set(was?.gateways.map(({ ref }) => identityOf(ref)))
      const gateways = is?.gateways.filter(({ ref }) => !known.has(identityOf(ref))) ?? []
      const [first] = gateways
      if (!is || !first || is.policy !== after) return
      const release = is.how === 'unallowed' ? releaseMentioning('AuthorizationPolicy', head) : undefined
      if (release) return skip(is.at, `${nameOf(release.ref)} may bring a policy that allows requests`)
      const args = { object: nameOf(after.ref), gateways: abridged(gateways.map(({ ref }) => nameOf(ref))) }
      return report([is.at, first.root.at('spec', 'selector')], is.how === 'denied' ? 'forbidden' : 'unallowed', args)
    }
    // A new route takes nothing from those that were served.
    if (change.kind === 'added' && !refusingKinds.includes(groupKindOf(after.ref))) return
    const bare =
      change.kind === 'changed' && weighedRoutes.includes(groupKindOf(after.ref))
        ? backlessRules(change.before, after)
        : []
    for (const rule of bare)
      report(rule, 'backless', { object: nameOf(after.ref) }, { keys: [String(rule.path.at(-1))] })
    const before = new Set(change.kind === 'changed' ? refusalsIn(change.before, base).map(keyOf) : [])
    for (const one of refusalsIn(after, head).filter((refusal) => !before.has(keyOf(refusal)))) {
      report(one.at, one.kind, { object: nameOf(after.ref), detail: one.detail }, { keys: [one.key] })
    }
  },
})

function denialBy({ ref }: Manifest, snapshot: Snapshot): IstioDenial | undefined {
  return istioDenials(snapshot).find(({ policy }) => identityOf(policy.ref) === identityOf(ref))
}

function refusalsIn(manifest: Manifest, snapshot: Snapshot): Refusal[] {
  const loops = manifest.ref.kind === 'HTTPRoute' ? redirectLoopsOf(manifest, snapshot) : []
  return [
    ...refusalsOf(manifest),
    ...loops.map(({ at, url }): Refusal => ({ kind: 'looped', at, key: url, detail: url })),
  ]
}

function keyOf({ kind, key }: Refusal): string {
  return JSON.stringify([kind, key])
}
