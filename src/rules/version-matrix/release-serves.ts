import { append } from '../../append'
import type { Snapshot } from '../../cluster/snapshot'
import { definitionsOf } from '../../kubernetes/object/custom-resource'
import {
  type Component,
  componentKinds,
  componentsIn,
  componentsOf,
  marksOf,
} from '../../kubernetes/versions/component'
import {
  type ComponentApi,
  componentApis,
  groupKindIn,
  isServing,
  kindsOfApis,
  newestServedBy,
} from '../../kubernetes/versions/component-apis'
import { componentFacts } from '../../kubernetes/versions/component-facts'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Unserved = Record<'apiVersion' | 'product' | 'installer' | 'served', string>

/** What kubectl says. Source: https://github.com/kubernetes/apimachinery/blob/v0.34.1/pkg/api/meta/errors.go, NoKindMatchError */
const refused = 'fail with `no matches for kind`'

export default defineRule({
  id: 'version-matrix/release-serves',
  summary: 'The release of a component that runs in a cluster serves the API version of each of its objects.',
  since: '1.9.0',
  scope: 'change',
  kinds: [...componentKinds, ...kindsOfApis],
  messages: {
    unserved: ({ object, apiVersion, product, installer, served }: Unserved & { object: string }) =>
      `${object} is written in ${apiVersion}, which ${product} of ${installer} does not serve, so kubectl, Flux and Argo CD ${refused} and the object is never created or updated. Write it in ${served}, or first install a release that serves it.`,
    lost: ({ product, was, installer, apiVersion, left, served }: Unserved & Record<'was' | 'left', string>) =>
      `This change takes ${installer} from ${was} to ${product}, which no longer serves ${apiVersion}, so objects that are written in it cannot be applied: ${left}. First write them in ${served}, or keep the release.`,
  },
  putBack: { lost: 'changed' },
  *partners(manifest) {
    yield* marksFor(manifest)
    if (marksOf(manifest).length > 0) yield* apisOf(manifest).map(({ apiVersion }) => apiVersion)
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const refusing = refusingIn(head, after)
    if (refusing && !(change.kind === 'changed' && refusingIn(base, change.before))) {
      const { apiVersion, ref } = after.object
      const served = newestServedBy(refusing.facts.name, refusing.release ?? '', ref.kind)
      const args = { ...namesOf(refusing), object: nameOf(ref), apiVersion }
      if (served !== undefined)
        report([after.root.at('apiVersion'), refusing.at], 'unserved', { ...args, served }, { keys: [apiVersion] })
    }
    for (const { component, was, api } of dropsOf(change)) {
      const left = api.kinds
        .flatMap((kind) => head.ofKind(groupKindIn(api.apiVersion, kind)))
        .filter((one) => one.object.apiVersion === api.apiVersion && refusingIn(head, one) !== undefined)
      const [first] = left
      const served = first && newestServedBy(api.component, component.release ?? '', first.ref.kind)
      if (!first || served === undefined) continue
      const objects = abridged(left.map(({ ref }) => nameOf(ref)))
      const args = { ...namesOf(component), was: `${component.facts.title} ${was}`, apiVersion: api.apiVersion }
      report(
        [component.at, first.root.at('apiVersion')],
        'lost',
        { ...args, left: objects, served },
        { keys: [api.apiVersion] },
      )
    }
  },
})

function namesOf({ facts, release, manifest }: Component) {
  return { product: `${facts.title} ${release}`, installer: nameOf(manifest.ref) }
}

/** The APIs of the components that an object brings. */
function apisOf(manifest: Manifest): readonly ComponentApi[] {
  const names = componentsOf(manifest).map(({ facts }) => facts.name)
  return componentApis.filter(({ component }) => names.includes(component))
}

function marksFor({ object: { apiVersion } }: Manifest): readonly string[] {
  const api = componentApis.find((row) => row.apiVersion === apiVersion)
  return componentFacts.find(({ name }) => name === api?.component)?.marks ?? []
}

/** The component of a cluster that serves no object in the version in which one is written; none where another release of it does. */
function refusingIn(snapshot: Snapshot, { object: { apiVersion, ref } }: Manifest): Component | undefined {
  const api = componentApis.find((row) => row.apiVersion === apiVersion && row.kinds.includes(ref.kind))
  // A definition in the repository says itself what it serves.
  if (!api || definitionsOf(snapshot, ref.group, ref.kind).length > 0) return undefined
  const running = runningIn(snapshot).get(api.component) ?? []
  const refuses = ({ release }: Component) => release !== undefined && !isServing(api, release)
  return running.every(refuses) ? running[0] : undefined
}

const known = new WeakMap<Snapshot, ReadonlyMap<string, readonly Component[]>>()

/** The components of a cluster, by name. */
function runningIn(snapshot: Snapshot): ReadonlyMap<string, readonly Component[]> {
  const before = known.get(snapshot)
  if (before) return before
  const byName = new Map<string, Component[]>()
  for (const one of componentsIn(snapshot)) append(byName, one.facts.name, one)
  known.set(snapshot, byName)
  return byName
}

/** The APIs that a component of an object served before the change, and no longer serves. */
function dropsOf(change: Change) {
  if (change.kind !== 'changed') return []
  return componentsOf(change.after).flatMap((component) => {
    const { facts, part, release } = component
    const was = componentsOf(change.before).find((one) => one.facts === facts && one.part === part)?.release
    if (release === undefined || was === undefined) return []
    return componentApis
      .filter((api) => api.component === facts.name && isServing(api, was) && !isServing(api, release))
      .map((api) => ({ component, was, api }))
  })
}
