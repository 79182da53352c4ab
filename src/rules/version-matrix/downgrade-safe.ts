import { lt, major, minor } from 'semver'
import { type Component, componentKinds, componentsOf } from '../../kubernetes/versions/component'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type VersionMove = { title: string; workload: string; from: string; to: string }

export default defineRule({
  id: 'version-matrix/downgrade-safe',
  summary: 'A CNI, an operator or a controller is not downgraded by a minor release, and not upgraded over too many.',
  since: '1.0.0',
  scope: 'change',
  kinds: componentKinds,
  messages: {
    down: ({ title, workload, from, to }: VersionMove) =>
      `${workload} is downgraded from ${title} ${from} to ${to}, and the older release may be unable to read data that the newer one stored. Keep ${from}, or follow the downgrade steps in its documentation.`,
    skips: ({ title, workload, from, to, minors }: VersionMove & { minors: number }) =>
      `${workload} is upgraded from ${title} ${from} to ${to}, but an upgrade may span at most ${minors === 1 ? 'one minor release' : `${minors} minor releases`}. Upgrade through the releases between, in separate changes.`,
  },
  // A copy of it.
  putBack: { down: 'changed' },
  *partners(manifest) {
    if (componentsOf(manifest).length > 0) yield manifest.ref.name
  },
  check({ change, report }) {
    if (change.kind !== 'changed') return
    for (const after of firstOfEach(change.after)) {
      const before = firstOfEach(change.before).find(({ facts }) => facts === after.facts)
      if (!before?.release || !after.release) continue
      const { title, name, upgrade } = after.facts
      const ahead = minor(after.release) - minor(before.release)
      const args = { title, workload: nameOf(change.after.ref), from: before.release, to: after.release }
      const more = { keys: [name, before.release, after.release] }
      const isBack =
        lt(after.release, before.release) && (ahead !== 0 || major(after.release) !== major(before.release))
      if (isBack) report(after.at, 'down', args, more)
      else if (upgrade && major(after.release) === major(before.release) && ahead > upgrade.minors) {
        report(after.at, 'skips', { ...args, minors: upgrade.minors }, more)
      }
    }
  },
})

/** The first part of each component of an object. */
function firstOfEach(manifest: Manifest): Component[] {
  const all = componentsOf(manifest)
  const rank = ({ facts, part }: Component) => facts.parts.indexOf(part)
  return [...new Set(all.map(({ facts }) => facts))].flatMap((facts) =>
    all
      .filter((one) => one.facts === facts)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, 1),
  )
}
