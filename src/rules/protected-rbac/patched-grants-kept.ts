import { readHelmRelease } from '../../gitops/helm-release'
import { gitOpsKind } from '../../gitops/kinds'
import { grantKinds, takenAway } from '../../kubernetes/rbac/grant-patch'
import { bindingKinds, roleKinds } from '../../kubernetes/rbac/rbac'
import type { Cursor } from '../../manifest/cursor'
import { type Manifest, nameOf } from '../../manifest/manifest'
import { defineRule } from '../../rule/rule'

type Taken = Record<'release' | 'object' | 'part', string>

export default defineRule({
  id: 'protected-rbac/patched-grants-kept',
  summary:
    'No new patch of a release takes permissions from roles and bindings of its chart that are not in the repository.',
  since: '1.19.0',
  scope: 'change',
  kinds: [gitOpsKind.helmRelease],
  reads: [...roleKinds, ...bindingKinds],
  messages: {
    // Source: https://fluxcd.io/flux/components/helm/helmreleases/#post-renderers
    taken: ({ release, object, part }: Taken) =>
      `A new patch of ${release} removes ${part} from ${object} of its chart, so the Pods of the chart lose these permissions: a controller that may no longer read Secrets, for example, serves no certificate. The chart is not in this repository: look up there what is removed, and take this back if the Pods need it.`,
    removed: ({ release, object }: Omit<Taken, 'part'>) =>
      `A new patch of ${release} removes ${object} of its chart, so the Pods of the chart lose its permissions. The chart is not in this repository: look up there what it gives, and take this back if the Pods need it.`,
  },
  *partners(manifest) {
    for (const { name } of lossesIn(manifest)) if (name) yield name
  },
  check({ change, base, head, report }) {
    if (change.kind !== 'changed') return
    const { before, after } = change
    const known = new Set(lossesIn(before).map(keyOf))
    for (const loss of lossesIn(after)) {
      const { kind, name, part, at } = loss
      if (known.has(keyOf(loss))) continue
      // Where the chart is rendered, what its roles lose is known.
      const isSeen = [base, head].some((side) =>
        side.manifests.some(({ ref }) => ref.kind === kind && ref.name === name),
      )
      if (isSeen) continue
      const args = { release: nameOf(after.ref), object: name ? `${kind} ${name}` : `each ${kind}` }
      const more = { keys: [kind, name, part] }
      if (part) report(at, 'taken', { ...args, part }, more)
      else report(at, 'removed', args, more)
    }
  },
})

/** What a patch takes away. */
interface Loss {
  readonly kind: string
  /** Empty for each object of the kind. */
  readonly name: string
  /** `/rules/0/resources/4`; empty for the object itself. */
  readonly part: string
  readonly at: Cursor
}

function keyOf({ kind, name, part }: Loss): string {
  return JSON.stringify([kind, name, part])
}

/** What the postRenderers of a release take from roles and bindings. */
function lossesIn({ root }: Manifest): Loss[] {
  return [...readHelmRelease(root).postRenderers.items()].flatMap((renderer) => {
    const kustomize = renderer.at('kustomize')
    const patches = ['patches', 'patchesJson6902'].flatMap((field) => [...kustomize.at(field).items()])
    const merged = [...kustomize.at('patchesStrategicMerge').items()]
    return [
      ...patches.flatMap((entry) => lossesOf(entry.at('patch'), entry.at('target'))),
      ...merged.flatMap((entry) => lossesOf(entry, undefined)),
    ]
  })
}

function lossesOf(patch: Cursor, target: Cursor | undefined): Loss[] {
  const content = patch.nested ?? patch
  const kind = target?.at('kind').string ?? content.at('kind').string ?? ''
  if (!grantKinds.includes(kind)) return []
  const name = target?.exists ? (target.at('name').string ?? '') : (content.at('metadata', 'name').string ?? '')
  if (content.isList) {
    const operations = [...content.items()].map((one) => {
      const [op, path] = [one.at('op'), one.at('path')]
      return { op: op.string ?? '', path: path.string ?? '', at: path }
    })
    return takenAway(kind, operations).map(({ path, at }) => ({ kind, name, part: path, at }))
  }
  if (content.at('$patch').string === 'delete') return [{ kind, name, part: '', at: content.at('$patch') }]
  const list = content.at(kind.endsWith('Binding') ? 'subjects' : 'rules')
  const isEmptied = list.exists && [...list.items()].length === 0
  return isEmptied ? [{ kind, name, part: `all ${list.path.at(-1)}`, at: list }] : []
}
