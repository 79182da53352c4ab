import { gateFinding } from '../finding/gate-finding'
import type { Finding } from '../finding/report'
import { readFluxKustomization } from '../gitops/flux-kustomization'
import { gitOpsKind } from '../gitops/kinds'
import { stableVersionsOf } from '../kubernetes/versions/served-apis'
import { abridged } from '../listing'
import type { Change } from '../manifest/change'
import { isClusterScoped } from '../manifest/identity'
import { groupKindOf, type Manifest, nameOf, type ObjectRef } from '../manifest/manifest'
import { startOf } from '../region'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { placeInArtifact } from '../sources/places'

/** Groups besides those of Kubernetes whose kinds without a namespace are all known here. */
const groups: ReadonlySet<string> = new Set([
  'cert-manager.io',
  'gateway.networking.k8s.io',
  'helm.toolkit.fluxcd.io',
  'kustomize.toolkit.fluxcd.io',
  'source.toolkit.fluxcd.io',
  'traefik.containo.us',
  'traefik.io',
])

/**
 * New objects that name no namespace and that Flux applies: it rejects them, and applies nothing else of their
 * Kustomization. https://github.com/fluxcd/flux2/issues/4301
 */
export function objectsWithoutNamespace(
  changes: readonly Change[],
  base: SideOfChange,
  head: SideOfChange,
  before: readonly RenderedSide[],
): Finding[] {
  const folders = foldersOf(head.discovery.objects)
  const known = new Set(base.discovery.sources.flatMap((source) => (source.kind === 'kustomize' ? [source.root] : [])))
  // Where others are without one already, the deployer gives it, or applies nothing before the change either.
  const whole = new Set(
    before.flatMap(({ source, objects, failure }) =>
      failure || objects.some(({ object }) => lacksNamespace(object.ref)) ? [] : [source.id],
    ),
  )
  const ofFlux = new Set(
    head.discovery.sources.flatMap((source) => {
      const isJudged = source.kind === 'kustomize' && (whole.has(source.id) || !known.has(source.root))
      return isJudged && folders.has(source.root) ? [source.id] : []
    }),
  )
  const bySource = new Map<string, Manifest[]>()
  for (const change of changes) {
    if (change.kind !== 'added') continue
    const { ref, origin } = change.after
    if (origin.kind !== 'rendered' || !ofFlux.has(origin.id) || origin.unbuilt) continue
    if (lacksNamespace(ref)) bySource.set(origin.id, [...(bySource.get(origin.id) ?? []), change.after])
  }
  return [...bySource.values()].flatMap((objects) => {
    const [first] = objects
    if (first?.origin.kind !== 'rendered') return []
    const { id, template, source, path } = first.origin
    const names = objects.map(({ ref }) => nameOf(ref))
    return gateFinding('source/without-namespace', 'without-namespace', 'warning', {
      side: 'head',
      path,
      region: startOf(1),
      object: first.ref,
      keys: names,
      status: 'introduced',
      sources: [{ ...source, cluster: '' }],
      rendered: {
        id,
        template,
        text: first.object.fileText,
        line: first.object.region.startLine,
        object: first.ref,
        keys: [],
      },
      text: `${abridged(names)} ${names.length > 1 ? 'name' : 'names'} no namespace, so Flux applies nothing of its Kustomization: "namespace not specified". Set \`namespace\` in the kustomization.yaml, \`metadata.namespace\` in the object, or \`spec.targetNamespace\` in the Kustomization of Flux.`,
    })
  })
}

function lacksNamespace(ref: ObjectRef): boolean {
  const isKnown = groups.has(ref.group) || stableVersionsOf(ref.group, ref.kind).length > 0
  return ref.namespace === '' && isKnown && !isClusterScoped(ref)
}

/**
 * The folders that Flux deploys without giving a namespace. Before `v1beta2`, it did not apply objects on the server, and
 * those without a namespace were in that of its account. https://github.com/fluxcd/kustomize-controller/blob/main/CHANGELOG.md (0.15.0)
 */
function foldersOf(objects: readonly Manifest[]): ReadonlySet<string> {
  const all = objects
    .filter(
      ({ ref, object }) => groupKindOf(ref) === gitOpsKind.fluxKustomization && !object.apiVersion.endsWith('/v1beta1'),
    )
    .map(({ root }) => readFluxKustomization(root))
    .map(({ path, targetNamespace }) => ({
      folder: placeInArtifact(path.string || '.'),
      isGiven: targetNamespace.exists,
    }))
  const given = new Set(all.flatMap(({ folder, isGiven }) => (isGiven ? [folder] : [])))
  return new Set(all.flatMap(({ folder }) => (folder === undefined || given.has(folder) ? [] : [folder])))
}
