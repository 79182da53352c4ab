import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { definitionKind } from '../../kubernetes/object/custom-resource'
import { roleKinds, stringsIn } from '../../kubernetes/rbac/rbac'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { replaced } from '../../rule/fix'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'protected-rbac/resources-defined',
  summary: 'The rules of a role name custom resources as their CustomResourceDefinitions do.',
  since: '1.20.0',
  scope: 'snapshot',
  kinds: roleKinds,
  reads: [definitionKind],
  messages: {
    // Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
    singular: ({ role, names, definitions, plurals }: Record<'role' | 'names' | 'definitions' | 'plurals', string>) =>
      `${role} allows requests for ${names}. Requests name a custom resource by its plural, which is ${plurals} in ${definitions}, so this allows nothing, and the requests of its subjects are denied. Write ${plurals}.`,
  },
  *partners(manifest) {
    for (const rule of manifest.root.at('rules').items())
      for (const group of stringsIn(rule, 'apiGroups')) if (group.includes('.')) yield `.${group}`
  },
  partnerKinds: ({ ref }) => (ref.kind.endsWith('Role') ? [definitionKind] : []),
  check({ manifest, snapshot, report }) {
    const rules = [...manifest.root.at('rules').items()]
    for (const rule of rules) {
      const defined = stringsIn(rule, 'apiGroups').flatMap((group) => definitionsIn(snapshot).get(group) ?? [])
      const misnamed = [...rule.at('resources').items()].flatMap((at) => {
        const definition = definitionMeantBy(at.string ?? '', defined)
        const plural = definition && pluralOf(definition)
        return definition && plural !== undefined && !isAllowed(plural, definition, rules)
          ? [{ at, definition, plural }]
          : []
      })
      const [first] = misnamed
      if (!first) continue
      const names = misnamed.map(({ at }) => at.string ?? '')
      const args = {
        role: nameOf(manifest.ref),
        names: enumerated(names),
        definitions: enumerated([...new Set(misnamed.map(({ definition }) => nameOf(definition.ref)))], 3),
        plurals: enumerated([...new Set(misnamed.map(({ plural }) => plural))]),
      }
      const fix = misnamed.length === 1 ? { fix: replaced(first.at, first.plural) } : {}
      report([first.at, first.definition.root.at('spec', 'names')], 'singular', args, { keys: names, ...fix })
    }
  },
})

/** The definitions of a cluster by API group, as each role of it asks for them. */
const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Manifest[]>>()

function definitionsIn(snapshot: Snapshot): ReadonlyMap<string, readonly Manifest[]> {
  const before = known.get(snapshot)
  if (before) return before
  const found = new Map<string, Manifest[]>()
  for (const one of snapshot.ofKind(definitionKind)) append(found, groupOf(one), one)
  known.set(snapshot, found)
  return found
}

/** The definition of a resource that is named by its kind, its singular or a short name, where no definition has it as a plural. */
function definitionMeantBy(resource: string, definitions: readonly Manifest[]): Manifest | undefined {
  if (resource === '' || definitions.some((one) => pluralOf(one) === resource)) return undefined
  return definitions.find(({ root }) => {
    const names = root.at('spec', 'names')
    const short = [...names.at('shortNames').items()].map(({ string }) => string)
    return [names.at('singular').string, names.at('kind').string?.toLowerCase(), ...short].includes(resource)
  })
}

function groupOf({ root }: Manifest): string {
  return root.at('spec', 'group').string ?? ''
}

function pluralOf({ root }: Manifest): string | undefined {
  return root.at('spec', 'names', 'plural').string
}

/** Whether any rule of the role allows the resource by its plural, or all resources. */
function isAllowed(plural: string, definition: Manifest, rules: readonly Cursor[]): boolean {
  const has = (rule: Cursor, field: string, name: string) =>
    stringsIn(rule, field).some((one) => one === name || one === '*')
  return rules.some((rule) => has(rule, 'apiGroups', groupOf(definition)) && has(rule, 'resources', plural))
}
