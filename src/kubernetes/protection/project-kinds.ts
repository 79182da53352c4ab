import type { Snapshot } from '../../cluster/snapshot'
import { refusingList } from '../../gitops/app-project'
import { gitOpsKind } from '../../gitops/kinds'
import type { Cursor } from '../../manifest/cursor'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { type Deployer, deployersIn, deployersMadeBy, folderOf } from '../object/deployer'
import { runnerKinds, vitalKinds } from './vital-kinds'

/** The kinds of objects that an Application deploys and that are needed to serve requests, and of what runs them. */
export const projectedKinds: readonly GroupKind[] = [...vitalKinds.keys(), ...runnerKinds.keys(), 'ConfigMap']

/** The vital kinds that a project refuses, whatever the names of their objects. */
export function kindsRefusedBy({ root }: Manifest): GroupKind[] {
  return projectedKinds.filter((one) => {
    const [kind = '', ...group] = one.split('.')
    return refusingList(root.at('spec'), { group: group.join('.'), kind, namespace: '', name: '*' }) !== undefined
  })
}

/** The objects of one kind that an Application deploys and that its project refuses. */
export interface RefusedKind {
  readonly kind: GroupKind
  /** The entry that refuses them, or the list without one. */
  readonly at: Cursor
  readonly objects: readonly [Manifest, ...Manifest[]]
}

/** The objects that some Applications deploy and that all copies of their project refuse, by kind. */
export function refusedKinds(
  applications: readonly Manifest[],
  projects: readonly Manifest[],
  snapshot: Snapshot,
): { readonly application: Manifest; readonly refused: readonly RefusedKind[] }[] {
  const inFolders = new Map(applications.map((one) => [one, new Set(deployersOf(one).map(folderOf))]))
  const [project] = projects
  const found = new Map<Manifest, Map<GroupKind, { at: Cursor; objects: [Manifest, ...Manifest[]] }>>()
  for (const manifest of project ? projectedKinds.flatMap((kind) => snapshot.ofKind(kind)) : []) {
    const lists = projects.flatMap(({ root }) => refusingList(root.at('spec'), manifest.ref) ?? [])
    const [at] = lists
    if (!at || lists.length < projects.length) continue
    const application = applications.find((one) => isIn(inFolders.get(one) ?? new Set(), manifest))
    if (!application) continue
    const kinds = found.get(application) ?? new Map()
    found.set(application, kinds)
    const kind = groupKindOf(manifest.ref)
    const known = kinds.get(kind)
    if (known) known.objects.push(manifest)
    else kinds.set(kind, { at, objects: [manifest] })
  }
  return [...found].map(([application, kinds]) => ({
    application,
    refused: [...kinds].map(([kind, rest]) => ({ kind, ...rest })),
  }))
}

function deployersOf(manifest: Manifest): Deployer[] {
  return groupKindOf(manifest.ref) === gitOpsKind.applicationSet ? deployersMadeBy(manifest) : deployersIn(manifest)
}

/** Whether a source or a plain file is of one of the folders; plain files of deeper folders may be of other Applications. */
function isIn(folders: ReadonlySet<string>, { origin }: Manifest): boolean {
  if (origin.kind === 'rendered') return folders.has(origin.source.path || '.')
  return folders.has(origin.path.slice(0, Math.max(origin.path.lastIndexOf('/'), 0)))
}
