import * as Type from 'typebox'
import type { Snapshot } from '../../cluster/snapshot'
import { gitOpsKind } from '../../gitops/kinds'
import { type Deployer, deployerKinds, deployersIn, deploys, outlives } from '../../kubernetes/object/deployer'
import { outlivesPrune } from '../../kubernetes/object/prune'
import { isProtected, marksOf } from '../../kubernetes/protection/protected-manifest'
import { Protect } from '../../kubernetes/protection/protection'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

interface Handover {
  object: string
  deployer: string
  guard: string
}

export default defineRule({
  id: 'protected-rbac/prune-safe',
  summary: 'No protected object is deleted while it moves from one deployer to another, or because an upgrade fails.',
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
    // Source: https://fluxcd.io/flux/components/helm/helmreleases/#upgrade-remediation
    uninstalled: ({ release, object }: Record<'release' | 'object', string>) =>
      `After this change Flux uninstalls ${release} whenever an upgrade of it fails or takes longer than its timeout, and so deletes all its objects, also ${object}. Remove strategy: uninstall; by default Flux rolls back to the release that works.`,
  },
  later: { uninstalled: '1.15.0' },
  putBack: { uninstalled: 'changed' },
  *partners(manifest, { protect }, isGone, isTouched) {
    if (isTouched && uninstallsIn(manifest)) yield* marksOf(protect)
    if (isProtected(manifest, protect)) yield* ['argoproj.io/', 'toolkit.fluxcd.io/']
    if (isGone && deployersIn(manifest).some(({ cascades }) => cascades)) yield* marksOf(protect)
  },
  check({ change, base, head, params: { protect }, report }) {
    if (change.kind === 'changed' && !uninstallsIn(change.before)) {
      const at = uninstallsIn(change.after)
      const release = nameOf(change.after.ref)
      const its = at ? protectedOf(change.after, head, protect) : []
      const [first] = its
      const object = abridged([...new Set(its.map(({ ref }) => nameOf(ref)))])
      if (at && first) report([at, first.root], 'uninstalled', { release, object })
    }
    if (change.kind !== 'removed' || head.get(change.before.ref).length > 0) return
    for (const deployer of deployersIn(change.before).filter(({ cascades }) => cascades)) {
      const left = base.manifests.filter(
        (manifest) =>
          deploys(deployer, manifest) &&
          isProtected(manifest, protect) &&
          !outlives(manifest, deployer) &&
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

function deployersOf(object: Manifest, snapshot: Snapshot): Deployer[] {
  return deployerKinds
    .flatMap((kind) => snapshot.ofKind(kind))
    .filter((manifest) => snapshot.get(manifest.ref)[0] === manifest)
    .flatMap(deployersIn)
    .filter((deployer) => deploys(deployer, object))
}

/** The protected objects that are deleted with a deployer. */
function protectedOf(manifest: Manifest, snapshot: Snapshot, protect: Protect): Manifest[] {
  const deployers = deployersIn(manifest)
  return snapshot.manifests.filter(
    (one) => isProtected(one, protect) && deployers.some((its) => deploys(its, one) && !outlives(one, its)),
  )
}

/** The strategy by which Flux uninstalls a release where an upgrade fails; undefined where it does not. */
function uninstallsIn({ ref, root }: Manifest): Cursor | undefined {
  if (groupKindOf(ref) !== gitOpsKind.helmRelease) return undefined
  const remediation = root.at('spec', 'upgrade', 'remediation')
  // Without retries, the last failure is remediated only where this is asked for.
  const isUsed =
    Number(remediation.at('retries').value ?? 0) !== 0 || remediation.at('remediateLastFailure').value === true
  const strategy = remediation.at('strategy')
  return isUsed && strategy.string === 'uninstall' ? strategy : undefined
}
