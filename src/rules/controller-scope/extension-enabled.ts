import { namesOfReleaseParts } from '../../kubernetes/charts/chart-release'
import {
  configuringKinds,
  extensionKinds,
  extensionOf,
  marksOfSwitches,
  type SwitchedOff,
  switchedOff,
} from '../../kubernetes/controllers/envoy-switches'
import { identityOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Unused = Pick<SwitchedOff, 'owner' | 'field'> & { object: string }

export default defineRule({
  id: 'controller-scope/extension-enabled',
  summary: 'The configuration of Envoy Gateway enables what its own objects use.',
  since: '1.38.0',
  scope: 'snapshot',
  kinds: extensionKinds,
  reads: configuringKinds,
  subjects: [{ kinds: extensionKinds }],
  messages: {
    // Source: envoyproxy/gateway v1.9.0, internal/provider/kubernetes/controller.go, which then watches no Backends
    backend: ({ object, owner, field }: Unused) =>
      `${object} has no effect: ${owner} does not enable Backends, so Envoy Gateway reads none, and answers 500 to requests of routes that lead there. Set ${field}: true.`,
    // Source: the same
    patch: ({ object, owner, field }: Unused) =>
      `${object} has no effect: ${owner} does not enable EnvoyPatchPolicies, so Envoy Gateway reads none. Set ${field}: true.`,
    // Source: envoyproxy/gateway v1.9.0, internal/gatewayapi/envoyextensionpolicy.go, buildLuas
    lua: ({ object, owner, field, needed }: Unused & { needed: string }) =>
      `${object} has Lua, and ${owner} does not enable it${needed}, so Envoy Gateway refuses the policy, and answers 500 to all requests of the routes that it is for. Set ${field}: true.`,
  },
  putBack: { backend: 'changed', patch: 'changed', lua: 'changed' },
  *partners(manifest) {
    yield* namesOfReleaseParts(manifest)
    yield* marksOfSwitches(manifest)
  },
  check({ manifest, snapshot, report }) {
    const extension = extensionOf(manifest)
    const off = extension && switchedOff(extension, snapshot)
    if (!off) return
    const { owner, field, since, at } = off
    const ends = [extension.at, at]
    const args = { object: nameOf(manifest.ref), owner, field }
    // The same fault where another object comes to configure Envoy Gateway.
    const same = { keys: [], subject: identityOf(manifest.ref) }
    if (extension.key === 'enableBackend') report(ends, 'backend', args, same)
    else if (extension.key === 'enableEnvoyPatchPolicy') report(ends, 'patch', args, same)
    else report(ends, 'lua', { ...args, needed: since ? `, which is needed since Envoy Gateway ${since}` : '' }, same)
  },
})
