import { braceExpand } from 'minimatch'
import * as Type from 'typebox'
import type { Snapshot } from '../../cluster/snapshot'
import { type Deployer, deployerKinds, deployersIn, deploys } from '../../kubernetes/object/deployer'
import { outlivesPrune, pruneGuards } from '../../kubernetes/object/prune'
import { clusterObjectFacts } from '../../kubernetes/protection/cluster-object'
import { Protect, protectionOf } from '../../kubernetes/protection/protection'
import { abridged } from '../../listing'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Handover {
  object: string
  deployer: string
  guard: string
}

export default defineRule({
  id: 'protected-rbac/prune-safe',
  summary: 'No protected object is deleted while it moves from one deployer to another.',
  since: '1.1.0',
  scope: 'change',
  kinds: '*',
  params: Type.Object({ protect: Protect }),
  messages: {
    // The deployer that is synced first decides: https://github.com/fluxcd/flux2/issues/3316
    moved: ({ object, deployer, guard, place }: Handover & { place: string }) =>
      `This change moves ${object} to ${place}, where ${deployer} no longer finds it, so it deletes the object unless its new deployer is faster. First mark the object with ${guard} in a separate change.`,
    removed: ({ object, deployer, guard, loosen }: Handover & { loosen: string }) =>
      `This change removes ${deployer}, which then deletes all objects it deployed, also ${object}, although the files still declare it. First, in a separate change, ${loosen}, or mark the object with ${guard}.`,
  },
  *partners(manifest, { protect }, isGone) {
    if (isProtected(manifest, protect)) yield* ['argoproj.io/', 'toolkit.fluxcd.io/']
    if (isGone && deployersIn(manifest).some(({ cascades }) => cascades)) yield* marksOf(protect)
  },
  check({ change, base, head, params: { protect }, report }) {
    if (change.kind !== 'removed' || head.get(change.before.ref).length > 0) return
    for (const deployer of deployersIn(change.before).filter(({ cascades }) => cascades)) {
      const left = base.manifests.filter(
        (manifest) =>
          deploys(deployer, manifest) &&
          isProtected(manifest, protect) &&
          !pruneGuards(manifest).some(({ mark }) => mark.replace('confirm', 'false') === deployer.lasting) &&
          head.get(manifest.ref).length > 0,
      )
      const [first] = left
      if (!first) continue
      const names = [...new Set(left.map(({ ref }) => nameOf(ref)))]
      const object = abridged(names)
      const { lasting: guard, loosen } = deployer
      report([change.before.root, first.root], 'removed', {
        object,
        deployer: nameOf(change.before.ref),
        guard,
        loosen,
      })
    }
  },
  checkMove({ move: { before, after }, base, head, params: { protect }, report }) {
    if (!isProtected(before, protect) || outlivesPrune(before)) return
    for (const { manifest, at, guard } of deployersOf(before, base).filter(({ prunes }) => prunes)) {
      const now = head.get(manifest.ref).flatMap(deployersIn)
      if (now.length === 0 || now.some((deployer) => deploys(deployer, after))) continue
      const names = { object: nameOf(before.ref), deployer: nameOf(manifest.ref) }
      report([after.root, now[0]?.at ?? at], 'moved', { ...names, place: after.origin.path, guard })
    }
  },
})

function isProtected(manifest: Manifest, protect: Protect): boolean {
  return protectionOf(manifest, protect) !== undefined || clusterObjectFacts(manifest.ref) !== undefined
}

/** Protected objects hold one of these: the beginnings of their names, or a label. */
function marksOf(protect: Protect): string[] {
  return protect.flatMap((entry) =>
    typeof entry === 'string'
      ? braceExpand(entry).map((glob) => glob.replace(/^.*\//, '').replace(/[*?[(!].*/, ''))
      : (entry.label.match(/[\w./-]+/)?.[0] ?? ''),
  )
}

function deployersOf(object: Manifest, snapshot: Snapshot): Deployer[] {
  return deployerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((manifest) => snapshot.get(manifest.ref)[0] === manifest)
    .flatMap(deployersIn)
    .filter((deployer) => deploys(deployer, object))
}
