import { definitionKind } from '../../kubernetes/object/custom-resource'
import { roleKinds } from '../../kubernetes/rbac/rbac'
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
    const definitions = snapshot.ofKind(definitionKind)
    if (definitions.length === 0) return
    for (const rule of rules) {
      const groups = stringsIn(rule, 'apiGroups')
      const defined = definitions.filter(({ root }) => groups.includes(root.at('spec', 'group').string ?? ''))
      const misnamed = [...rule.at('resources').items()].flatMap((at) => {
        const definition = definitionMeantBy(at.string ?? '', defined)
        const plural = definition && pluralOf(definition)
        return definition && plural !== undefined && !isAllowed(plural, rules) ? [{ at, definition, plural }] : []
      })
      const [first] = misnamed
      if (!first) continue
      const names = misnamed.map(({ at }) => at.string ?? '')
      const args = {
        role: nameOf(manifest.ref),
        names: enumerated(names, 3),
        definitions: enumerated([...new Set(misnamed.map(({ definition }) => nameOf(definition.ref)))], 3),
        plurals: enumerated([...new Set(misnamed.map(({ plural }) => plural))], 3),
      }
      const fix = misnamed.length === 1 ? { fix: replaced(first.at, first.plural) } : {}
      report([first.at, first.definition.root.at('spec', 'names')], 'singular', args, { keys: names, ...fix })
    }
  },
})

/** The definition of a resource that is named by its kind, its singular or a short name, where no definition has it as a plural. */
function definitionMeantBy(resource: string, definitions: readonly Manifest[]): Manifest | undefined {
  if (resource === '' || definitions.some((one) => pluralOf(one) === resource)) return undefined
  return definitions.find(({ root }) => {
    const names = root.at('spec', 'names')
    const short = [...names.at('shortNames').items()].map(({ string }) => string)
    return [names.at('singular').string, names.at('kind').string?.toLowerCase(), ...short].includes(resource)
  })
}

function pluralOf({ root }: Manifest): string | undefined {
  return root.at('spec', 'names', 'plural').string
}

/** Whether any rule of the role allows a resource, too. */
function isAllowed(resource: string, rules: readonly Cursor[]): boolean {
  return rules.some((rule) => stringsIn(rule, 'resources').includes(resource))
}

function stringsIn(rule: Cursor, field: string): readonly string[] {
  return [...rule.at(field).items()].flatMap(({ string }) => string ?? [])
}
