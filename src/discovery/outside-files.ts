import type { Checkout } from '../revision/checkout'
import type { Kustomization } from '../sources/kustomization'

/** The files of settings, scripts and documentation, which show with which options kustomize is run. */
const shown = /(?:\.(?:ya?ml|sh|py|md|mk|toml|json)|(?:^|\/)(?:Makefile|justfile))$/i

/** The option that lets kustomize take in files beside the folder that it builds, in its old and its new form. */
const words: readonly string[] = ['LoadRestrictionsNone', 'load_restrictor']
const option = /load-restrictor[= ]+["']?LoadRestrictionsNone|load_restrictor[= ]+["']?none/

/**
 * Whether Kustomizations take in files that are not in their folder or below it, and the repository shows that they are
 * built so: in `kustomize.buildOptions` of Argo CD, in a command of Flux 1, in a script.
 */
export async function takesOutsideFiles(
  checkout: Checkout,
  kustomizations: ReadonlyMap<string, Kustomization>,
): Promise<boolean> {
  const isOutside = ({ folder, leadsTo }: Kustomization) =>
    folder !== '' && leadsTo.some((place) => checkout.has(place) && !place.startsWith(`${folder}/`))
  if (![...kustomizations.values()].some(isOutside)) return false
  const files = [...checkout.tree.entries.keys()].filter((file) => shown.test(file))
  return [...(await checkout.mentioning(files, words)).values()].some((text) => option.test(text))
}
