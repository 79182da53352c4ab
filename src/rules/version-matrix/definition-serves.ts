import { definitionKind, objectsOf, servedVersions } from '../../kubernetes/object/custom-resource'
import { abridged } from '../../listing'
import { groupKindOf, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

export default defineRule({
  id: 'version-matrix/definition-serves',
  summary: 'No CustomResourceDefinition loses an API version in which an object is still written.',
  since: '1.1.0',
  scope: 'change',
  kinds: '*',
  messages: {
    lost: ({
      definition,
      apiVersion,
      left,
      served,
    }: {
      definition: string
      apiVersion: string
      left: string
      served: string
    }) =>
      `After this change ${definition} no longer serves ${apiVersion}, so objects that are written in it cannot be applied: ${left}. First write them in ${served}, or keep the version.`,
  },
  putBack: { lost: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) !== definitionKind || manifest.side !== 'base') return
    const versions = [...servedVersions(manifest)]
    // The stored version has to stay, and the others are rarely in use.
    for (const [version, { isStored }] of versions)
      if (versions.length > 1 && !isStored) yield `${manifest.root.at('spec', 'group').string}/${version}`
  },
  partnerKinds({ root }) {
    return [`${root.at('spec', 'names', 'kind').string}.${root.at('spec', 'group').string}`]
  },
  check({ change, head, report }) {
    if (change.kind !== 'changed' || groupKindOf(change.after.ref) !== definitionKind) return
    const { before, after } = change
    const served = servedVersions(after)
    const group = after.root.at('spec', 'group').string ?? ''
    for (const version of servedVersions(before).keys()) {
      if (served.has(version)) continue
      const apiVersion = `${group}/${version}`
      const left = objectsOf(after, head).filter(({ object }) => object.apiVersion === apiVersion)
      const [first] = left
      if (!first) continue
      const at = after.root.at('spec', 'versions')
      const names = abridged(left.map(({ ref }) => nameOf(ref)))
      const args = {
        definition: nameOf(after.ref),
        apiVersion,
        left: names,
        served: `${group}/${[...served.keys()].at(-1)}`,
      }
      report([at, first.root.at('apiVersion')], 'lost', args, { keys: [apiVersion] })
    }
  },
})
