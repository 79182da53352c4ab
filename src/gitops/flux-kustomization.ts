import type { Cursor } from '../manifest/cursor'
import type { Manifest } from '../manifest/manifest'

/** A ConfigMap or Secret whose data are variables. */
export interface VariablesReference {
  readonly kind: Cursor
  readonly name: Cursor
}

/**
 * A Kustomization of Flux, each field where it is written.
 * https://fluxcd.io/flux/components/kustomize/kustomizations/
 */
export interface FluxKustomization {
  readonly spec: Cursor
  /** The folder that it builds. */
  readonly path: Cursor
  readonly sourceRef: Cursor
  readonly targetNamespace: Cursor
  /** Given where it deploys to another cluster. */
  readonly kubeConfig: Cursor
  readonly components: Cursor
  readonly ignoreMissingComponents: Cursor
  /** Variables that it replaces after building. */
  readonly substitute: Cursor
  readonly substituteFrom: readonly VariablesReference[]
  readonly postBuild: Cursor
  readonly prunes: boolean
  /** Whether it deletes an object and creates it again where a field is immutable. */
  readonly forces: boolean
  /** It then neither applies nor prunes, and keeps the objects that it deployed when it is deleted. */
  readonly suspended: boolean
  /** Whether its deletion deletes the objects that it deployed. */
  readonly cascades: boolean
}

export function readFluxKustomization(root: Cursor): FluxKustomization {
  const spec = root.at('spec')
  const prunes = spec.at('prune').value === true
  // Source: https://fluxcd.io/flux/components/kustomize/kustomizations/#deletion-policy
  const deletion = spec.at('deletionPolicy').string ?? 'MirrorPrune'
  const postBuild = spec.at('postBuild')
  const suspended = spec.at('suspend').value === true
  return {
    spec,
    path: spec.at('path'),
    sourceRef: spec.at('sourceRef'),
    targetNamespace: spec.at('targetNamespace'),
    kubeConfig: spec.at('kubeConfig'),
    components: spec.at('components'),
    ignoreMissingComponents: spec.at('ignoreMissingComponents'),
    postBuild,
    substitute: postBuild.at('substitute'),
    substituteFrom: referencesIn(postBuild),
    prunes,
    forces: spec.at('force').value === true,
    suspended,
    cascades: !suspended && (deletion === 'MirrorPrune' ? prunes : deletion !== 'Orphan'),
  }
}

/** Variables that the patches of a Kustomization give to others. */
export interface GivenVariables {
  readonly names: readonly string[]
  readonly substituteFrom: readonly VariablesReference[]
}

export function variablesGivenBy(manifest: Manifest): GivenVariables {
  const known = given.get(manifest)
  if (known) return known
  const patches = manifest.root.at('spec', 'patches')
  const patched = [...patches.items()].flatMap((one) => patchedIn(one.at('patch').nested))
  const made = {
    names: patched.flatMap((one) => [...one.at('substitute').entries()].map(([name]) => name)),
    substituteFrom: patched.flatMap(referencesIn),
  }
  given.set(manifest, made)
  return made
}

/** Patches are texts that have to be parsed, and each round of discovery asks for them. */
const given = new WeakMap<Manifest, GivenVariables>()

function referencesIn(postBuild: Cursor): VariablesReference[] {
  return [...postBuild.at('substituteFrom').items()].map((one) => ({ kind: one.at('kind'), name: one.at('name') }))
}

/** The `postBuild` of a patch, which is an object with some of its fields, or a list of operations. */
function patchedIn(patch: Cursor | undefined): Cursor[] {
  if (!patch) return []
  const operations = [...patch.items()]
    .filter((one) => one.at('path').string === '/spec/postBuild')
    .map((one) => one.at('value'))
  return [patch.at('spec', 'postBuild'), ...operations]
}
