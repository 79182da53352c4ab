import path from 'node:path/posix'
import type { RenderedSide } from '../sides/rendered-side'
import type { SideOfChange } from '../sides/side'
import { inside } from '../sources/kustomization'
import { failureOf } from './failure-of'

/**
 * The folder and the files that `flux bootstrap` writes, so that what is there to be copied has none of them yet.
 * https://github.com/fluxcd/flux2/blob/v2.7.5/pkg/manifestgen/sync/options.go, .../pkg/manifestgen/install/options.go
 */
const ofBootstrap: ReadonlySet<string> = new Set(['flux-system', 'gotk-components.yaml', 'gotk-sync.yaml'])

/** The folders of examples; what is below them is there to be copied. */
const ofExamples: ReadonlySet<string> = new Set(['doc', 'docs', 'example', 'examples', 'sample', 'samples'])

/**
 * The Kustomizations in folders of examples that nothing deploys and that do not build because an entry is not there which
 * `flux bootstrap` makes.
 */
export function beforeBootstrap(
  { checkout, discovery }: SideOfChange,
  after: readonly RenderedSide[],
): ReadonlySet<string> {
  const found = new Set<string>()
  for (const side of after) {
    const { source } = side
    const failure = failureOf(side)
    if (!failure || source.kind !== 'kustomize' || source.origin !== 'discovered') continue
    if (!source.root.split('/').some((part) => ofExamples.has(part))) continue
    const blamed = [...discovery.kustomizations.values()].find(({ file }) => file === failure.path)
    const entry = blamed?.includes.find(({ text }) => text === failure.about)
    const place = blamed && entry && inside(blamed.folder, entry.text)
    if (place !== undefined && ofBootstrap.has(path.basename(place)) && checkout.tree.at(place).length === 0)
      found.add(source.id)
  }
  return found
}
