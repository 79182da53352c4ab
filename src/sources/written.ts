import type { Checkout } from '../revision/checkout'
import { closureOf, inside, type Kustomization } from './kustomization'
import { kustomizationShape } from './kustomize-fields'
import { readKustomizeText } from './kustomize-reader'
import { realPlace } from './places'
import { replacementsIn, withPlaceholders } from './replaced-fields'
import type { Source } from './source'
import { type OpenVariable, openIn, substituted } from './substitution'
import { type Fields, textOf } from './untyped'

/** A file of a source, in its original form. */
export interface WrittenFile {
  readonly path: string
  readonly text: string
  /** The namespace of all its objects, overriding their own. */
  readonly namespace: string
  /** Whether unknown changes may be laid over its objects. */
  readonly mayChange: boolean
  /** The variables in it that have neither a known value nor a default. */
  readonly open: readonly OpenVariable[]
}

/** The files of manifests that a source names, where it cannot be rendered. */
export async function writtenFiles(
  source: Source,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<WrittenFile[]> {
  if (source.kind === 'helm') {
    const files = checkout
      .below(source.chart)
      .filter((file) => /(?:^|\/)(?:crds|templates)\/[^_/][^/]*\.ya?ml$/.test(file))
    const texts = [...(await checkout.texts(files))].filter(([, text]) => !text.includes('{{'))
    return texts.map(([path, text]) => ({ path, text, namespace: '', mayChange: false, open: [] }))
  }
  const { root, components = [], overlay = {}, substitutions } = source
  const laid = Object.keys(overlay).some((key) => key !== 'namespace') || components.length > 0
  const over = { namespace: textOf(overlay.namespace), mayChange: laid, replacements: [] }
  const taken = await takenIn(root, over, all, checkout)
  const texts = await checkout.texts([...taken.keys()])
  return [...texts].flatMap(([path, text]) => {
    const file = { path, open: openIn(text, substitutions) }
    return [...(taken.get(path) ?? [])].map(([namespace, { mayChange, replacements }]) => {
      const filled = substituted(withPlaceholders(text, replacements), substitutions)
      return { ...file, text: filled, namespace, mayChange }
    })
  })
}

/** The namespace, patches and replacements that Kustomizations lay over a file. */
interface Over extends Pick<WrittenFile, 'namespace' | 'mayChange'> {
  readonly replacements: readonly Fields[]
}

/** Fields of a Kustomization that do not change the objects of others; its namespace is known. */
const harmless = new Set(
  [
    'apiVersion kind metadata resources bases crds openapi sortOptions buildMetadata namespace',
    'generators validators configMapGenerator secretGenerator generatorOptions helmCharts helmGlobals',
  ]
    .join(' ')
    .split(' '),
)

/**
 * The files that a Kustomization includes, with the changes that it lays over them in each namespace: a component is often
 * included once for each namespace.
 */
async function takenIn(
  root: string,
  over: Over,
  all: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
): Promise<Map<string, Map<string, Over>>> {
  const found = new Map<string, Map<string, Over>>()
  const texts = await checkout.texts(closureOf(root, all).flatMap(({ file, made }) => (made ? [] : [file])))
  const seen = new Set<string>()
  const replacing = await replacementsIn(root, all, checkout)
  const visit = (folder: string, { namespace, mayChange, replacements }: Over): void => {
    const kustomization = all.get(folder)
    const visited = JSON.stringify([folder, namespace])
    if (!kustomization || seen.has(visited)) return
    seen.add(visited)
    const text = kustomization.made ? undefined : texts.get(kustomization.file)
    const { keys, faults } = text === undefined ? { keys: [], faults: [] } : readKustomizeText(text, kustomizationShape)
    const its: Over = {
      namespace: namespace || kustomization.namespace,
      mayChange: mayChange || faults.length > 0 || kustomization.component || keys.some((key) => !harmless.has(key)),
      replacements: [...replacements, ...(replacing.get(folder) ?? [])],
    }
    for (const { text: entry } of kustomization.includes) {
      const place = inside(folder, entry)
      const real = place === undefined ? undefined : realPlace(checkout.tree, place)
      if (real === undefined) continue
      const known = found.get(real) ?? new Map<string, Over>()
      if (!checkout.has(real)) visit(real, its)
      else if (!known.has(its.namespace)) found.set(real, known.set(its.namespace, its))
    }
  }
  visit(root, over)
  return found
}
