import path from 'node:path/posix'
import { ancestors } from '../../cluster/folders'
import { type DeployingObjects, IdleDeployers } from '../../discovery/idle-deployers'
import { type HookFate, hookFateOf } from '../../gitops/argo-hook'
import type { Change } from '../../manifest/change'
import { identityOf, type Manifest } from '../../manifest/manifest'
import type { SideOfChange } from '../../sides/side'
import type { Sides } from '../opening/open-sides'

/**
 * Returns the reason why an object that the head still writes does not keep that of the base: its deployer deletes the
 * one or never applies the other; undefined if it is kept.
 */
export type LapseOf = (manifest: Manifest, before: Manifest) => string | undefined

/** Decides which objects of the head do not keep those of the base. */
export class Lapses {
  private readonly twins = new Map<string, Manifest[]>()
  private readonly touched: ReadonlySet<Manifest>
  private readonly deployers: IdleDeployers
  /** The folders that have manifests at the base, also further in. */
  private folders: ReadonlySet<string> | undefined
  /** Asked for each object that is removed. */
  private readonly known = new Map<Manifest, { readonly asHook?: string; readonly asUndeployed?: string }>()

  /**
   * @param before the objects of the base that differ, or may do so
   * @param after those of the head
   * @param isKnown whether Argo CD and Flux objects name every folder that is deployed
   */
  constructor(
    private readonly sides: Sides,
    private readonly before: readonly Manifest[],
    private readonly after: readonly Manifest[],
    private readonly isKnown: boolean,
  ) {
    this.touched = new Set(after)
    this.deployers = new IdleDeployers(sides.base && deployingIn(sides.base), deployingIn(sides.head))
    for (const manifest of before) {
      for (const key of keysOf(manifest)) {
        const there = this.twins.get(key)
        if (there) there.push(manifest)
        else this.twins.set(key, [manifest])
      }
    }
  }

  /** The removals that the texts of both sides do not show. */
  changes(known: readonly Change[]): Change[] {
    const removed = new Set(
      known.flatMap((one) => (one.kind === 'removed' ? [`${one.cluster} ${this.idOf(one.before)}`] : [])),
    )
    const heads = new Map<string, Manifest[]>()
    for (const manifest of this.after)
      for (const key of keysOf(manifest)) heads.set(key, [...(heads.get(key) ?? []), manifest])
    return this.before.flatMap((before) => {
      if (this.fateOf(before) === 'never') return []
      return before.clusters.flatMap((cluster): Change[] => {
        const left = heads.get(keyIn(cluster, before)) ?? []
        const isLost = left.length > 0 && left.every((manifest) => this.of(manifest, before) !== undefined)
        return isLost && !removed.has(`${cluster} ${this.idOf(before)}`) ? [{ kind: 'removed', cluster, before }] : []
      })
    })
  }

  of(manifest: Manifest, before: Manifest): string | undefined {
    if (manifest.side === 'base') return undefined
    const known = this.known.get(manifest) ?? this.lapseOf(manifest)
    this.known.set(manifest, known)
    const own = known.asHook ?? (known.asUndeployed && this.isNamed(before) ? known.asUndeployed : undefined)
    return own ?? this.asUnlisted(manifest, before) ?? this.deployers.reasonFor(manifest, before)
  }

  private lapseOf(manifest: Manifest): { readonly asHook?: string; readonly asUndeployed?: string } {
    const [asHook, asUndeployed] = [this.asHook(manifest), this.asUndeployed(manifest)]
    return { ...(asHook ? { asHook } : {}), ...(asUndeployed ? { asUndeployed } : {}) }
  }

  private asHook(manifest: Manifest): string | undefined {
    const fate = this.fateOf(manifest)
    if (fate === 'plain') return undefined
    if (fate === 'never')
      return 'Because of its hook annotation, no sync of Argo CD applies it, and the previous object is deleted.'
    const twins = keysOf(manifest).flatMap((key) => this.twins.get(key) ?? [])
    const fates = new Set(twins.map((twin) => this.fateOf(twin)))
    const isNew = fates.size === 0 && this.touched.has(manifest)
    if (fate === 'skipped') return isNew ? 'Because of its hook annotation, Argo CD does not apply it.' : undefined
    if (fate === 'passing')
      return isNew || [...fates].some((one) => one !== 'passing')
        ? 'Because of its hook annotations, Argo CD deletes it after each sync.'
        : undefined
    return fates.has('plain') || fates.has('skipped')
      ? 'Because of its hook annotation, it is now a hook of Argo CD, and the previous object is deleted.'
      : undefined
  }

  /** An object in a file that nothing deploys does not keep one that was deployed. */
  private asUndeployed({ origin }: Manifest): string | undefined {
    if (!this.isKnown || origin.kind !== 'file') return undefined
    const { discovery, tree } = this.sides.head
    const { places, directories } = discovery.roots
    const paths = [origin.path, ...(tree.aliases.get(origin.path) ?? [])]
    if (paths.some((path) => discovery.plain.has(path))) return undefined
    // The files that Argo CD applies from a folder of plain files are known one by one.
    const isDeployed = paths.some((path) => {
      const place = nearest(places, path)
      return place !== undefined && !directories.has(place)
    })
    return isDeployed ? undefined : `It remains only in ${origin.path}, which nothing deploys.`
  }

  /** A new file in a folder without any manifests does not keep what a Kustomization listed that is still there. */
  private asUnlisted({ origin }: Manifest, before: Manifest): string | undefined {
    const { base, head } = this.sides
    if (origin.kind !== 'file' || before.origin.kind !== 'rendered') return undefined
    const { source } = before.origin
    const isOut = source.kind === 'kustomize' && source.path !== '.' && !isIn(source.path, origin.path)
    if (!base || !isOut || !head.discovery.kustomizations.has(source.path)) return undefined
    if (base.checkout.has(origin.path) || head.discovery.plain.has(origin.path)) return undefined
    this.folders ??= new Set([...base.tree.files.keys()].flatMap(ancestors))
    const folder = path.dirname(origin.path)
    return folder === '.' || this.folders.has(folder)
      ? undefined
      : `It remains only in ${origin.path}, and the Kustomization ${source.path}, which listed it, lists it no longer.`
  }

  /** Whether a known object deploys an object of the base. */
  private isNamed({ origin }: Manifest): boolean {
    const { base } = this.sides
    if (!base) return false
    return origin.kind === 'file' ? deploysPlain(base, origin.path) : /^(?:argocd|flux):/.test(origin.id)
  }

  private fateOf(manifest: Manifest): HookFate {
    const side = this.sides[manifest.side]
    const { origin } = manifest
    const isHelm = origin.kind === 'rendered' && origin.source.kind === 'helm'
    if (!side) return 'plain'
    if (origin.kind === 'file' ? deploysPlain(side, origin.path) : origin.id.startsWith('argocd:'))
      return hookFateOf(manifest.root, true)
    if (origin.kind === 'rendered' && /^(?:flux|fleet|helmfile):/.test(origin.id)) return 'plain'
    // Its deployer is unknown.
    const { usesArgo, usesFlux } = side.discovery
    return usesArgo || !usesFlux ? hookFateOf(manifest.root, usesArgo && !isHelm) : 'plain'
  }

  private idOf({ origin, ref, object }: Manifest): string {
    return JSON.stringify([origin.path, identityOf(ref), object.region.startLine])
  }
}

function deployingIn({ discovery, tree }: SideOfChange): DeployingObjects {
  return { ...discovery, aliases: tree.aliases }
}

function keyIn(cluster: string, { ref }: Manifest): string {
  return JSON.stringify([cluster, identityOf(ref)])
}

function keysOf(manifest: Manifest): string[] {
  return manifest.clusters.map((cluster) => keyIn(cluster, manifest))
}

function deploysPlain({ discovery, tree }: SideOfChange, path: string): boolean {
  return [path, ...(tree.aliases.get(path) ?? [])].some((one) => discovery.plain.has(one))
}

function isIn(folder: string, file: string): boolean {
  return file.startsWith(`${folder}/`)
}

/** The innermost of the places that a path is at or below. */
function nearest(places: ReadonlySet<string>, file: string): string | undefined {
  if (places.has(file)) return file
  for (let end = file.lastIndexOf('/'); end !== -1; end = file.lastIndexOf('/', end - 1))
    if (places.has(file.slice(0, end))) return file.slice(0, end)
  return places.has('') ? '' : undefined
}
