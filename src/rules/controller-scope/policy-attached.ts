import type { Snapshot } from '../../cluster/snapshot'
import { entryOf } from '../../entry'
import { releaseKinds, releaseMentioning } from '../../kubernetes/charts/chart-release'
import { isPlaceholder } from '../../kubernetes/ingress/ingress'
import { isLikeName } from '../../kubernetes/object/like-names'
import { enumerated } from '../../listing'
import type { Change } from '../../manifest/change'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { mentionsWhole } from '../../manifest/mentions'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

const routes = ['HTTPRoute', 'GRPCRoute', 'UDPRoute', 'TCPRoute', 'TLSRoute']

/**
 * The kinds that policies of Envoy Gateway apply to. Source:
 * https://github.com/envoyproxy/gateway/blob/v1.9.0/api/v1alpha1, the validations of each `...Spec`; v1.0.0 has fewer
 */
const targetsOf: Readonly<Record<GroupKind, readonly string[]>> = {
  'BackendTrafficPolicy.gateway.envoyproxy.io': ['Gateway', 'ListenerSet', ...routes],
  'ClientTrafficPolicy.gateway.envoyproxy.io': ['Gateway', 'ListenerSet'],
  'EnvoyExtensionPolicy.gateway.envoyproxy.io': ['Gateway', 'ListenerSet', ...routes],
  'SecurityPolicy.gateway.envoyproxy.io': ['Gateway', 'ListenerSet', 'HTTPRoute', 'GRPCRoute', 'TCPRoute'],
}

/** Its targets may be of kinds that only an implementation knows. */
const backendTls: GroupKind = ofGatewayApi('BackendTLSPolicy')
const policyKinds = [...Object.keys(targetsOf), backendTls]
const gatewayKind = ofGatewayApi('Gateway')
const targetKinds = ['Gateway', ...routes].map(ofGatewayApi)

type Missing = Record<'policy' | 'target' | 'fate', string>

export default defineRule({
  id: 'controller-scope/policy-attached',
  summary: 'A policy of a Gateway names a Gateway, a route or a port of a Service that is in its namespace.',
  since: '1.9.0',
  scope: 'change',
  kinds: policyKinds,
  reads: [...targetKinds, 'Service', ...releaseKinds],
  subjects: [{ kinds: policyKinds }],
  direct: true,
  messages: {
    kind: ({ policy, kind, wanted }: Record<'policy' | 'kind' | 'wanted', string>) =>
      `${policy} has a target of the kind ${kind}, and applies only to ${wanted}, so the API server rejects it. Name a target of these kinds.`,
    // Source: https://github.com/envoyproxy/gateway/blob/v1.9.0/internal/gatewayapi/securitypolicy.go,
    // resolveSecurityPolicyRouteTargetRef: "It's not an error"
    elsewhere: ({ policy, target, fate, found }: Missing & { found: string }) =>
      `${policy} names ${target} as its target, which is not in its namespace; ${found} is in another one, and a policy applies in its own only. Envoy Gateway reports no error, and ${fate}. Move the policy to the namespace of its target.`,
    misnamed: ({ policy, target, fate, meant }: Missing & { meant: string }) =>
      `${policy} names ${target} as its target, which is not in this repository and which no other file names. Envoy Gateway reports no error, and ${fate}. Name ${meant}, which is in the namespace of the policy.`,
    section: ({ policy, section, gateway, names }: Record<'policy' | 'section' | 'gateway' | 'names', string>) =>
      `${policy} names the listener ${section} of ${gateway}, which has only the listeners ${names}, so the policy is not attached. Set sectionName to one of these.`,
    // Source: https://github.com/kubernetes-sigs/gateway-api/blob/v1.4.0/apis/v1/policy_types.go, SectionName: the name of a port;
    // https://github.com/envoyproxy/gateway/blob/v1.9.0/internal/gatewayapi/route.go, getTargetBackendReference
    port: ({ policy, section, service, names }: Record<'policy' | 'section' | 'service' | 'names', string>) =>
      `${policy} names the port ${section} of ${service}, whose ports are called ${names}: sectionName is the name of a port, so the policy is not attached and the Gateway connects to that Service without it. Set sectionName to one of these names; Envoy Gateway took numbers only before 1.2.4.`,
  },
  later: { port: '1.31.0' },
  putBack: { kind: 'changed', misnamed: 'changed', section: 'changed', port: 'changed' },
  *partners(manifest) {
    if (!policyKinds.includes(groupKindOf(manifest.ref))) return
    for (const { name, kind } of targetsIn(manifest)) yield* [name, `kind: ${kind}`]
  },
  names: {
    *of({ change, base, head }) {
      for (const target of missingTargets(change, base, head)) if (likeOf(target, head)) yield target.name
    },
    isUsedIn: mentionsWhole,
  },
  check({ change, base, head, isUsed, report, skip }) {
    if (change.kind === 'removed') return
    const { after } = change
    const policy = nameOf(after.ref)
    if (groupKindOf(after.ref) === backendTls) {
      for (const { at, service, names, meant } of missingPorts(after, head)) {
        const args = {
          policy,
          section: at.string ?? '',
          service: nameOf(service.manifest.ref),
          names: enumerated(names),
        }
        report([at, service], 'port', args, { keys: [args.section], fix: meant ? replaced(at, meant) : undefined })
      }
      return
    }
    const wanted = entryOf(targetsOf, groupKindOf(after.ref)) ?? []
    for (const { at, kind, name } of targetsIn(after)) {
      if (!wanted.includes(kind)) {
        report(at.at('kind'), 'kind', { policy, kind, wanted: enumerated(wanted) }, { keys: [kind] })
        continue
      }
      const section = at.at('sectionName')
      const gateway = kind === 'Gateway' ? inNamespaceOf(after, gatewayKind, head).find(isNamed(name)) : undefined
      const listeners = gateway?.root.at('spec', 'listeners')
      const names = [...(listeners?.items() ?? [])].map((one) => one.at('name').string ?? '')
      if (!gateway || !listeners || !section.string || [section.string, ...names].some(isPlaceholder)) continue
      if (names.includes(section.string)) continue
      const args = { policy, section: section.string, gateway: nameOf(gateway.ref), names: enumerated(names) }
      report([section, listeners], 'section', args, { keys: [section.string] })
    }
    for (const target of missingTargets(change, base, head)) {
      const { kind, name } = target
      const at = target.at.at('name')
      const args = { policy, target: `${kind} ${name}`, fate: fateOf(after) }
      const found = head.ofKind(ofGatewayApi(kind)).find(isNamed(name))
      const like = found || isUsed(name) ? undefined : likeOf(target, head)
      const release = found || like ? releaseMentioning(name, head) : undefined
      if (release) {
        skip(at, `${nameOf(release.ref)} mentions ${kind} ${name}, and may create it`)
      } else if (found) {
        report([at, found.root.at('metadata')], 'elsewhere', { ...args, found: nameOf(found.ref) }, { keys: [name] })
      } else if (like) {
        const fix = replaced(at, like.ref.name)
        report([at, like.root], 'misnamed', { ...args, meant: like.ref.name }, { keys: [name], fix })
      }
    }
  },
})

interface Target {
  readonly at: Cursor
  readonly kind: string
  readonly name: string
  readonly policy: Manifest
}

/** The targets that a policy names; those that it selects by their labels are not among them. */
function targetsIn(policy: Manifest): Target[] {
  const spec = policy.root.at('spec')
  const refs = [spec.at('targetRef'), ...spec.at('targetRefs').items()]
  return refs.flatMap((at) => {
    const [kind, name] = [at.at('kind').string, at.at('name').string]
    return kind && name && ![kind, name].some(isPlaceholder) ? [{ at, kind, name, policy }] : []
  })
}

interface MissingPort {
  /** The `sectionName`. */
  readonly at: Cursor
  /** The ports of the Service. */
  readonly service: Cursor
  readonly names: readonly string[]
  /** The name of the port that has the section as its number. */
  readonly meant: string | undefined
}

/** The ports of Services that a policy names, and that no Service of that name has. */
function missingPorts(policy: Manifest, head: Snapshot): MissingPort[] {
  return targetsIn(policy).flatMap(({ at: target, kind, name }) => {
    const at = target.at('sectionName')
    const section = at.string
    if (kind !== 'Service' || target.at('group').string || !section || isPlaceholder(section)) return []
    const lists = inNamespaceOf(policy, 'Service', head)
      .filter(isNamed(name))
      .map((one) => one.root.at('spec', 'ports'))
    const ports = lists.flatMap((list) => [...list.items()])
    const names = ports.flatMap((port) => port.at('name').string ?? [])
    const [service] = lists
    // The only port of a Service may have no name.
    if (!service || names.length < ports.length || names.length === 0) return []
    if (lists.some(({ isList }) => !isList) || names.some((one) => one === section || isPlaceholder(one))) return []
    const meant = ports.filter((port) => String(port.at('port').value) === section)
    return {
      at,
      service,
      names: [...new Set(names)],
      meant: meant.length === 1 ? meant[0]?.at('name').string : undefined,
    }
  })
}

/** The targets that a change has a policy name, and that are not in its namespace; they were not there before either. */
function missingTargets(change: Change, base: Snapshot, head: Snapshot): Target[] {
  if (change.kind === 'removed') return []
  const { namespace } = change.after.ref
  if (namespace === '' || isPlaceholder(namespace)) return []
  const was = change.kind === 'changed' ? targetsIn(change.before) : []
  return targetsIn(change.after).filter(({ kind, name }) => {
    if (!targetKinds.includes(ofGatewayApi(kind)) || was.some((one) => one.kind === kind && one.name === name))
      return false
    return ![base, head].some((side) => inNamespaceOf(change.after, ofGatewayApi(kind), side).some(isNamed(name)))
  })
}

/** The only object of a target's kind and namespace whose name is nearly that of the target. */
function likeOf({ kind, name, policy }: Target, head: Snapshot): Manifest | undefined {
  const like = inNamespaceOf(policy, ofGatewayApi(kind), head).filter(({ ref }) => isLikeName(name, ref.name))
  return like.length === 1 ? like[0] : undefined
}

/** The objects of a kind that are in the namespace of a policy, or may be. */
function inNamespaceOf({ ref }: Manifest, kind: GroupKind, snapshot: Snapshot): Manifest[] {
  const isThere = (namespace: string) => ['', ref.namespace].includes(namespace) || isPlaceholder(namespace)
  return snapshot.ofKind(kind).filter((one) => isThere(one.ref.namespace))
}

function isNamed(name: string): (manifest: Manifest) => boolean {
  return ({ ref }) => ref.name === name || isPlaceholder(ref.name)
}

/** The effect of a policy that is attached to nothing. */
function fateOf({ ref }: Manifest): string {
  return ref.kind === 'SecurityPolicy'
    ? 'what the policy should protect is served without it'
    : 'the settings of the policy have no effect'
}

function ofGatewayApi(kind: string): GroupKind {
  return `${kind}.gateway.networking.k8s.io`
}
