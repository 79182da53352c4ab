import { gitOpsKind } from '../gitops/kinds'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { isStatic } from '../manifest/set-inputs'
import type { Kustomization } from '../sources/kustomization'

/** Decides whether the inputs that providers give to ResourceSets of Flux Operator are known. */
export class KnownInputs {
  private readonly sets: readonly Manifest[]
  private readonly providers: readonly Manifest[]
  private includers: ReadonlyMap<string, ReadonlySet<string>> | undefined

  constructor(
    manifests: readonly Manifest[],
    private readonly kustomizations: ReadonlyMap<string, Kustomization>,
  ) {
    const ofKind = (kind: string) => manifests.filter(({ ref }) => groupKindOf(ref) === kind)
    this.sets = ofKind(gitOpsKind.resourceSet)
    this.providers = ofKind(gitOpsKind.inputProvider)
  }

  /** Whether all providers that a set takes are known to it. */
  ofSet(set: Manifest): boolean {
    return referencesOf(set).every((one) => this.providers.some((provider) => this.isKnown(one, set, provider)))
  }

  /** Whether a provider is known to all sets that may take it, and one does. */
  ofProvider(provider: Manifest): boolean {
    const uses = this.sets.flatMap((set) =>
      referencesOf(set)
        .filter(({ name, selector }) => name === provider.ref.name || selector !== undefined)
        // Each input is combined with those of all providers, so none is made without one of these.
        .map((one) => this.isKnown(one, set, provider) && (!isPermuted(set) || this.ofSet(set))),
    )
    return uses.length > 0 && uses.every(Boolean)
  }

  private isKnown({ name }: Reference, set: Manifest, provider: Manifest): boolean {
    const isNamed = name === provider.ref.name && set.ref.namespace === provider.ref.namespace
    return isNamed && isStatic(provider.root.value) && this.areTogether(set, provider)
  }

  /** Whether two objects are in one file, or in files that the same Kustomization includes. */
  private areTogether(one: Manifest, other: Manifest): boolean {
    if (one.object.lines === other.object.lines) return true
    this.includers ??= includersIn(this.kustomizations)
    const [ofOne, ofOther] = [one, other].map(({ origin }) => this.includers?.get(origin.path))
    return [...(ofOne ?? [])].some((folder) => ofOther?.has(folder) === true)
  }
}

/** The folders of the Kustomizations that include a file, by file. */
function includersIn(kustomizations: ReadonlyMap<string, Kustomization>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  for (const { folder, leadsTo } of kustomizations.values()) {
    for (const file of leadsTo) {
      const there = found.get(file)
      if (there) there.add(folder)
      else found.set(file, new Set([folder]))
    }
  }
  return found
}

function isPermuted({ root }: Manifest): boolean {
  return root.at('spec', 'inputStrategy', 'name').value === 'Permute'
}

interface Reference {
  readonly name?: unknown
  readonly selector?: unknown
}

function referencesOf({ root }: Manifest): Reference[] {
  return [...root.at('spec', 'inputsFrom').items()].map(({ value }) => Object(value))
}
