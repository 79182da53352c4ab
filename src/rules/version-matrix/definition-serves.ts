import type { Snapshot } from '../../cluster/snapshot'
import { definitionKind, definitionsOf, objectsOf, servedVersions } from '../../kubernetes/object/custom-resource'
import { isOfKubernetes } from '../../kubernetes/versions/served-apis'
import { abridged } from '../../listing'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

/** Groups of deployers: their definitions are long files, and their objects change most often. */
const ofDeployers = /(?:^|\.)(?:fluxcd\.io|argoproj\.io|cattle\.io)$/

export default defineRule({
  id: 'version-matrix/definition-serves',
  summary: 'Each object is written in an API version that its CustomResourceDefinition serves.',
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
    unserved: ({
      object,
      apiVersion,
      definition,
      served,
    }: Record<'object' | 'apiVersion' | 'definition' | 'served', string>) =>
      `${object} is written in ${apiVersion}, which ${definition} does not serve, so the API server rejects it. Write it in ${served}, or first serve its version.`,
  },
  later: { unserved: '1.2.0' },
  putBack: { lost: 'changed' },
  *partners(manifest) {
    if (groupKindOf(manifest.ref) !== definitionKind) {
      const { ref, apiVersion } = manifest.object
      // The name of a definition ends in its group. A stable version is rarely one that is not served.
      if (isDefined(apiVersion) && /v\d+(?:alpha|beta)\d+$/.test(apiVersion) && !ofDeployers.test(ref.group))
        yield `.${ref.group}`
      return
    }
    if (manifest.side !== 'base') return
    const versions = [...servedVersions(manifest)]
    // The stored version has to stay, and the others are rarely in use.
    for (const [version, { isStored }] of versions)
      if (versions.length > 1 && !isStored) yield `${manifest.root.at('spec', 'group').string}/${version}`
  },
  partnerKinds({ ref, root }) {
    if (groupKindOf(ref) !== definitionKind) return ref.group !== '' ? [definitionKind] : undefined
    return [`${root.at('spec', 'names', 'kind').string}.${root.at('spec', 'group').string}`]
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    if (groupKindOf(after.ref) !== definitionKind) {
      const definition = refusing(after, head)
      if (!definition || (change.kind === 'changed' && refusing(change.before, base))) return
      const { apiVersion, ref } = after.object
      // A version that the definition loses is reported there.
      if (definitionsOf(base, ref.group, ref.kind).some((one) => servedVersions(one).has(versionOf(apiVersion)))) return
      const served = `${ref.group}/${[...servedVersions(definition).keys()].at(-1)}`
      const args = { object: nameOf(after.ref), apiVersion, definition: nameOf(definition.ref), served }
      report([after.root.at('apiVersion'), definition.root.at('spec', 'versions')], 'unserved', args, {
        keys: [apiVersion],
      })
      return
    }
    if (change.kind !== 'changed') return
    const { before } = change
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

/** Whether objects of an API version are of a kind that a definition may define. */
function isDefined(apiVersion: string): boolean {
  return apiVersion.includes('.') && !isOfKubernetes(apiVersion)
}

function versionOf(apiVersion: string): string {
  return apiVersion.split('/')[1] ?? ''
}

/** The definition of the cluster that does not serve the version of an object; none if a copy of it does. */
function refusing({ object: { apiVersion, ref } }: Manifest, snapshot: Snapshot): Manifest | undefined {
  if (!isDefined(apiVersion)) return undefined
  const definitions = definitionsOf(snapshot, ref.group, ref.kind)
  const versions = definitions.map(servedVersions)
  // A patch of a definition lists no versions.
  if (versions.some((served) => served.size === 0 || served.has(versionOf(apiVersion)))) return undefined
  return definitions[0]
}
