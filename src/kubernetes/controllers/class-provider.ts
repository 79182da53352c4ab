import type { Snapshot } from '../../cluster/snapshot'
import { abridged } from '../../listing'
import type { Cursor } from '../../manifest/cursor'
import type { Manifest } from '../../manifest/manifest'
import { classReadFrom, isDefaultClass } from '../ingress/ingress-class'
import { type Controller, controllersIn } from './controller'

/** Controllers and IngressClasses that provide ingress classes. */
export interface ClassProviders {
  readonly controllers: readonly Controller[]
  /** The controllers that IngressClasses name, by class name. */
  readonly classes: ReadonlyMap<string, { readonly says: string | undefined; readonly at: Cursor }>
  /** Whether one of them is the default, or the class that a chart makes may be. */
  readonly hasDefault: boolean
}

/**
 * The classes that a cluster provides; undefined if there is no provider, or if the classes of a controller are
 * unknown.
 */
export function classProvidersIn(snapshot: Snapshot): ClassProviders | undefined {
  if (!providersBySnapshot.has(snapshot)) providersBySnapshot.set(snapshot, readProviders(snapshot))
  return providersBySnapshot.get(snapshot)
}

/** Rules ask of every Ingress; a snapshot never changes. */
const providersBySnapshot = new WeakMap<Snapshot, ClassProviders | undefined>()

function readProviders(snapshot: Snapshot): ClassProviders | undefined {
  const controllers = controllersIn(snapshot)
  const written = snapshot.ofKind('IngressClass.networking.k8s.io')
  const seen = snapshot.facts.ingressClasses
  if (controllers.length + written.length + seen.length === 0) return undefined
  if (controllers.some(({ claims }) => claims.length === 0)) return undefined
  const classes = new Map([
    ...seen.map(({ name, controller, at }) => [name, { says: controller, at }] as const),
    ...written.map(({ ref, root }) => {
      const at = root.at('spec', 'controller')
      return [ref.name, { says: at.string, at }] as const
    }),
  ])
  const isMade = controllers.some(({ installed }) => installed?.mayBeDefault)
  const hasDefault = isMade || written.some(isDefaultClass) || seen.some(({ isDefault }) => isDefault)
  return { controllers, classes, hasDefault }
}

/** Whether a controller takes an Ingress by its class, or because it has none. */
export function takesClassOf(ingress: Manifest, { claims }: Controller, { classes }: ClassProviders): boolean {
  return claims.some((claim) => {
    const named = classReadFrom(ingress, claim.reads)
    if (named === undefined) return claim.unclassed
    if (named.from === 'field' && claim.by === 'none') return false
    const says = classes.get(named.name)?.says
    const isOwn = says !== undefined && claim.controller === says
    return claim.names.includes(named.name) || claim.made === named.name || isOwn
  })
}

/** Whether some controller compares the name of a class while another compares its controller field. */
export function takesByName(controllers: readonly Controller[], name: string): boolean {
  return controllers.some(({ claims }) =>
    claims.some(({ by, names }) => ['name', 'either'].includes(by) && names.includes(name)),
  )
}

/**
 * Whether a controller uses a name of the same domain: `k8s.io/internal` and `k8s.io/ingress-nginx` belong to one
 * product.
 */
export function isKin({ claims }: Controller, says: string | undefined): boolean {
  const domain = says?.split('/')[0]
  return claims.some(({ controller }) => controller?.split('/')[0] === domain)
}

/** Up to five classes that an Ingress can name. */
export function knownIn(providers: ClassProviders): string {
  return abridged(namesIn(providers), 5)
}

/** The classes that an Ingress can name. */
export function namesIn({ controllers, classes }: ClassProviders): string[] {
  const names = [...classes.keys(), ...controllers.flatMap(({ claims }) => claims.flatMap((claim) => claim.names))]
  return [...new Set(names)].sort()
}
