import type { Snapshot } from '../../cluster/snapshot'
import { comingReleases } from '../../kubernetes/charts/coming-release'
import {
  envoyProxyKind,
  gatewayClassKind,
  gatewayKind,
  gatewaysOfClass,
  parameterKinds,
  parametersOf,
  usersOfParameters,
} from '../../kubernetes/ingress/gateway-parameters'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { abridged } from '../../listing'
import { type Change, sidesOf } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'controller-scope/gateway-programmed',
  summary: 'The GatewayClass that a Gateway names is there with its parameters, and these give it proxies.',
  since: '1.29.0',
  scope: 'change',
  kinds: [gatewayKind, gatewayClassKind, ...parameterKinds],
  messages: {
    moved: ({ gateway, was, name, known }: Record<'gateway' | 'was' | 'name' | 'known', string>) =>
      `${gateway} had the class ${was}, whose GatewayClass is in this repository. This change gives it the class ${name}, which nothing in this repository has or named so far, so no controller may program it, and its hosts may not be served. Use a class that is here (${known}), or add the GatewayClass ${name} to this repository.`,
    // Source: envoyproxy/gateway v1.6.0, internal/provider/kubernetes/controller.go: a class with such a reference is not accepted, and its
    // Gateways are left out
    unparameterized: ({ user, parameters, gateways }: Record<'user' | 'parameters' | 'gateways', string>) =>
      `After this change ${user} names ${parameters} as its parameters, which is not there, so its controller does not accept it, and nothing programs ${gateways}. Keep these parameters, or name others that are there.`,
    proxyless: ({ proxy, gateways }: Record<'proxy' | 'gateways', string>) =>
      `After this change ${proxy} gives ${gateways} no proxies, so nothing serves their hosts. Keep at least one replica.`,
  },
  putBack: { moved: 'changed', proxyless: 'changed', unparameterized: 'changed' },
  *partners(manifest) {
    const { ref, root } = manifest
    yield ref.name
    const reference = parametersOf(manifest)
    if (reference) yield reference.to.name
    if (ref.kind === 'Gateway') yield root.at('spec', 'gatewayClassName').string ?? ''
    if (ref.kind !== 'Gateway') yield 'gatewayClassName'
  },
  names: {
    *of({ change, base, head }) {
      const moved = movedIn(change, base, head)
      if (moved) yield moved.name
    },
    isUsedIn: (text, name) => text.split(/[\s"',{}:]+/).includes(name),
  },
  check({ change, base, head, isUsed, report }) {
    const moved = movedIn(change, base, head)
    if (moved && !isUsed(moved.name)) {
      const { at, was, name } = moved
      const known = abridged(head.ofKind(gatewayClassKind).map(({ ref }) => ref.name))
      const gateway = nameOf(at.manifest.ref)
      report([at], 'moved', { gateway, was, name, known }, { keys: [name] })
    }
    for (const { at, place, user, parameters, gateways } of danglingIn(change, base, head))
      report([place, at], 'unparameterized', { user, parameters, gateways }, { keys: [parameters] })
    const stopped = stoppedIn(change)
    for (const { at, gateways } of stopped ? usersOfParameters(stopped.manifest.ref, head) : []) {
      if (!stopped) continue
      const names = { proxy: nameOf(stopped.manifest.ref), gateways: listed(gateways) }
      report([stopped, at], 'proxyless', names, { keys: [nameOf(at.manifest.ref)] })
    }
  },
})

/** Classes that controllers create themselves, or that a cloud has: https://cloud.google.com/kubernetes-engine/docs/concepts/gateway-api */
const madeClasses = /^(?:gke-|istio(?:-|$)|cilium$|azure-|amazon-|gke$)/

/** The class to which a Gateway is moved, from one that stays. */
function movedIn(change: Change, base: Snapshot, head: Snapshot) {
  if (change.kind !== 'changed' || groupKindOf(change.after.ref) !== gatewayKind) return undefined
  const [was, is] = [change.before, change.after].map(({ root }) => root.at('spec', 'gatewayClassName'))
  const [before, name] = [was?.string, is?.string]
  if (!is || !before || !name || before === name || isPlaceholder(name) || madeClasses.test(name)) return undefined
  const has = (snapshot: Snapshot, one: string) => snapshot.ofKind(gatewayClassKind).some(({ ref }) => ref.name === one)
  const isKnown = has(head, name) || has(base, name) || gatewaysOfClass(name, base).length > 0
  const mayCome = comingReleases(base, head).length > 0
  return isKnown || mayCome || !has(base, before) || !has(head, before) ? undefined : { at: is, was: before, name }
}

interface Dangling extends Record<'user' | 'parameters' | 'gateways', string> {
  /** The reference, and the cause. */
  readonly at: Cursor
  readonly place: Cursor
}

/** The references to parameters that the change breaks: it removes these, or it writes another reference. */
function danglingIn(change: Change, base: Snapshot, head: Snapshot): Dangling[] {
  const { before, after } = sidesOf(change)
  if (!before || comingReleases(base, head).length > 0) return []
  if (!after) {
    const { ref } = before
    if (!parameterKinds.includes(groupKindOf(ref)) || outlivesPrune(before) || head.get(ref).length > 0) return []
    return usersOfParameters(ref, head).map(({ at, gateways }) => ({
      at,
      place: before.root,
      user: nameOf(at.manifest.ref),
      parameters: nameOf(ref),
      gateways: listed(gateways),
    }))
  }
  const [was, is] = [parametersOf(before), parametersOf(after)]
  if (!was || !is || nameOf(was.to) === nameOf(is.to) || isPlaceholder(is.to.name)) return []
  if (base.get(was.to).length === 0 || head.get(is.to).length > 0) return []
  const gateways = after.ref.kind === 'Gateway' ? [after] : gatewaysOfClass(after.ref.name, head)
  if (gateways.length === 0) return []
  const names = { user: nameOf(after.ref), parameters: nameOf(is.to), gateways: listed(gateways) }
  return [{ at: is.at, place: is.at, ...names }]
}

/** The number of proxies of Envoy Gateway that becomes 0. */
function stoppedIn(change: Change): Cursor | undefined {
  if (change.kind !== 'changed' || groupKindOf(change.after.ref) !== envoyProxyKind) return undefined
  const [was, is] = [change.before, change.after].map(({ root }) => root.at('spec', 'provider', 'kubernetes'))
  const replicas = is?.at('envoyDeployment', 'replicas')
  const isStopped = replicas?.value === 0 && was?.at('envoyDeployment', 'replicas').value !== 0
  return isStopped && !is?.at('envoyHpa').exists ? replicas : undefined
}

function listed(gateways: readonly Manifest[]): string {
  return abridged(gateways.map(({ ref }) => nameOf(ref)).sort())
}
