import type { Snapshot } from '../../cluster/snapshot'
import { redirectLoopsOf } from '../../kubernetes/ingress/redirect-loop'
import { answeringKinds, type Refusal, refusalsOf, refusingKinds } from '../../kubernetes/ingress/unanswered'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Args = Record<'object' | 'detail', string>

export default defineRule({
  id: 'controller-scope/requests-answered',
  summary: 'No object comes to have all requests of a route refused or redirected to where they came from.',
  since: '1.30.0',
  scope: 'change',
  kinds: [...answeringKinds, ...refusingKinds],
  reads: ['Gateway.gateway.networking.k8s.io'],
  messages: {
    unweighted: ({ object, detail }: Args) =>
      `After this change every service of a rule of ${object} has the weight 0, so ${detail} to them. Give one of them another weight.`,
    aborted: ({ object, detail }: Args) =>
      `After this change ${object} injects a fault into 100 % of the requests, so all of them are answered with ${detail}. Remove the fault, or lower its percentage.`,
    denied: ({ object }: Args) =>
      `After this change ${object} denies every request that no rule allows, and no rule allows any, so Envoy answers 403 to all of them. Add a rule with action: Allow, or set defaultAction: Allow.`,
    terminated: ({ object, detail }: Args) =>
      `After this change ${object} has Kong answer ${detail} to all requests of all routes, as it is global. Remove its label global, and name the plugin in the routes that need it.`,
    returned: ({ object, detail }: Args) =>
      `After this change the server-snippet of ${object} returns ${detail} outside of any location, so nginx answers that to all requests of its hosts. Put it into a location, or remove it.`,
    // Source: https://kubernetes.github.io/ingress-nginx/user-guide/nginx-configuration/annotations/#permanent-redirect
    looped: ({ object, detail }: Args) =>
      `After this change ${object} redirects requests to ${detail}, which it serves itself, with the same redirect, so clients are redirected endlessly. Redirect to another address, or remove the redirect.`,
  },
  putBack: {
    aborted: 'changed',
    denied: 'changed',
    looped: 'changed',
    returned: 'changed',
    terminated: 'changed',
    unweighted: 'changed',
  },
  *partners({ ref, root }) {
    if (ref.kind !== 'HTTPRoute') return
    for (const parent of root.at('spec', 'parentRefs').items()) {
      const name = parent.at('name').string
      if (name) yield name
    }
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    // A new route takes nothing from those that were served.
    if (change.kind === 'added' && !refusingKinds.includes(groupKindOf(after.ref))) return
    const before = new Set(change.kind === 'changed' ? refusalsIn(change.before, base).map(keyOf) : [])
    for (const one of refusalsIn(after, head).filter((refusal) => !before.has(keyOf(refusal)))) {
      report(one.at, one.kind, { object: nameOf(after.ref), detail: one.detail }, { keys: [one.key] })
    }
  },
})

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
