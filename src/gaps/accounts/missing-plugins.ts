import type { Account, Witness } from '../../ledger/entry'
import { closureOf, placesNamed } from '../../sources/kustomization'
import { readPlugins } from '../../sources/kustomize-reader'
import { type LeftOutPlugin, reducedKustomization } from '../../sources/reduced-kustomization'
import { type KustomizeSource, nameOfSource } from '../../sources/source'
import type { AccountedSide } from './accounted-side'

/**
 * Changed files that name or configure a plugin that kustomize does not have, and files that only such a plugin uses: its
 * output is unknown.
 */
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
      const add = (file: string, { field }: LeftOutPlugin, reason: string) => {
        if (found.has(file)) return
        const cause = field === 'generators' ? 'generator-plugin' : 'transformer-plugin'
        found.set(file, { state: 'not-judged', cause, reason })
      }
      const [name, what] = [nameOfSource(source), `the plugin ${names.join(', ')}`]
      for (const plugin of await pluginsOf(source, one)) {
        if (!known.has(keyOf(plugin)))
          add(plugin.path, plugin, `${name} is built without ${what}, which kustomize does not have`)
        for (const file of filesOnlyOf(plugin, source, one))
          add(file, plugin, `only ${what} of ${name} uses it, and that is not run here`)
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

/** The files that the config of a plugin names, and that no Kustomization names otherwise. */
function filesOnlyOf({ text }: LeftOutPlugin, { root, components = [] }: KustomizeSource, { side }: AccountedSide) {
  const { kustomizations } = side.discovery
  const strings = readPlugins(text).strings
  const otherwise = new Set(
    [...kustomizations.values()].flatMap(({ leadsTo, ofPlugins }) =>
      ofPlugins.length === 0 ? leadsTo : leadsTo.filter((place) => !ofPlugins.includes(place)),
    ),
  )
  return [root, ...components]
    .flatMap((start) => closureOf(start, kustomizations))
    .flatMap(({ folder, ofPlugins }) =>
      placesNamed(strings, folder, side.checkout).filter((file) => ofPlugins.includes(file) && !otherwise.has(file)),
    )
}
