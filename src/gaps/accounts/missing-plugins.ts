import type { Account, Witness } from '../../ledger/entry'
import { type LeftOutPlugin, reducedKustomization } from '../../sources/reduced-kustomization'
import { type KustomizeSource, nameOfSource } from '../../sources/source'
import type { AccountedSide } from './accounted-side'

/** Changed files that name or configure a plugin that kustomize does not have: its output is unknown. */
export async function missingPlugins(was: AccountedSide, is: AccountedSide): Promise<Witness> {
  const found = new Map<string, Account>()
  for (const [one, other] of [
    [is, was],
    [was, is],
  ] as const) {
    for (const { source, partial } of one.rendered) {
      const names = (partial?.lacks ?? []).flatMap(({ what, about }) => (what === 'plugin' ? [about] : []))
      if (source.kind !== 'kustomize' || names.length === 0 || source.baseSourceId !== undefined) continue
      const there = other.rendered.find((side) => side.source.id === source.id)?.source
      const known = new Set((there?.kind === 'kustomize' ? await pluginsOf(there, other) : []).map(keyOf))
      for (const plugin of await pluginsOf(source, one)) {
        if (known.has(keyOf(plugin)) || found.has(plugin.path)) continue
        found.set(plugin.path, {
          state: 'not-judged',
          cause: plugin.field === 'generators' ? 'generator-plugin' : 'transformer-plugin',
          reason: `${nameOfSource(source)} is built without the plugin ${names.join(', ')}, which kustomize does not have`,
        })
      }
    }
  }
  return (file) => found.get(file)
}

async function pluginsOf(source: KustomizeSource, { side }: AccountedSide): Promise<readonly LeftOutPlugin[]> {
  const { kustomizations } = side.discovery
  return (await reducedKustomization(source, [{ what: 'plugin', about: '' }], kustomizations, side.checkout)).plugins
}

function keyOf({ path, text, field }: LeftOutPlugin): string {
  return JSON.stringify([path, text, field])
}
