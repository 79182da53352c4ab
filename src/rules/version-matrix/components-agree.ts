import { major, minor, satisfies, valid } from 'semver'
import { factKinds } from '../../cluster/cluster-facts'
import type { Snapshot } from '../../cluster/snapshot'
import { minorsAhead, parseVersion } from '../../cluster/version'
import {
  type Component,
  componentKinds,
  componentsIn,
  componentsOf,
  writtenAs,
} from '../../kubernetes/versions/component'
import { componentFacts } from '../../kubernetes/versions/component-facts'
import { nearest } from '../../kubernetes/versions/component-needs'
import { subjectPartners } from '../../kubernetes/versions/matrix-subject'
import { enumerated } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

const crdKind: GroupKind = 'CustomResourceDefinition.apiextensions.k8s.io'

type Proxy = { image: string; workload: string; kubernetes: string; minor: string }

export default defineRule({
  id: 'version-matrix/components-agree',
  summary: 'Parts of a component that need the same release have it.',
  since: '1.0.0',
  scope: 'snapshot',
  kinds: componentKinds,
  reads: [...factKinds, crdKind],
  messages: {
    parts: ({ title, first, others, to }: { title: string; first: string; others: string; to: string }) =>
      `${title} has ${first}, but also ${others}; all its parts must have the same ${to} release. Set them all to one release.`,
    // Within the skew that Kubernetes supports, as while a cluster is upgraded.
    behind: ({ image, workload, kubernetes, minor }: Proxy) =>
      `${image} of ${workload} is one minor release behind Kubernetes ${kubernetes}. Upgrade to kube-proxy ${minor} after the API servers are upgraded.`,
    apart: ({ image, workload, kubernetes, minor }: Proxy) =>
      `${image} of ${workload} does not match the minor release of Kubernetes ${kubernetes}. Use kube-proxy ${minor}.`,
  },
  *partners(manifest) {
    yield* subjectPartners(manifest)
    for (const { facts } of componentsOf(manifest)) yield* facts.agree?.crds ?? []
    const group = manifest.ref.name.slice(manifest.ref.name.indexOf('.') + 1)
    yield* componentFacts.filter(({ agree }) => agree?.crds?.includes(group)).flatMap(({ marks }) => marks)
  },
  check({ manifest, snapshot, report }) {
    for (const component of leaders(manifest, snapshot)) {
      const { facts, at } = component
      const { to = 'patch', versions = '*' } = facts.agree ?? {}
      if (!satisfies(component.release ?? '', versions)) continue
      const others = [...otherParts(component, snapshot), ...crdsOf(component, snapshot)]
      const apart = others.filter(({ release }) => !agree(release, component.release, to))
      if (apart.length === 0) continue
      const names = enumerated([...new Set(apart.map(({ name }) => name))], 3)
      const args = {
        title: facts.title,
        first: nameIn(component),
        others: names,
        to: to === 'minor' ? 'minor' : 'patch',
      }
      const keys = [facts.name, ...new Set(apart.map(({ key }) => key))]
      report([at, ...others.map((other) => other.at)], 'parts', args, { keys })
    }
    const { kubernetes } = snapshot.facts
    const running = kubernetes && parseVersion(kubernetes.value)
    const proxy = componentsOf(manifest).find(({ facts, release }) => facts.name === 'kube-proxy' && release)
    const version = proxy?.release && parseVersion(proxy.release)
    if (!running || !version) return
    const behind = minorsAhead(running, version)
    if (behind === undefined || behind === 0) return
    const args = {
      image: writtenAs(proxy),
      workload: nameOf(manifest.ref),
      kubernetes: kubernetes.value.replace(/^v/, ''),
      minor: `${running.major}.${running.minor}`,
    }
    const keys = ['kube-proxy', proxy.release ?? '']
    report([proxy.at, kubernetes.at], behind === 1 ? 'behind' : 'apart', args, { keys })
  },
})

/** The parts of an object that all others are compared with: of each component the first that its cluster has. */
function leaders(manifest: Manifest, snapshot: Snapshot): Component[] {
  const own = componentsOf(manifest).filter(isCompared)
  return [...new Set(own.map(({ facts }) => facts))].flatMap((facts) => {
    const all = componentsIn(snapshot).filter((one) => one.facts === facts && isCompared(one))
    const rank = Math.min(...all.map(rankOf))
    return own.filter((one) => one.facts === facts && rankOf(one) === rank).slice(0, 1)
  })
}

function isCompared({ facts, part, container, release }: Component): boolean {
  return container !== undefined && release !== undefined && facts.agree?.parts.includes(part.name) === true
}

function rankOf({ facts, part }: Component): number {
  return facts.agree?.parts.indexOf(part.name) ?? 0
}

interface Other {
  readonly at: Cursor
  readonly release: string | undefined
  readonly name: string
  readonly key: string
}

/** The other parts of a component in its cluster; of an object's copies, the one in the same folder. */
function otherParts(component: Component, snapshot: Snapshot): Other[] {
  return componentsIn(snapshot)
    .filter((one) => one.facts === component.facts && one.part !== component.part && isCompared(one))
    .filter(
      ({ manifest }) =>
        manifest === component.manifest || nearest(component.manifest, snapshot.get(manifest.ref))[0] === manifest,
    )
    .map((one) => ({ at: one.at, release: one.release, name: nameIn(one), key: `${one.part.name} ${one.release}` }))
}

/** The CRDs of a component that contain its release. */
function crdsOf({ facts, manifest }: Component, snapshot: Snapshot): Other[] {
  return snapshot
    .ofKind(crdKind)
    .filter(({ ref }) => facts.agree?.crds?.includes(ref.name.slice(ref.name.indexOf('.') + 1)))
    .filter((crd) => nearest(manifest, snapshot.get(crd.ref))[0] === crd)
    .flatMap((crd) => {
      const at = crd.root.at('metadata', 'labels', 'app.kubernetes.io/version')
      const release = valid(at.string) ?? undefined
      return release ? [{ at, release, name: `${nameOf(crd.ref)} of ${release}`, key: `CRDs ${release}` }] : []
    })
}

function nameIn(component: Component): string {
  return `${writtenAs(component)} in ${nameOf(component.manifest.ref)}`
}

function agree(a: string | undefined, b: string | undefined, to: 'minor' | 'patch'): boolean {
  if (a === undefined || b === undefined) return true
  return to === 'patch' ? a === b : major(a) === major(b) && minor(a) === minor(b)
}
