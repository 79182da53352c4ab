import type { Static } from 'typebox'
import * as Type from 'typebox'
import type { Manifest } from '../../manifest/manifest'
import { labelSelectorPattern, matchesLabels } from '../object/label-selector'
import { matchesObject, matchesPart, objectGlobPattern } from '../object/object-glob'
import { defaultSubjects, isDefaultRole } from '../rbac/bootstrap-rbac'

const ByLabel = Type.Object(
  {
    label: Type.String({
      pattern: labelSelectorPattern,
      description: 'The labels that protect an object, as a kubectl selector: `key`, `key=value`, `key in (a, b)`.',
    }),
    kinds: Type.Array(Type.String(), { description: 'The kinds that it protects; globs allowed.' }),
  },
  { additionalProperties: false },
)

/** The param that lists the protected objects for rules. */
export const Protect = Type.Array(
  Type.Union([
    Type.String({ pattern: objectGlobPattern, description: 'Kind/namespace/name or Kind/name; globs allowed.' }),
    ByLabel,
  ]),
  {
    description:
      'The protected objects, as `Kind/namespace/name` or `Kind/name` globs or by their labels. A list in a config is added to the list of the policy.',
  },
)
/** The objects that the parameter `protect` names. */
export type Protect = Static<typeof Protect>

/** The entry of `protect` that an object falls under, as words. */
export function protectionOf(manifest: Manifest, protect: Protect): string | undefined {
  for (const entry of protect) {
    if (typeof entry === 'string') {
      if (matchesObject(entry, manifest.ref)) return entry
    } else if (
      entry.kinds.some((kind) => matchesPart(kind, manifest.ref.kind)) &&
      matchesLabels(entry.label, (key) => manifest.root.at('metadata', 'labels', key).string)
    ) {
      return `label ${entry.label}`
    }
  }
  return undefined
}

/**
 * Whether an object has a name of the cluster itself that no API server creates: kops, clouds, OpenShift and charts
 * have such names, and change them as they are upgraded. Source:
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#default-roles-and-role-bindings
 */
export function isForeign({ root, ref }: Manifest): boolean {
  const isMadeByKubernetes =
    isDefaultRole(ref) ||
    defaultSubjects(ref) !== undefined ||
    root.at('metadata', 'labels', 'kubernetes.io/bootstrapping').exists
  return ref.name.startsWith('system:') && !isMadeByKubernetes
}
