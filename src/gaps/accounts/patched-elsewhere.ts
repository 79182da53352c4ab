import { gateFinding } from '../../finding/gate-finding'
import type { Finding } from '../../finding/report'
import { covers } from '../../kubernetes/ingress/ingress'
import { grantKinds, takenAway } from '../../kubernetes/rbac/grant-patch'
import type { ObjectRef } from '../../manifest/manifest'
import { described } from '../../sides/described'
import type { RenderedSide } from '../../sides/rendered-side'
import type { SideOfChange } from '../../sides/side'
import { listIn, type WrittenPatch } from '../../sources/patches'
import type { KustomizeSource } from '../../sources/source'
import { fieldsOf, listOf, textOf } from '../../sources/untyped'
import { isMoved } from '../moved'

interface BothSides {
  readonly base: SideOfChange
  readonly head: SideOfChange
}

interface Renderings {
  readonly before: readonly RenderedSide[]
  readonly after: readonly RenderedSide[]
}

/**
 * Reports `source/unrendered` for patches that remove a part of an object from elsewhere: the object is not seen, but
 * the patch is. Patches that the base has, or that a new source has from the start, are not reported.
 */
export async function patchedElsewhere({ base, head }: BothSides, { before, after }: Renderings): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const side of after) {
    const { source } = side
    const takesIn = side.remote.length > 0 || side.charts.some(({ vendored }) => !vendored)
    if (source.kind !== 'kustomize' || !takesIn || source.origin === 'probed') continue
    const old =
      before.find((one) => one.source.id === (source.baseSourceId ?? source.id)) ??
      before.find((one) => !after.some(({ source: { id } }) => id === one.source.id) && isMoved(one.source, source))
    if (old?.source.kind !== 'kustomize') continue
    const [were, are] = await Promise.all([base.patches(old.source), head.patches(source)])
    // The patch may be the one that removes an object of the source itself.
    const own = [...old.objects, ...side.objects].map(({ object }) => object.ref)
    const known = new Set(harmsOf(were, own).map(keyOf))
    findings.push(
      ...[...harmsOf(are, own), ...lostHosts(were, are, own)]
        .filter((harm) => !known.has(keyOf(harm)))
        .map((harm) => findingOf(harm, source)),
    )
  }
  return findings
}

/** Whether a finding is about such a patch. */
export function isOfPatch({ rule, message }: Finding): boolean {
  return rule === 'source/unrendered' && message.startsWith('patch-')
}

interface Harm {
  readonly patch: WrittenPatch
  readonly what: 'removed' | 'tls' | 'rules' | 'part' | 'hosts'
  readonly keys: readonly string[]
  readonly hosts?: readonly string[]
}

function keyOf({ patch: { target }, what, keys }: Harm): string {
  return JSON.stringify([target, what, ...(what === 'part' ? keys : [])])
}

const routes = ['Ingress']

/** The removals by patches from objects that the source does not have itself. */
function harmsOf(patches: readonly WrittenPatch[], own: readonly ObjectRef[]): Harm[] {
  return patches
    .filter((patch) => isElsewhere(patch, own))
    .flatMap((patch): Harm[] => {
      const { kind } = patch.target
      const harm = (what: Harm['what'], ...keys: string[]): Harm => ({ patch, what, keys })
      const content = Array.isArray(patch.content) ? undefined : fieldsOf(patch.content)
      const operations = Array.isArray(patch.content) ? patch.content.map(fieldsOf) : []
      const takesAway = (place: string) =>
        operations.some(({ op, path, value }) => {
          const at = textOf(path)
          if (op === 'remove') return at === place || at.startsWith(`${place}/`) || place.startsWith(`${at}/`)
          return (op === 'replace' || op === 'add') && at === place && listOf(value).length === 0
        })
      const empties = (...keys: string[]) =>
        content ? listIn(content, ...keys)?.length === 0 : takesAway(`/${keys.join('/')}`)
      if (content && textOf(content.$patch) === 'delete' && [...routes, 'IngressClass', ...grantKinds].includes(kind))
        return [harm('removed', '$patch')]
      if (routes.includes(kind))
        return [
          ...(empties('spec', 'tls') ? [harm('tls', 'spec', 'tls')] : []),
          ...(empties('spec', 'rules') ? [harm('rules', 'spec', 'rules')] : []),
        ]
      if (!grantKinds.includes(kind)) return []
      const field = kind.endsWith('Binding') ? 'subjects' : 'rules'
      const written = operations.map(({ op, path }) => ({ op: textOf(op), path: textOf(path) }))
      const parts = takenAway(kind, written).filter(({ path }) => path !== `/${field}`)
      const isWhole = empties(field) && !written.some(({ path }) => path.startsWith(`/${field}/`))
      return isWhole ? [harm('rules', field)] : parts.map(({ path }) => harm('part', ...path.split('/').slice(1)))
    })
}

/** The hosts that a patch gave TLS at the base, routes at the head and gives none. */
function lostHosts(were: readonly WrittenPatch[], are: readonly WrittenPatch[], own: readonly ObjectRef[]): Harm[] {
  return are.flatMap((patch): Harm[] => {
    if (!routes.includes(patch.target.kind) || !isElsewhere(patch, own)) return []
    const tls = tlsHosts(patch)
    const had = were.filter(({ target }) => target.kind === patch.target.kind && target.name === patch.target.name)
    const hosts = [...new Set(had.flatMap((one) => tlsHosts(one) ?? []))]
    const lost = tls && tls.length > 0 ? hosts.filter((host) => !tls.some((name) => covers(name, host))) : []
    const routed = new Set(routedHosts(patch))
    const left = lost.filter((host) => routed.has(host))
    return left.length > 0 ? [{ patch, what: 'hosts', keys: ['spec', 'tls'], hosts: left }] : []
  })
}

function tlsHosts({ content }: WrittenPatch): string[] | undefined {
  const list = Array.isArray(content) ? undefined : listIn(fieldsOf(content), 'spec', 'tls')
  return list?.flatMap((entry) => listOf(fieldsOf(entry).hosts).map(textOf))
}

function routedHosts({ content }: WrittenPatch): string[] {
  const list = Array.isArray(content) ? undefined : listIn(fieldsOf(content), 'spec', 'rules')
  return (list ?? []).map((rule) => textOf(fieldsOf(rule).host)).filter((host) => host !== '')
}

/** Whether a patch matches no object of the source itself; a prefix or suffix may have changed a name. */
function isElsewhere({ target: { kind, name } }: WrittenPatch, own: readonly ObjectRef[]): boolean {
  return !own.some((ref) => ref.kind === kind && ref.name.includes(name))
}

function findingOf({ patch, what, keys, hosts = [] }: Harm, source: KustomizeSource): Finding {
  const { kind, name } = patch.target
  const object = name === '' ? `each ${kind}` : `${kind} ${name}`
  const does = {
    removed: `removes ${object}`,
    tls: `removes the TLS entries of ${object}, so its hosts are served without a certificate of their own`,
    rules: `removes all ${keys.at(-1)} of ${object}`,
    part: `removes /${keys.join('/')} of ${object}, which takes permissions away`,
    hosts: `removes ${hosts.join(', ')} from the TLS entries of ${object}, whose rules still route ${hosts.length > 1 ? 'them' : 'it'}`,
  }[what]
  return gateFinding('source/unrendered', `patch-${what}`, 'warning', {
    side: 'head',
    path: patch.path,
    region: patch.regionOf(...keys),
    status: 'introduced',
    keys: [kind, name, ...hosts, ...(what === 'part' ? keys : [])],
    sources: [{ ...described(source), cluster: 'cluster' in source.target ? source.target.cluster : '' }],
    text: `This patch ${does}. The object comes from elsewhere and is not in this repository, so the effect cannot be checked: look at the object there, and revert the patch if the removed part is in use.`,
  })
}
