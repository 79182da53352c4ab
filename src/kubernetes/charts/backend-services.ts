import { closest } from '../../closest'
import type { Snapshot } from '../../cluster/snapshot'
import { readApplication } from '../../gitops/application'
import { gitOpsKind } from '../../gitops/kinds'
import { textAt } from '../../gitops/text'
import { type GroupKind, groupKindOf, type Manifest } from '../../manifest/manifest'
import { mentionsOneOf } from '../../manifest/mentions'
import { type Backend, portsOfService, type ServicePort } from '../ingress/backend'
import { servicesIn } from '../ingress/services'
import { mayShareNamespace, shareNamespace } from '../object/namespace'
import { releaseKinds } from './chart-release'
import { isCalledSo, isMaker, makersIn } from './makers'

/** Whether a port of a Service is the one that an object means. */
type OffersPort = (port: ServicePort, wanted: number | string, user: Manifest) => boolean

/** The Services that a backend may mean: a tool may choose a namespace. */
export function servicesOf({ name: { manifest }, service, namespace }: Backend, snapshot: Snapshot): Manifest[] {
  return servicesIn(snapshot)
    .named(service)
    .filter((one) =>
      namespace === manifest.ref.namespace
        ? mayShareNamespace(one, manifest)
        : ['', namespace].includes(one.ref.namespace),
    )
}

/** The reason why a backend gets no requests: its Service has no such port, or is not here while another is probably meant. */
export type Misfit =
  | { readonly kind: 'port'; readonly service: Manifest; readonly ports: readonly ServicePort[] }
  | { readonly kind: 'misnamed'; readonly like: Manifest }

/**
 * The misfit of a backend, if there is one for certain.
 *
 * @param offers undefined where a port may be the one that is meant
 * @param kind the kind of the backend's user, whose objects create no Services
 * @param isLike whether a name is like the one that is written, in further ways
 */
export function misfitOf(
  backend: Backend,
  snapshot: Snapshot,
  offers: (port: ServicePort, wanted: number | string) => boolean | undefined,
  kind: GroupKind,
  isLike?: (service: string, name: string) => boolean,
): Misfit | undefined {
  const { wanted } = backend
  if (wanted === undefined) return undefined
  const services = servicesOf(backend, snapshot)
  const [service] = services
  if (!service) {
    const like = likeOf(backend, snapshot, (port, one) => offers(port, one) === true, [kind], isLike)
    return like && { kind: 'misnamed', like }
  }
  if (!services.every((one) => isServiceOf(backend, one))) return undefined
  const all = services.map(portsOfService)
  const [ports = []] = all
  return all.every((its) => its?.every((one) => offers(one, wanted) === false))
    ? { kind: 'port', service, ports }
    : undefined
}

/** The backends of objects of a kind that are a Service, one for each object. */
export function usersOfService(
  service: Manifest,
  snapshot: Snapshot,
  kind: GroupKind,
  backendsIn: (user: Manifest) => readonly Backend[],
): Backend[] {
  return snapshot
    .ofKind(kind)
    .filter((one) => snapshot.get(one.ref)[0] === one)
    .flatMap((one) => {
      const isIt = (backend: Backend) => backend.service === service.ref.name && isServiceOf(backend, service)
      return backendsIn(one).find(isIt) ?? []
    })
}

/** A namespace with more Services is not searched for the one that is meant. */
const mostServices = 200

/**
 * The Service that is probably meant by a backend whose Service is not here: its name is nearly the same or has one more
 * part, it has the port, and nothing else uses it. None of a backend whose Service some other object may create.
 *
 * @param others further kinds whose objects create none
 * @param isLike whether a name is like the one that is written, in further ways
 */
export function likeOf(
  backend: Backend,
  snapshot: Snapshot,
  offers: OffersPort,
  others: readonly GroupKind[] = [],
  isLike: (service: string, name: string) => boolean = () => false,
): Manifest | undefined {
  const { service, name, namespace, wanted } = backend
  const user = name.manifest
  const services = servicesIn(snapshot)
  const beside = services.in(namespace)
  if (user.assumption || wanted === undefined || beside.length > mostServices) return undefined
  const candidates = beside.filter((one) => isServiceOf(backend, one) && !isNumberedAlike(service, one.ref.name))
  const names = candidates.map(({ ref }) => ref.name)
  const like =
    names.find((one) => isPartOf(one, service) || isPartOf(service, one)) ??
    closest(service, names) ??
    names.find((one) => isLike(service, one))
  const found = candidates.find(({ ref }) => ref.name === like)
  if (!found || !portsOfService(found)?.some((port) => offers(port, wanted, user))) return undefined
  const isUsed = services.backendsTo(found.ref.name).some((other) => isServiceOf(other, found))
  const isMade = makersIn(snapshot)
    .called(service)
    .some(({ ref }) => !others.includes(groupKindOf(ref)))
  return isUsed || isMade ? undefined : found
}

/** `web` of `web-service`. */
function isPartOf(part: string, name: string): boolean {
  return name.startsWith(`${part}-`) || name.endsWith(`-${part}`)
}

/** Whether two names differ by their digits alone: then they are two of a row. */
function isNumberedAlike(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => name.replace(/\d+/g, '0'))
  return a === b
}

/** Whether a Service is the one that a backend means, for certain. */
export function isServiceOf({ name: { manifest }, namespace }: Backend, service: Manifest): boolean {
  return namespace === manifest.ref.namespace
    ? shareNamespace(service, manifest)
    : namespace !== '' && service.ref.namespace === namespace
}

/**
 * An object that may create a Service of that name: the release of a chart that is called so, or one that comes or changes, also for
 * an operator.
 */
export function makerOf(removed: Manifest, base: Snapshot, head: Snapshot): Manifest | undefined {
  const { name } = removed.ref
  return head.manifests.find((one) => {
    const { ref, object, root } = one
    if (!isMaker(ref)) return false
    if (deploysFolderOf(removed, one)) return false
    const isNamed = isCalledSo(name, ref)
    if (!base.get(ref).some((was) => was.object.content === object.content))
      return isNamed || mentionsOneOf(object.content, [name])
    const sources = [root.at('spec', 'source'), ...root.at('spec', 'sources').items()]
    const isOfArgo = ref.kind.startsWith('Application')
    const hasChart = !isOfArgo || sources.some((source) => source.at('chart').exists)
    return isNamed && releaseKinds.includes(groupKindOf(ref)) && hasChart
  })
}

/**
 * Whether an Application deploys nothing but folders of a repository, among them that of a removed object: so it is this
 * repository, and all that the Application creates is read.
 */
function deploysFolderOf({ origin }: Manifest, { ref, root }: Manifest): boolean {
  if (groupKindOf(ref) !== gitOpsKind.application) return false
  const { sources } = readApplication(root)
  const folders = sources.map(({ path }) => textAt(path)).map((path) => (path.startsWith('./') ? path.slice(2) : path))
  const isPlain = sources.every(({ chart, plugin, ref }) => !chart.exists && !plugin.exists && !ref.exists)
  return isPlain && folders.every(Boolean) && folders.some((folder) => origin.path.startsWith(`${folder}/`))
}
