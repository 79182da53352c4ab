import type { LoadedFile } from '../manifest/load'
import type { Origin } from '../manifest/manifest'
import type { Checkout } from '../revision/checkout'
import type { Kustomization } from '../sources/kustomization'
import type { Source } from '../sources/source'
import { writtenFiles } from '../sources/written'
import { deployerOf, described, fluxOf } from './described'
import { inNamespace, withNamespace } from './rendered-objects'
import type { RenderedSide } from './rendered-side'
import { unsetOf } from './unset-variables'

/** The manifests that a source names, read from their files. */
export async function readWritten(
  source: Source,
  kustomizations: ReadonlyMap<string, Kustomization>,
  checkout: Checkout,
  load: (text: string) => LoadedFile,
): Promise<Pick<RenderedSide, 'objects' | 'unreadable'>> {
  const files = await writtenFiles(source, kustomizations, checkout)
  const objects = files.flatMap(({ path, text, namespace, mayChange, open }) => {
    const place = { path, template: '', id: source.id, source: described(source), ...deployerOf(source) }
    const origin: Origin = { kind: 'rendered', ...place, ...fluxOf(source), ...unsetOf(open, source) }
    return load(text).objects.map((object) => ({
      object: withNamespace(inNamespace(object, namespace), source),
      origin: { ...origin, unbuilt: mayChange ? ('changed' as const) : ('written' as const) },
    }))
  })
  const unreadable = files.flatMap(({ path, text }) => {
    const file = load(text)
    // Encrypted files are no manifests here, but are read where they are deployed.
    return [...(file.kubernetes ? file.unreadable : []), ...file.incomplete].map(({ reason }) => ({
      cause: 'unreadable-output' as const,
      path,
      about: '',
      reason,
    }))
  })
  return { objects, unreadable }
}
