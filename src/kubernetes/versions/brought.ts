import { podOf, workloadKinds } from '../../cluster/pod'
import type { Cursor } from '../../manifest/cursor'
import { groupKindOf, identityOf, type Manifest, nameOf } from '../../manifest/manifest'
import { isDefaultClass } from '../ingress/ingress-class'
import { definitionKind, servedVersions } from '../object/custom-resource'
import { webhookKinds, webhooksOf } from '../protection/webhook'
import { permissionsIn, roleKinds, uncovered } from '../rbac/rbac'
import { ruleTexts } from '../rbac/rbac-words'

/** The subjects of rows, the most dangerous first. */
export const aspects = ['webhook', 'definition', 'role', 'class', 'service', 'image', 'argument'] as const
/** The subject of a row in the table of a new chart version. */
export type Aspect = (typeof aspects)[number]

/** The additions and removals at one place of the objects of a release. */
export interface BroughtRow {
  readonly aspect: Aspect
  /** `ClusterRole operator`, `Deployment ops/operator, container manager`. */
  readonly object: string
  readonly goes: readonly string[]
  readonly comes: readonly string[]
}

/** One thing of an object, in words that are equal for equal things. */
interface Statement {
  readonly aspect: Aspect
  /** The part of the object, where it is not the whole. */
  readonly part: string
  readonly words: string
}

/** The changes that a new version brings to a release, from its objects before and after: a new order is no change. */
export function broughtBy(before: readonly Manifest[], after: readonly Manifest[]): BroughtRow[] {
  const [was, is] = [byIdentity(before), byIdentity(after)]
  const rows = [...new Set([...was.keys(), ...is.keys()])].flatMap((id) => rowsOf(was.get(id), is.get(id)))
  return aspects.flatMap((aspect) => rows.filter((row) => row.aspect === aspect))
}

function byIdentity(manifests: readonly Manifest[]): Map<string, Manifest> {
  return new Map(manifests.map((manifest) => [identityOf(manifest.ref), manifest]))
}

function rowsOf(was: Manifest | undefined, is: Manifest | undefined): BroughtRow[] {
  const one = is ?? was
  if (!one) return []
  if (roleKinds.some((kind) => kind === groupKindOf(one.ref))) {
    const [had, has] = [was, is].map((role) => (role ? permissionsIn(role.root.at('rules')) : []))
    const [goes, comes] = [ruleTexts(uncovered(has ?? [], had ?? [])), ruleTexts(uncovered(had ?? [], has ?? []))]
    return goes.length + comes.length > 0 ? [{ aspect: 'role', object: nameOf(one.ref), goes, comes }] : []
  }
  const [said, says] = [was, is].map((manifest) => (manifest ? statementsOf(manifest) : []))
  const rows = new Map<string, { aspect: Aspect; object: string; goes: string[]; comes: string[] }>()
  const add = (side: 'goes' | 'comes', { aspect, part, words }: Statement) => {
    const object = part === '' ? nameOf(one.ref) : `${nameOf(one.ref)}, ${part}`
    const key = JSON.stringify([aspect, object])
    const row = rows.get(key) ?? { aspect, object, goes: [], comes: [] }
    rows.set(key, row)
    row[side].push(words)
  }
  for (const statement of without(said ?? [], says ?? [])) add('goes', statement)
  for (const statement of without(says ?? [], said ?? [])) add('comes', statement)
  return [...rows.values()]
}

/** The statements that others do not make, each as often as it exceeds them. */
function without(statements: readonly Statement[], others: readonly Statement[]): Statement[] {
  const left = new Map<string, number>()
  for (const other of others) left.set(JSON.stringify(other), (left.get(JSON.stringify(other)) ?? 0) + 1)
  return statements.filter((statement) => {
    const key = JSON.stringify(statement)
    const times = left.get(key) ?? 0
    left.set(key, times - 1)
    return times <= 0
  })
}

function statementsOf(manifest: Manifest): Statement[] {
  const kind = groupKindOf(manifest.ref)
  if (webhookKinds.includes(kind)) return webhookStatements(manifest)
  if (workloadKinds.includes(kind)) return containerStatements(manifest)
  const { root } = manifest
  const whole = (aspect: Aspect, words: readonly string[]) => words.map((one) => ({ aspect, part: '', words: one }))
  switch (kind) {
    case definitionKind:
      return whole('definition', [...servedVersions(manifest).keys()])
    case 'IngressClass.networking.k8s.io':
      return whole('class', [
        `controller ${root.at('spec', 'controller').string ?? ''}`,
        ...(isDefaultClass(manifest) ? ['the default'] : []),
      ])
    case 'Service':
      return whole('service', [`type ${root.at('spec', 'type').string ?? 'ClusterIP'}`, ...portsOf(root.at('spec'))])
    default:
      return []
  }
}

function webhookStatements(manifest: Manifest): Statement[] {
  return webhooksOf(manifest).map(({ name, closed, resources }) => ({
    aspect: 'webhook',
    part: name,
    words: `${closed ? 'fails closed' : 'fails open'} for ${resources}`,
  }))
}

function portsOf(spec: Cursor): string[] {
  return [...spec.at('ports').items()].map((one) => {
    const [port, to] = [textOf(one.at('port')), textOf(one.at('targetPort'))]
    const [protocol, node] = [textOf(one.at('protocol')), textOf(one.at('nodePort'))]
    return [
      `port ${port}${protocol === '' || protocol === 'TCP' ? '' : `/${protocol}`}`,
      to === '' || to === port ? '' : ` to ${to}`,
      node === '' ? '' : ` at every node's ${node}`,
    ].join('')
  })
}

function containerStatements(manifest: Manifest): Statement[] {
  const spec = podOf(manifest).at('spec')
  const containers = ['initContainers', 'containers'].flatMap((key) => [...spec.at(key).items()])
  return containers.flatMap((container) => {
    const part = `container ${textOf(container.at('name'))}`
    const words = ['command', 'args'].flatMap((key) => [...container.at(key).items()])
    return [
      { aspect: 'image', part, words: textOf(container.at('image')) },
      ...words.map((one): Statement => ({ aspect: 'argument', part, words: textOf(one) })),
    ]
  })
}

function textOf({ value }: Cursor): string {
  return value === undefined || value === null ? '' : String(value)
}
