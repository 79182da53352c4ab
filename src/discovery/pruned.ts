import type { GitOpsSources } from '../deployers/common/gitops-sources'
import { readApplication } from '../gitops/application'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { readHelmRelease } from '../gitops/helm-release'
import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../manifest/manifest'
import { closureOf, type Kustomization } from '../sources/kustomization'
import type { Source } from '../sources/source'
import { namesMore } from './roots'

/** An object that applies a file, and its effect on removed objects. */
export interface Applier {
  readonly manifest: Manifest
  readonly identity: string
  readonly name: string
  /** Whether it deletes objects that its folder no longer has. */
  readonly prunes: boolean
  /** Whether its deletion deletes the objects that it applied. */
  readonly cascades: boolean
}

/** The objects that apply each file with Argo CD and Flux objects in it, by a Kustomization. */
export type Appliers = ReadonlyMap<string, readonly Applier[]>

interface AppliedObjects {
  readonly manifests: readonly Manifest[]
  readonly gitOps: GitOpsSources
  readonly kustomizations: ReadonlyMap<string, Kustomization>
}

export function appliersIn({ manifests, gitOps, kustomizations }: AppliedObjects): Appliers {
  const siteOf = (path: string, line: number) => `${line}:${path}`
  const bySite = new Map(manifests.map((one) => [siteOf(one.origin.path, one.object.region.startLine), one]))
  const wanted = new Set(manifests.map(({ origin }) => origin.path))
  const appliers = new Map<string, Applier[]>()
  const filesOf = filesBySource(kustomizations)
  for (const source of gitOps.sources) {
    const manifest = bySite.get(siteOf(source.declaredAt.path, source.declaredAt.region.startLine))
    if (!manifest) continue
    const applier = applierOf(manifest)
    for (const file of filesOf(source)) {
      // An object that applies itself is not applied by another one.
      if (!wanted.has(file) || file === manifest.origin.path) continue
      const there = appliers.get(file)
      if (there) there.push(applier)
      else appliers.set(file, [applier])
    }
  }
  return appliers
}

/**
 * Files with Argo CD and Flux objects that are deleted with the objects that applied them, although the files are still
 * there: the objects that they deployed are deleted, too.
 *
 * @param roots the Kustomizations that are built without an object that names them
 */
export function* prunedFiles(
  before: Appliers,
  after: AppliedObjects & { readonly declared: readonly Source[]; readonly roots: readonly string[] },
): Iterable<[file: string, why: string]> {
  const { manifests, gitOps, kustomizations, declared, roots } = after
  // An object that names unknown folders may apply them now.
  if (namesMore(gitOps)) return
  const applied = new Set(gitOps.plain.keys())
  const starts = new Set([...roots, ...[...declared, ...gitOps.sources].flatMap(startsOf)])
  for (const start of starts)
    for (const { leadsTo } of closureOf(start, kustomizations)) for (const file of leadsTo) applied.add(file)
  const present = new Set(manifests.map(({ ref }) => identityOf(ref)))
  for (const [file, appliers] of before) {
    if (applied.has(file)) continue
    if (!appliers.every(({ identity, prunes, cascades }) => (present.has(identity) ? prunes : cascades))) continue
    const [first] = appliers
    if (first) yield [file, `${first.name} no longer applies it`]
  }
}

/** The Kustomizations that a source builds. */
function startsOf(source: Source): string[] {
  return source.kind === 'helm' ? [] : [source.root, ...(source.components ?? [])]
}

/** The files that a source is built of; many sources may have the same. */
function filesBySource(kustomizations: ReadonlyMap<string, Kustomization>): (source: Source) => readonly string[] {
  const known = new Map<string, readonly string[]>()
  return (source) => {
    const starts = startsOf(source)
    const files =
      known.get(starts.join('\0')) ??
      starts.flatMap((start) => closureOf(start, kustomizations).flatMap(({ leadsTo }) => leadsTo))
    known.set(starts.join('\0'), files)
    return files
  }
}

export function applierOf(manifest: Manifest): Applier {
  const { ref, root } = manifest
  const of = { manifest, identity: identityOf(ref), name: nameOf(ref) }
  switch (groupKindOf(ref)) {
    case gitOpsKind.fluxKustomization: {
      const { prunes, cascades } = readFluxKustomization(root)
      return { ...of, prunes, cascades }
    }
    case gitOpsKind.helmRelease:
      return { ...of, prunes: true, cascades: !readHelmRelease(root).suspended }
    case gitOpsKind.applicationSet: {
      // Source: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Application-Deletion/
      const { prunes } = readApplication(root.at('spec', 'template'))
      return { ...of, prunes, cascades: root.at('spec', 'syncPolicy', 'preserveResourcesOnDeletion').value !== true }
    }
    default: {
      const { prunes, cascades } = readApplication(root)
      return { ...of, prunes, cascades }
    }
  }
}
