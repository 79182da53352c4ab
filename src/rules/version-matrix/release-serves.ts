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
  rewrittenFor,
} from '../../kubernetes/versions/component-apis'
import { componentFacts } from '../../kubernetes/versions/component-facts'
import { abridged } from '../../listing'
import type { Change } from '../../manifest/change'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Unserved = Record<'apiVersion' | 'product' | 'installer' | 'rewritten', string>

/** What kubectl says. Source: https://github.com/kubernetes/apimachinery/blob/v0.34.1/pkg/api/meta/errors.go, NoKindMatchError */
const failing = 'fail with `no matches for kind`'

export default defineRule({
  id: 'version-matrix/release-serves',
  summary: 'The release of a component that runs in a cluster serves the API version of each of its objects.',
  since: '1.9.0',
  scope: 'change',
  kinds: [...componentKinds, ...kindsOfApis],
  messages: {
    unserved: ({ object, apiVersion, product, installer, rewritten }: Unserved & { object: string }) =>
      `${object} is written in ${apiVersion}, which ${product} of ${installer} does not serve, so kubectl, Flux and Argo CD ${failing} and the object is never created or updated. Write it ${rewritten}, or first install a release that serves it.`,
    lost: ({ product, was, installer, apiVersion, left, rewritten }: Unserved & Record<'was' | 'left', string>) =>
      `This change takes ${installer} from ${was} to ${product}, which no longer serves ${apiVersion}, so objects that are written in it cannot be applied: ${left}. First write them ${rewritten}, or keep the release.`,
    unread: ({ object, apiVersion, product, installer, rewritten }: Unserved & { object: string }) =>
      `${object} is written in ${apiVersion}, which ${product} of ${installer} does not read: where a definition of it is in the cluster, the object is accepted and has no effect, and elsewhere it is refused. Write it ${rewritten}, or first install a release that reads it.`,
    ignored: ({ product, was, installer, apiVersion, left, rewritten }: Unserved & Record<'was' | 'left', string>) =>
      `This change takes ${installer} from ${was} to ${product}, which no longer reads ${apiVersion}, so objects that are written in it have no effect any more: ${left}. First write them ${rewritten}, or keep the release.`,
  },
  later: { unread: '1.11.0', ignored: '1.11.0' },
  putBack: { lost: 'changed', ignored: 'changed' },
  *partners(manifest) {
    yield* marksFor(manifest)
    if (marksOf(manifest).length > 0) yield* apisOf(manifest).map(({ apiVersion }) => apiVersion)
  },
  check({ change, base, head, report }) {
    if (change.kind === 'removed') return
    const { after } = change
    const refused = refusedIn(head, after)
    if (refused && !(change.kind === 'changed' && refusedIn(base, change.before))) {
      const { apiVersion, ref } = after.object
      const rewritten = rewrittenFor(refused.api, refused.by.release ?? '', ref.kind)
      const args = { ...namesOf(refused.by), object: nameOf(ref), apiVersion }
      const message = refused.api.stays ? 'unread' : 'unserved'
      if (rewritten !== undefined)
        report([after.root.at('apiVersion'), refused.by.at], message, { ...args, rewritten }, { keys: [apiVersion] })
    }
    for (const { component, was, api } of dropsOf(change)) {
      const left = api.kinds
        .flatMap((kind) => head.ofKind(groupKindIn(api.apiVersion, kind)))
        .filter((one) => one.object.apiVersion === api.apiVersion && refusedIn(head, one) !== undefined)
      const [first] = left
      const rewritten = first && rewrittenFor(api, component.release ?? '', first.ref.kind)
      if (!first || rewritten === undefined) continue
      const objects = abridged(left.map(({ ref }) => nameOf(ref)))
      const args = { ...namesOf(component), was: `${component.facts.title} ${was}`, apiVersion: api.apiVersion }
      report(
        [component.at, first.root.at('apiVersion')],
        api.stays ? 'ignored' : 'lost',
        { ...args, left: objects, rewritten },
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

/** The version in which an object is written, and the component of its cluster that does not serve it. */
interface Refused {
  readonly api: ComponentApi
  readonly by: Component
}

/** The refusal of an object's version by the component of a cluster; none where another release of it serves it. */
function refusedIn(snapshot: Snapshot, { object: { apiVersion, ref } }: Manifest): Refused | undefined {
  const api = componentApis.find((row) => row.apiVersion === apiVersion && row.kinds.includes(ref.kind))
  if (!api) return undefined
  // A definition in the repository says itself what is served, though not what is read.
  if (!api.stays && definitionsOf(snapshot, ref.group, ref.kind).length > 0) return undefined
  const running = runningIn(snapshot).get(api.component) ?? []
  const refuses = ({ release }: Component) => release !== undefined && !isServing(api, release)
  const [by] = running
  return by && running.every(refuses) ? { api, by } : undefined
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
