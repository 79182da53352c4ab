import type { FluxApply, RenderedSource } from '../manifest/manifest'
import { nameOfRoot, namesOfValues, type Source } from '../sources/source'

/** A source as reports name it. */
export function described(source: Source): RenderedSource {
  if (source.kind === 'kustomize') return { kind: 'kustomize', path: nameOfRoot(source) }
  const { chart, release, namespace, fetched } = source
  const its = { release, namespace, values: namesOfValues(source) }
  if (!fetched) return { kind: 'helm', path: chart || '.', ...its }
  const { repository, version } = fetched
  return { kind: 'helm', path: fetched.chart, repository, version, ...its }
}

/** How Flux applies the objects of a source, as their origin has it. */
export function fluxOf(source: Source): { flux?: FluxApply } {
  return source.kind === 'kustomize' && source.flux ? { flux: source.flux } : {}
}

/** The file of the object that has a source deployed, where that decides its cluster, as their origin has it. */
export function deployerOf({ origin, target }: Source): { deployer?: string } {
  return ['declared', 'named'].includes(origin) && 'path' in target ? { deployer: target.path } : {}
}

/** The mark of a chart that nothing known installs, so that its namespace is only supposed. */
export function unplacedOf({ kind, origin }: Source): { unplaced?: true } {
  return kind === 'helm' && origin === 'discovered' ? { unplaced: true } : {}
}
