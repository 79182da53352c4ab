import { podOf } from '../../cluster/pod'
import type { Snapshot } from '../../cluster/snapshot'
import {
  bindingKinds,
  type Permission,
  type Permissions,
  permissionText,
  roleKinds,
  singles,
  uncovered,
} from '../../kubernetes/rbac/rbac'
import { permissionsOfRole } from '../../kubernetes/rbac/rbac-role'
import { type Component, componentKinds, componentsOf, marksOf, writtenAs } from '../../kubernetes/versions/component'
import { componentFacts } from '../../kubernetes/versions/component-facts'
import { componentNeeds, crdsOf, namespacedPermissions, rolesFor } from '../../kubernetes/versions/component-needs'
import { settingKinds } from '../../kubernetes/versions/detect-setting'
import { crdNeeds, roleNeeds } from '../../kubernetes/versions/permission-facts'
import { abridged, enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf, type ObjectRef } from '../../manifest/manifest'
import { allowing } from '../../rule/allowing'
import { together } from '../../rule/fix'
import { defineRule, type Fix } from '../../rule/rule'

const crdKind = 'CustomResourceDefinition.apiextensions.k8s.io'
const crdGroups = [...new Set(crdNeeds.flatMap(({ needs }) => needs.flatMap(({ names }) => names.map(groupOf))))]

export default defineRule({
  id: 'version-matrix/rbac-matches-version',
  summary: 'A CNI, a DNS server or a controller has the permissions and CRDs that its release needs.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: componentKinds,
  reads: [...roleKinds, ...bindingKinds, crdKind, ...settingKinds],
  messages: {
    lacks: ({ image, workload, lacks }: { image: string; workload: string; lacks: string }) =>
      `${image} of ${workload} lacks permissions or CRDs that its release needs: ${lacks}. Add them as in the manifests of that release.`,
  },
  *partners(manifest) {
    const { kind, name } = manifest.ref
    const brought = componentsOf(manifest)
    yield* marksOf(manifest)
    if (brought.length > 0) yield* crdGroups
    for (const need of roleNeeds) {
      const facts = componentFacts.find((one) => one.name === need.component)
      if (brought.some((component) => component.facts === facts)) {
        yield need.clusterRole
        yield podOf(manifest).at('spec', 'serviceAccountName').string ?? need.clusterRole
      }
      // Roles and bindings of a component contain its name; there are too many others.
      if (!isRbac(manifest.ref) || ![need.clusterRole, ...(facts?.marks ?? [])].some((mark) => says(manifest, mark)))
        continue
      yield* facts?.marks ?? []
      yield manifest.root.at('roleRef', 'name').string ?? name
    }
    if (kind === 'CustomResourceDefinition' && crdGroups.includes(groupOf(name))) {
      yield* componentFacts
        .filter((facts) => crdNeeds.some(({ component }) => component === facts.name))
        .flatMap(({ marks }) => marks)
    }
  },
  check({ manifest, snapshot, report }) {
    for (const facts of new Set(componentsOf(manifest).map((component) => component.facts))) {
      const parts = componentsOf(manifest).filter((component) => component.facts === facts)
      const roles = parts.flatMap((part) => missingIn(part, snapshot))
      const crds = parts.flatMap((part) => missingCrds(part, snapshot))
      const lacks = [...roles, ...crds].filter(({ keys }) => keys.length > 0)
      // The part that lacks a permission comes first; all are of one workload.
      const [component] = lacks.map(({ of }) => of)
      if (!component) continue
      const args = {
        image: writtenAs(component),
        workload: nameOf(manifest.ref),
        lacks: lacks.map(({ words }) => words).join('; '),
      }
      const keys = [facts.name, ...lacks.flatMap((lack) => lack.keys)]
      report([component.at, ...[...roles, ...crds].map(({ at }) => at)], 'lacks', args, { keys, fix: fixOf(lacks) })
    }
  },
})

/**
 * The permissions that one part lacks at one place, which is an end of the finding even if nothing is missing there.
 */
interface MissingPermissions {
  readonly of: Component
  readonly at: Cursor
  readonly keys: readonly string[]
  readonly words: string
  /** The missing permissions; none if a CRD is missing. */
  readonly lacking?: readonly Permissions[]
}

/** Adds all of it to the roles; nothing where more is missing than roles can allow. */
function fixOf(lacks: readonly MissingPermissions[]): Fix | undefined {
  return together(...lacks.map(({ at, lacking = [] }) => allowing(at, lacking).fix))
}

function missingIn(of: Component, snapshot: Snapshot): MissingPermissions[] {
  return componentNeeds(of, snapshot).flatMap((needs) => {
    const roles = rolesFor(of.manifest, needs, snapshot)
    const [role] = roles
    if (!role) return []
    const inCluster = roles.flatMap((one) => permissionsOfRole(one, snapshot))
    const owned = [...inCluster, ...namespacedPermissions(of.manifest, needs, snapshot)]
    const lacking = uncovered(owned, needs.permissions)
    const missing = [...singles(lacking)]
    const words = `${nameOf(role.ref)} does not allow ${listed(missing)}`
    return [{ of, at: role.root.at('rules'), keys: missing.map(permissionText), words, lacking }]
  })
}

/** `list, watch ipreservations.crd.projectcalico.org`: the verbs of one resource together. */
function listed(missing: readonly Permission[]): string {
  const verbs = new Map<string, string[]>()
  for (const permission of missing) {
    const what = permissionText({ ...permission, verb: '' }).trim()
    verbs.set(what, [...(verbs.get(what) ?? []), permission.verb])
  }
  const all = [...verbs].map(([what, some]) => `${some.join(', ')} ${what}`)
  return abridged(all, maxListed, '; ')
}

/** A role that lacks more than this is another role, and a longer list does not help. */
const maxListed = 10

/** The CRDs that a part reads and that no manifest defines as it reads them, for groups with at least one CRD in a manifest. */
function missingCrds(of: Component, snapshot: Snapshot): MissingPermissions[] {
  const held = snapshot.ofKind(crdKind)
  const holding = (name: string) => held.filter(({ ref }) => ref.name === name)
  const wanted = crdsOf(of, snapshot).filter(({ apart }) => apart === undefined || holding(apart).length > 0)
  return [...new Set(wanted.map(({ name }) => groupOf(name)))].flatMap((group) => {
    const [first] = held.filter(({ ref }) => groupOf(ref.name) === group)
    if (!first) return []
    const ofGroup = wanted.filter(({ name }) => groupOf(name) === group)
    const missing = ofGroup.filter(({ name }) => holding(name).length === 0).map(({ name }) => name)
    const outdated = ofGroup.flatMap(({ name, version }) => {
      const [one] = holding(name)
      if (!one || version === undefined || holding(name).some((crd) => defines(crd, version))) return []
      return [{ one, name, version }]
    })
    const at = first.root.at('metadata', 'name')
    return [
      { of, at, keys: missing, words: `the CRD ${enumerated(missing, 3)} is missing` },
      ...outdated.map(({ one, name, version }) => ({
        of,
        at: one.root.at('metadata', 'name'),
        keys: [`${name}/${version}`],
        words: `the CRD ${name} has no version ${version}`,
      })),
    ]
  })
}

/** Whether a CRD has a version, served or not. Source: https://github.com/cilium/cilium/blob/v1.18.0/operator/pkg/gateway-api/cell.go, checkCRD */
function defines({ root }: Manifest, version: string): boolean {
  return [...root.at('spec', 'versions').items()].some((one) => one.at('name').string === version)
}

function isRbac(ref: ObjectRef): boolean {
  return [...roleKinds, ...bindingKinds].some((kind) => kind === groupKindOf(ref))
}

function says({ object }: Manifest, mark: string): boolean {
  return object.content.includes(mark)
}

function groupOf(crd: string): string {
  return crd.slice(crd.indexOf('.') + 1)
}
