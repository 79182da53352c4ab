import type { Cursor } from '../manifest/cursor'
import { groupKindOf, type Manifest } from '../manifest/manifest'
import { gitOpsKind } from './kinds'

/** An Application, or the template of an ApplicationSet whose Applications all have its fields. */
export function applicationRootOf({ ref, root }: Manifest): Cursor | undefined {
  if (groupKindOf(ref) === gitOpsKind.application) return root
  if (groupKindOf(ref) !== gitOpsKind.applicationSet) return undefined
  const spec = root.at('spec')
  const varies = spec.at('templatePatch').exists || hasTemplate(spec.at('generators'))
  return varies ? undefined : spec.at('template')
}

/** Whether a generator, or one in it, has a template of its own. */
function hasTemplate(generators: Cursor): boolean {
  return [...generators.items()].some((one) =>
    [...one.entries()].some(([, kind]) => kind.at('template').exists || hasTemplate(kind.at('generators'))),
  )
}
