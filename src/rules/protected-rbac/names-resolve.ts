import path from 'node:path/posix'
import { roleKinds } from '../../kubernetes/rbac/rbac'
import { otherName } from '../../manifest/assumption'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { isOfOneSource } from '../../manifest/one-source'
import { defineRule } from '../../rule/rule'

/** The kinds whose objects charts name after the release, by their resources. */
const kindOf: ReadonlyMap<string, GroupKind> = new Map([
  ['configmaps', 'ConfigMap'],
  ['daemonsets', 'DaemonSet.apps'],
  ['deployments', 'Deployment.apps'],
  ['mutatingwebhookconfigurations', 'MutatingWebhookConfiguration.admissionregistration.k8s.io'],
  ['podsecuritypolicies', 'PodSecurityPolicy.policy'],
  ['secrets', 'Secret'],
  ['serviceaccounts', 'ServiceAccount'],
  ['services', 'Service'],
  ['statefulsets', 'StatefulSet.apps'],
  ['validatingwebhookconfigurations', 'ValidatingWebhookConfiguration.admissionregistration.k8s.io'],
])

export default defineRule({
  id: 'protected-rbac/names-resolve',
  summary: 'A role of a chart names the objects of the chart as they are named in any release.',
  since: '1.11.0',
  scope: 'snapshot',
  kinds: roleKinds,
  reads: [...kindOf.values()],
  messages: {
    fixed: ({ role, resource, name, object }: Record<'role' | 'resource' | 'name' | 'object', string>) =>
      `${role} allows requests for the ${resource} ${name} alone, and the chart names it after the release: it is ${object} here. So the requests for it are denied in each release of another name than the chart's. Write the name in the role as the template of that object does.`,
  },
  check({ manifest, snapshot, report }) {
    const { origin } = manifest
    if (origin.kind !== 'rendered' || !isRole(manifest)) return
    const chart = path.basename(origin.source.path)
    for (const { at, name, kind, resource } of namedBy(manifest)) {
      const objects = snapshot.ofKind(kind).filter((one) => isOfOneSource(one, manifest))
      const meant = objects.find(({ ref }) => ref.name !== name && namesByChart(ref.name, chart).includes(name))
      if (!meant || objects.some(({ ref }) => ref.name === name)) continue
      const args = { role: nameOf(manifest.ref), resource, name, object: nameOf(meant.ref) }
      report([at, meant.root.at('metadata', 'name')], 'fixed', args, { keys: [resource, name] })
    }
  },
})

function isRole({ ref }: Manifest): boolean {
  return ref.kind === 'Role' || ref.kind === 'ClusterRole'
}

interface Named {
  readonly at: Cursor
  readonly name: string
  readonly resource: string
  readonly kind: GroupKind
}

/** The objects that a role names in its rules. */
function* namedBy(role: Manifest): Generator<Named> {
  for (const rule of role.root.at('rules').items())
    for (const { string: resource = '' } of rule.at('resources').items()) {
      const kind = kindOf.get(resource)
      if (kind === undefined) continue
      for (const at of rule.at('resourceNames').items()) if (at.string) yield { at, name: at.string, resource, kind }
    }
}

/** The names that an object of a release of another name has in one that is called as the chart. */
function namesByChart(name: string, chart: string): string[] {
  return name.includes(otherName) ? [name.replace(`${otherName}-${chart}`, chart), name.replace(otherName, chart)] : []
}
